import { type DomainEvent, MaceError, round9, type JsonObject } from '#lib/kernel';

import { SILENT, type UnavailabilityReason } from './critic.js';
import { asksForPerson, decideNegotiation, type NegotiationPolicy } from './decision.js';
import {
  type HitlRuled,
  type Idempotency,
  type NegotiationDecided,
  negotiationEvent,
  type NegotiationProposed,
  type VoteRecord,
  type VoteWindowClosed,
} from './negotiation.events.js';
import { evaluateQuorum } from './quorum.js';
import { assertProposal, assertVote, type ProposalForm } from './submissions.js';
import { type ArtifactType, dueAt, windowSeconds, windowStatus, type WindowTable } from './window.js';

/** One proposal, its votes, and at most one decision, in one stream (spec/negotiation-room.md). */
export interface NegotiationState {
  /** Null before NEGOTIATION_PROPOSED. */
  readonly proposal: NegotiationProposed | null;
  /** Counted votes in the order received. */
  readonly votes: readonly VoteRecord[];
  readonly late: readonly VoteRecord[];
  readonly closed: VoteWindowClosed | null;
  readonly decision: NegotiationDecided | null;
  /** Whether somebody outside ruled on the escalated decision. */
  readonly isRuled: boolean;
}

export const initialNegotiation: NegotiationState = {
  proposal: null,
  votes: [],
  late: [],
  closed: null,
  decision: null,
  isRuled: false,
};

export function evolveNegotiation(
  state: NegotiationState,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): NegotiationState {
  switch (type) {
    case 'NEGOTIATION_PROPOSED':
      return { ...state, proposal: data as unknown as NegotiationProposed };
    case 'VOTE_CAST':
      return { ...state, votes: [...state.votes, data as unknown as VoteRecord] };
    case 'LATE_VOTE':
      return { ...state, late: [...state.late, data as unknown as VoteRecord] };
    case 'VOTE_WINDOW_CLOSED':
      return { ...state, closed: data as unknown as VoteWindowClosed };
    case 'NEGOTIATION_DECIDED':
      return { ...state, decision: data as unknown as NegotiationDecided };
    case 'HITL_RULED':
      return { ...state, isRuled: true };
    default:
      return state;
  }
}

/** What the digest of the same message was by keys that were rotated since; never recorded. */
type EarlierDigests = readonly string[];

export interface SubmitProposal extends ProposalForm {
  readonly artifact_type: ArtifactType;
  readonly artifact_content_type: string;
  readonly artifact_ref: string;
  readonly producer_principal: string;
  readonly created_at: string;
  readonly idempotency: Idempotency | null;
  readonly earlier_digests?: EarlierDigests;
  readonly policy: NegotiationPolicy;
  readonly windows: WindowTable;
  /** The server's time, milliseconds since 1970. */
  readonly now: number;
}

/**
 * Opens the window. Nothing where the same request was taken before.
 * @throws MaceError INVALID_INPUT; CONFLICT for any other proposal under a known artifact_id
 */
export function propose(state: NegotiationState, submitted: SubmitProposal): readonly DomainEvent[] {
  assertProposal(submitted);
  const { vote_collection_timeout_s, windows, now, earlier_digests: _, ...proposal } = submitted;
  if (state.proposal) {
    if (isRepeat(state.proposal, submitted)) return [];
    throw new MaceError('CONFLICT', `artifact ${proposal.artifact_id} was proposed before`);
  }
  const seconds = windowSeconds(vote_collection_timeout_s, proposal.artifact_type, windows);
  const { requested_critics, quorum_policy } = proposal;
  const { threshold: quorum_threshold } = evaluateQuorum(requested_critics, [], quorum_policy.rule);
  const opened = { ...proposal, quorum_threshold };
  return [
    negotiationEvent('NEGOTIATION_PROPOSED', { ...opened, received_at: iso(now), due_at: iso(dueAt(now, seconds)) }),
  ];
}

export type SubmitVote = Omit<VoteRecord, 'asks_for_person' | 'received_at'> & {
  readonly earlier_digests?: EarlierDigests;
  /** The server's time, milliseconds since 1970. */
  readonly now: number;
};

/** Why a critic that did not vote did not, as the registry knows it when the window closes. */
export type Standing = (critic: string) => UnavailabilityReason;

/** `late`: recorded and never counted, answered all the same. */
export interface VoteResult {
  readonly disposition: 'counted' | 'late';
  readonly events: readonly DomainEvent[];
}

/**
 * Takes a vote: the last one that was asked for closes the window and decides in the same append, one at or after the
 * due time closes the window first and is then late. Nothing new where the same request was taken before.
 * @throws MaceError INVALID_INPUT, NOT_FOUND, PERMISSION_DENIED, CONFLICT for a second vote, in this order
 */
export function castVote(
  state: NegotiationState,
  submitted: SubmitVote,
  standing: Standing = () => SILENT,
): VoteResult {
  assertVote(submitted);
  const { now, earlier_digests: _, ...given } = submitted;
  const { proposal } = state;
  if (!proposal) throw new MaceError('NOT_FOUND', `no artifact ${given.artifact_id} was proposed`);
  assertAsked(proposal, given.critic_id);
  const repeated = repeatOf(state, submitted);
  if (repeated) return repeated;
  const vote: VoteRecord = {
    ...given,
    score: round9(given.score),
    confidence: round9(given.confidence),
    asks_for_person: given.recommendations.some(asksForPerson),
    received_at: iso(now),
  };
  const closing = state.closed ? [] : closeWindow(state, now, standing);
  if (state.closed || closing.length > 0) {
    return { disposition: 'late', events: [...closing, negotiationEvent('LATE_VOTE', vote)] };
  }
  const counted = { ...state, votes: [...state.votes, vote] };
  return { disposition: 'counted', events: [negotiationEvent('VOTE_CAST', vote), ...closeWindow(counted, now)] };
}

/** The close of the window and the one decision; nothing where it is open still, or was decided before. */
export function closeWindow(
  state: NegotiationState,
  now: number,
  standing: Standing = () => SILENT,
): readonly DomainEvent[] {
  const { proposal, votes, closed } = state;
  if (!proposal || closed) return [];
  const { artifact_id, requested_critics, quorum_threshold, policy } = proposal;
  const due_at = Date.parse(proposal.due_at);
  // A critic votes once: fewer votes than critics leave one to wait for. Nearly every vote ends here.
  if (votes.length < requested_critics.length && now < due_at) return [];
  const voters = votes.map(({ critic_id }) => critic_id);
  const status = windowStatus({ requested_critics, voters: new Set(voters), due_at }, now);
  if (status === 'open') return [];
  const collection_timeout_reached = status === 'overdue';
  const quorum_policy = { ...proposal.quorum_policy, rule: { minimum_votes: quorum_threshold } };
  const collected = { requested_critics, votes, quorum_policy, collection_timeout_reached };
  const { votes: all, ...decision } = decideNegotiation(collected, policy);
  const abstained = all.slice(votes.length).map(({ critic_id }) => critic_id);
  const at = iso(now);
  const unavailable = decision.unavailable_critics.map((critic_id) => ({ critic_id, reason: standing(critic_id), at }));
  return [
    negotiationEvent('VOTE_WINDOW_CLOSED', { artifact_id, closed_at: at, collection_timeout_reached, unavailable }),
    negotiationEvent('NEGOTIATION_DECIDED', { artifact_id, decided_at: at, voters, abstained, ...decision }),
  ];
}

/** Records a ruling on an escalated decision; nothing where there is one, or nothing to rule on. */
export function ruleOn({ decision, isRuled }: NegotiationState, ruling: HitlRuled): readonly DomainEvent[] {
  if (isRuled || decision?.outcome !== 'ESCALATED_TO_HITL') return [];
  return [negotiationEvent('HITL_RULED', ruling)];
}

function assertAsked({ producer_id, requested_critics }: NegotiationProposed, critic: string): void {
  if (critic === producer_id) throw new MaceError('PERMISSION_DENIED', 'nobody votes on an artifact of their own');
  if (!requested_critics.includes(critic))
    throw new MaceError('PERMISSION_DENIED', `critic ${critic} was not asked about this artifact`);
}

/** What an earlier vote of the critic, counted or late, makes of this one; null where it is the first. */
function repeatOf({ votes, late }: NegotiationState, submitted: SubmitVote): VoteResult | null {
  const { critic_id } = submitted;
  for (const [disposition, records] of [['counted', votes] as const, ['late', late] as const]) {
    const first = records.find((vote) => vote.critic_id === critic_id);
    if (!first) continue;
    if (isRepeat(first, submitted)) return { disposition, events: [] };
    throw new MaceError('CONFLICT', `critic ${critic_id} has voted on this artifact; the first vote stands`);
  }
  return null;
}

function isRepeat(
  { idempotency: first }: { readonly idempotency: Idempotency | null },
  again: Pick<SubmitVote, 'idempotency' | 'earlier_digests'>,
): boolean {
  if (!first || first.key !== again.idempotency?.key) return false;
  return [again.idempotency.digest, ...(again.earlier_digests ?? [])].includes(first.digest);
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
