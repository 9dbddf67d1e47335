import { MaceError } from '#lib/kernel';

import { quorumThreshold, type QuorumPolicy } from './quorum.js';

/** What a submission must be before anything is looked up: INVALID_ARGUMENT of spec/negotiation-room.md "Status codes". */

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const MAX_WINDOW_S = 4_294_967_295;
const MAX_CRITICS = 1024;

export interface ProposalForm {
  readonly artifact_id: string;
  readonly producer_id: string;
  readonly negotiation_room_id: string;
  readonly requested_critics: readonly string[];
  readonly vote_collection_timeout_s: number;
  readonly quorum_policy: QuorumPolicy;
}

/** @throws MaceError INVALID_INPUT naming the field and its allowed form */
export function assertProposal(form: ProposalForm): void {
  const { requested_critics: critics, producer_id, vote_collection_timeout_s: seconds } = form;
  assertId('artifact_id', form.artifact_id);
  assertId('producer_id', producer_id);
  assertId('negotiation_room_id', form.negotiation_room_id);
  if (critics.length === 0) throw invalid('requested_critics: at least one critic');
  if (critics.length > MAX_CRITICS) throw invalid(`requested_critics: at most ${MAX_CRITICS} critics`);
  for (const critic of critics) assertId('requested_critics', critic);
  if (new Set(critics).size < critics.length) throw invalid('requested_critics: each critic once');
  if (critics.includes(producer_id)) throw invalid('requested_critics: not the producer of the artifact');
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_WINDOW_S)
    throw invalid(`vote_collection_timeout_s: a whole number from 0 to ${MAX_WINDOW_S}`);
  assertQuorum(form.quorum_policy, critics.length);
}

function assertQuorum({ rule }: QuorumPolicy, expected: number): void {
  if (!rule) return;
  if ('minimum_fraction' in rule) {
    const { minimum_fraction: fraction } = rule;
    if (!(fraction > 0 && fraction <= 1)) throw invalid('quorum_policy.minimum_fraction: over 0, at most 1');
  }
  if ('minimum_votes' in rule && !(Number.isInteger(rule.minimum_votes) && rule.minimum_votes <= expected))
    throw invalid(`quorum_policy.minimum_votes: a whole number from 1 to ${expected}, the number of critics`);
  if (quorumThreshold(rule, expected) < 1) throw invalid('quorum_policy: a rule that needs at least one vote');
}

export interface VoteNumbers {
  readonly artifact_id: string;
  readonly critic_id: string;
  readonly score: number;
  readonly confidence: number;
}

/** @throws MaceError INVALID_INPUT naming the field and its allowed form */
export function assertVote({ artifact_id, critic_id, score, confidence }: VoteNumbers): void {
  assertId('artifact_id', artifact_id);
  assertId('critic_id', critic_id);
  if (!(score >= 0 && score <= 10)) throw invalid('score: a number from 0 to 10');
  if (!(confidence >= 0 && confidence <= 1)) throw invalid('confidence: a number from 0 to 1');
}

export function isId(value: string): boolean {
  return ID.test(value);
}

/** @throws MaceError INVALID_INPUT */
export function assertId(name: string, value: string): void {
  if (!isId(value)) throw invalid(`${name}: 1 to 128 of A-Z, a-z, 0-9, ".", "_", ":" and "-"`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
