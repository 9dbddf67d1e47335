import { MaceError } from '#lib/kernel';
import {
  type ArtifactType,
  type DecisionOutcome,
  type DecisionView,
  type NegotiationProposed,
  type Proposal,
  type QuorumFailureAction,
  type QuorumPolicy,
  type QuorumRule,
  UNKNOWN_CONTENT,
  type Vote,
  type VoteView,
} from '#lib/negotiation';

import type { WireDecision, WireProposal, WireQuorumPolicy, WireTimestamp, WireVote } from './messages.js';

/** Between the messages of the wire and the words of libs/negotiation. */

const ARTIFACT_TYPES: readonly ArtifactType[] = [
  'ARTIFACT_TYPE_UNSPECIFIED',
  'REQUIREMENTS',
  'PLAN',
  'CODE',
  'DEPLOYMENT',
];
const OUTCOMES: Readonly<Record<DecisionOutcome, number>> = {
  APPROVED: 1,
  REVISION_REQUESTED: 2,
  ESCALATED_TO_HITL: 3,
};
const FAILURE_ACTIONS: readonly QuorumFailureAction[] = ['FAIL_CLOSED', 'FAIL_WITH_ABSTAIN', 'FAIL_WITH_AVAILABLE'];
/** 0001-01-01 to 9999-12-31, in seconds since 1970: what a Timestamp may be. */
const [FIRST_SECOND, LAST_SECOND] = [-62_135_596_800, 253_402_300_799];
const NANOS = 1_000_000_000;

/** @throws MaceError INVALID_INPUT for a missing message, an undefined enum or a time that is none */
export function proposalOf(wire: WireProposal | null): Proposal {
  if (wire === null) throw invalid('proposal: missing');
  const { created_at, quorum_policy, artifact_content_type, ...same } = wire;
  return {
    ...same,
    artifact_type: defined(ARTIFACT_TYPES, wire.artifact_type, 'artifact_type'),
    artifact_content_type: artifact_content_type || UNKNOWN_CONTENT,
    created_at: timeOf(created_at, 'created_at'),
    quorum_policy: quorumPolicyOf(quorum_policy),
  };
}

/** @throws MaceError INVALID_INPUT */
export function voteOf(wire: WireVote | null): Vote {
  if (wire === null) throw invalid('vote: missing');
  return { ...wire, voted_at: timeOf(wire.voted_at, 'voted_at') };
}

export function wireVote(vote: VoteView, { artifact_id, negotiation_room_id }: NegotiationProposed): WireVote {
  return {
    ...vote,
    artifact_id,
    negotiation_room_id,
    voted_at: vote.voted_at === null ? null : wireTime(vote.voted_at),
  };
}

export function wireDecision(decision: DecisionView, proposal: NegotiationProposed): WireDecision {
  return {
    artifact_id: proposal.artifact_id,
    outcome: OUTCOMES[decision.outcome],
    votes: decision.votes.map((vote) => wireVote(vote, proposal)),
    aggregated_score: decision.aggregated_score,
    policy_version: decision.policy.policy_version,
    reason: decision.reason,
    negotiation_room_id: proposal.negotiation_room_id,
    decided_at: wireTime(decision.decided_at),
    quorum_met: decision.quorum_met,
    votes_received: decision.votes_received,
    votes_expected: decision.votes_expected,
    collection_timeout_reached: decision.collection_timeout_reached,
    unavailable_critics: decision.unavailable_critics,
    late_votes: decision.late_votes.map(({ vote, received_at }) => ({
      critic_id: vote.critic_id,
      vote: wireVote(vote, proposal),
      received_at: wireTime(received_at),
    })),
  };
}

function quorumPolicyOf(wire: WireQuorumPolicy | null): QuorumPolicy {
  if (wire === null) return {};
  const on_failure = defined(FAILURE_ACTIONS, wire.on_failure, 'quorum_policy.on_failure');
  const rule = ruleOf(wire);
  return rule ? { rule, on_failure } : { on_failure };
}

function ruleOf({ rule, minimum_votes, minimum_fraction, require_all }: WireQuorumPolicy): QuorumRule | null {
  switch (rule) {
    case 'minimum_votes':
      return { minimum_votes: minimum_votes! };
    case 'minimum_fraction':
      return { minimum_fraction: minimum_fraction! };
    case 'require_all':
      return { require_all: require_all! };
    default:
      return null;
  }
}

function defined<T>(values: readonly T[], number: number, field: string): T {
  const value = values[number];
  if (value === undefined) throw invalid(`${field}: one of the numbers 0 to ${values.length - 1}`);
  return value;
}

function timeOf(time: WireTimestamp | null, field: string): string | null {
  if (time === null) return null;
  const { seconds, nanos } = time;
  const isTime = seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos < NANOS;
  if (!isTime) throw invalid(`${field}: a Timestamp from year 1 to year 9999`);
  return new Date(seconds * 1000 + Math.floor(nanos / 1e6)).toISOString();
}

function wireTime(iso: string): WireTimestamp {
  const ms = Date.parse(iso);
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1e6 };
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
