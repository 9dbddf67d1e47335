import type { DomainEvent } from '#lib/kernel';

import {
  actionEvent,
  type ActionApproved,
  type ActionVote,
  type Ballot,
  type Tally,
} from './action-requests.events.js';
import type { Voter } from './request-refusals.js';
import type { Terms, Votes } from './request-state.js';

/** What votes come to, and the events that say so (spec/decisions.md, "Governance"). */

export interface CastVote {
  readonly voter: Voter;
  readonly vote: Ballot;
  readonly proposal_digest: string;
  readonly reason?: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export type Signature = Omit<CastVote, 'vote'>;

export function tallyOf(votes: Votes): Tally {
  const ballots = Object.values(votes);
  const count = (ballot: Ballot): number => ballots.filter((one) => one === ballot).length;
  return { approve: count('approve'), reject: count('reject'), abstain: count('abstain') };
}

/** What the votes decide: nothing before the quorum is there; then the majority, and a tie rejects. */
export function rulingOf({ approve, reject }: Tally, quorum: number): 'approve' | 'reject' | null {
  if (approve + reject < quorum) return null;
  return approve > reject ? 'approve' : 'reject';
}

export function voteEvent(
  { request_id, proposal_digest }: Terms,
  before: Votes,
  { voter, vote, reason, now }: CastVote,
  phase: ActionVote['phase'],
): { readonly event: DomainEvent; readonly tally: Tally } {
  const tally = tallyOf({ ...before, [voter.id]: vote });
  const said = reason === undefined ? {} : { reason };
  const data = { request_id, voter: voter.id, phase, vote, proposal_digest, ...said, voted_at: isoOf(now), tally };
  return { event: actionEvent('ACTION_VOTE', data), tally };
}

export function approved(
  { request_id, action, proposal_digest }: Terms,
  approval_type: ActionApproved['approval_type'],
  approvers: readonly string[],
  now: number,
): DomainEvent {
  const approved_by = [...approvers].sort();
  const data = { request_id, action, approval_type, approved_by, proposal_digest, decided_at: isoOf(now) };
  return actionEvent('ACTION_APPROVED', data);
}

export function rejected({ request_id }: Terms, tally: Tally, now: number): DomainEvent {
  const reason = tally.approve === tally.reject ? 'tie' : 'majority';
  return actionEvent('ACTION_REJECTED', { request_id, reason, tally, decided_at: isoOf(now) });
}

export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
