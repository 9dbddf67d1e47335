import { MaceError } from '#lib/kernel';

import type { DecisionOutcome, EscalationReason, NegotiationPolicy } from './decision.js';
import { DEFAULT_RULE, type QuorumBasis, type QuorumRule, quorumThreshold, weightOfAll } from './quorum.js';

/** What the room's policy may add, and what it came to for one negotiation (spec/negotiation-room.md, "Optional by room policy"). */

/** Effective values of the options, each absent where it is off; kept with the proposal as far as they are known by then. */
export interface OptionsInForce {
  /** Sums of weights, to 9 decimals: of those expected, and of those that voted once that is known. */
  readonly weights?: { readonly expected: number; readonly received?: number };
  readonly dynamic_quorum?: {
    readonly floor: number;
    readonly votes_expected: number;
    /** Registered and healthy when the proposal was taken, in request order. */
    readonly available_critics: readonly string[];
  };
  /** Whether the window closed before its time with critics missing. */
  readonly early_decision?: { readonly closed_early: boolean };
  /** Absent where none were asked. */
  readonly escalation?: Escalation;
}

/** Senior critics that were asked, and why. */
export interface Escalation {
  readonly critics: readonly string[];
  /** When their window opened and when it ends, ISO 8601. */
  readonly opened_at: string;
  readonly due_at: string;
  /** The decision that was not taken, because they were asked first. */
  readonly before: DecisionBefore;
}

export interface DecisionBefore {
  readonly outcome: DecisionOutcome;
  readonly escalation_reason: EscalationReason | null;
  readonly reason: string;
  /** Critics whose votes were counted, in the order cast. */
  readonly voters: readonly string[];
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly quorum_threshold: number;
  readonly quorum_met: boolean;
}

/** By what the quorum of some critics is reckoned, as it is recorded. */
export interface ReckonedQuorum {
  readonly quorum_threshold: number;
  readonly options: OptionsInForce;
}

/**
 * @param available those of `requested` that are registered and healthy; read only where the policy adjusts the quorum
 * @throws MaceError INVALID_INPUT for a rule that no vote is needed for, or that all votes together could not meet
 */
export function reckonQuorum(
  requested: readonly string[],
  rule: QuorumRule = DEFAULT_RULE,
  policy: NegotiationPolicy,
  available: readonly string[],
): ReckonedQuorum {
  const { weights, dynamic_quorum } = policy;
  const weightOf = weightIn(policy);
  const weightOfRequested = weightOfAll(requested, weightOf);
  if (weights && 'minimum_votes' in rule && rule.minimum_votes > weightOfRequested)
    throw invalid(
      `quorum_policy.minimum_votes: at most ${weightOfRequested}, what the critics weigh by the policy of the room`,
    );
  const expected = (all: number, those: number): number =>
    dynamic_quorum ? Math.max(those, Math.min(dynamic_quorum.floor, all)) : all;
  const votes_expected = expected(requested.length, available.length);
  const weightExpected = expected(weightOfRequested, weightOfAll(available, weightOf));
  const quorum_threshold = quorumThreshold(rule, weights ? weightExpected : votes_expected);
  if (quorum_threshold <= 0) throw invalid('quorum_policy: a rule that needs at least one vote');
  return {
    quorum_threshold,
    options: {
      ...(weights && { weights: { expected: weightExpected } }),
      ...(dynamic_quorum && {
        dynamic_quorum: { floor: dynamic_quorum.floor, votes_expected, available_critics: available },
      }),
    },
  };
}

/** What a recorded quorum is reckoned by. @param asked number of critics that were asked */
export function quorumBasis(
  asked: number,
  { weights, dynamic_quorum }: OptionsInForce,
  policy: NegotiationPolicy,
): QuorumBasis {
  return {
    votes_expected: dynamic_quorum?.votes_expected ?? asked,
    ...(weights && { weighed: { weightOf: weightIn(policy), expected: weights.expected } }),
  };
}

/** Senior critics that can still be asked: not the producer, none that was asked, none whose vote weighs nothing. */
export function seniorCritics(
  { escalation = [], ...policy }: NegotiationPolicy,
  asked: readonly string[],
  producer: string,
): readonly string[] {
  const weightOf = weightIn(policy);
  return escalation.filter((critic) => critic !== producer && !asked.includes(critic) && weightOf(critic) > 0);
}

/** The quorum of senior critics: by the proposal's rule, as if they had been requested; no more votes than they have. */
export function reckonSeniors(
  seniors: readonly string[],
  rule: QuorumRule = DEFAULT_RULE,
  policy: NegotiationPolicy,
): ReckonedQuorum {
  const { weights } = policy;
  const expected = weights ? weightOfAll(seniors, weightIn(policy)) : seniors.length;
  return {
    quorum_threshold: Math.min(expected, quorumThreshold(rule, expected)),
    options: weights ? { weights: { expected } } : {},
  };
}

function weightIn({ weights }: NegotiationPolicy): (critic: string) => number {
  return (critic) => (weights && Object.hasOwn(weights, critic) ? weights[critic]! : 1);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
