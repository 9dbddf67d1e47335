import { atLeast } from '#lib/kernel';

import { aggregate, type AggregatedScore, type AggregationStrategy, type ScoredVote } from './aggregation.js';
import {
  countVotes,
  evaluateQuorum,
  type Quorum,
  type QuorumBasis,
  type QuorumPolicy,
  type VoteForm,
} from './quorum.js';

export type DecisionOutcome = 'APPROVED' | 'REVISION_REQUESTED' | 'ESCALATED_TO_HITL';

/** Why a person is asked, in the words of `sw4rm.hitl`. */
export type EscalationReason = 'DEBATE_DEADLOCK' | 'TASK_ESCALATION' | 'CONFLICT';

/** What of a critic's vote decides; its words do not. */
export interface NegotiationVote extends ScoredVote {
  readonly critic_id: string;
  /** Whether a recommendation is the explicit wish for a person, see `asksForPerson`. */
  readonly asks_for_person: boolean;
}

/** The whole of what a decision is made by; stored with each decision. */
export interface NegotiationPolicy {
  readonly policy_version: string;
  readonly min_score: number;
  readonly min_confidence: number;
  readonly min_pass_ratio: number;
  readonly max_std_dev: number;
  /** A cast vote with less confidence than this asks for a person. */
  readonly escalate_below_confidence: number;
  /** Cast votes that stray more than this ask for a person. */
  readonly escalate_above_std_dev: number;
  readonly aggregation: AggregationStrategy;
  /** What a critic's vote weighs in the quorum, 0 to 10, and 1 where it is not named; a vote is a vote where absent. */
  readonly weights?: Readonly<Record<string, number>>;
  /** True where a window closes once no vote still to come can change quorum or outcome. */
  readonly early_decision?: boolean;
  /** Senior critics that are asked once before ESCALATED_TO_HITL. */
  readonly escalation?: readonly string[];
  /** The quorum expects those alone that are registered and healthy when the proposal is taken, `floor` at least. */
  readonly dynamic_quorum?: { readonly floor: number };
}

/** Defaults of spec/negotiation-room.md "Decision". */
export const NEGOTIATION_POLICY_DEFAULTS: NegotiationPolicy = {
  policy_version: 'mace-negotiation-1',
  min_score: 7,
  min_confidence: 0.7,
  min_pass_ratio: 0.8,
  max_std_dev: 2,
  escalate_below_confidence: 0.3,
  escalate_above_std_dev: 3,
  aggregation: 'confidence_weighted',
};

/** The same without what a room may add. */
export function withoutOptions({
  weights: _weights,
  early_decision: _early,
  escalation: _escalation,
  dynamic_quorum: _dynamic,
  ...policy
}: NegotiationPolicy): NegotiationPolicy {
  return policy;
}

export interface NegotiationDecision {
  readonly outcome: DecisionOutcome;
  /** Null unless escalated. */
  readonly escalation_reason: EscalationReason | null;
  readonly reason: string;
  /** Cast ones in the order cast, then injected abstentions in request order. */
  readonly votes: readonly NegotiationVote[];
  /** Over all votes; over the cast ones where escalated, and null where there are none. */
  readonly aggregated_score: AggregatedScore | null;
  readonly policy: NegotiationPolicy;
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly quorum_threshold: number;
  readonly quorum_met: boolean;
  /** Sum of the weights of the votes cast, to 9 decimals; only where votes are weighed. */
  readonly weight_received?: number;
  readonly collection_timeout_reached: boolean;
  readonly unavailable_critics: readonly string[];
}

export interface Collected {
  readonly requested_critics: readonly string[];
  readonly votes: readonly NegotiationVote[];
  readonly quorum_policy: QuorumPolicy;
  /** Absent where the quorum is reckoned by those who were asked, each with one vote. */
  readonly basis?: QuorumBasis;
  readonly collection_timeout_reached: boolean;
}

const FORM: VoteForm<NegotiationVote> = {
  critic: ({ critic_id }) => critic_id,
  abstention: (critic_id) => ({
    critic_id,
    score: 0,
    confidence: 0,
    passed: false,
    asks_for_person: false,
  }),
};

/** The one decision on a closed collection: quorum first, then people, then approval. */
export function decideNegotiation(
  collected: Collected,
  policy: NegotiationPolicy = NEGOTIATION_POLICY_DEFAULTS,
): NegotiationDecision {
  const { requested_critics, collection_timeout_reached } = collected;
  const count = countVotes(requested_critics, collected.votes, collected.quorum_policy, FORM, collected.basis);
  const { cast, injected, unavailable_critics } = count;
  const { threshold: quorum_threshold, ...quorum } = count.quorum;
  const votes = [...cast, ...injected];
  const verdict = count.escalate
    ? escalated('DEBATE_DEADLOCK', quorumReason(count.quorum))
    : (wishedByVotes(cast, policy) ?? measured(votes, policy));
  const covered = verdict.outcome === 'ESCALATED_TO_HITL' ? cast : votes;
  return {
    ...verdict,
    votes,
    aggregated_score: covered.length === 0 ? null : aggregate(covered, policy.aggregation),
    policy,
    ...quorum,
    quorum_threshold,
    collection_timeout_reached,
    unavailable_critics,
  };
}

type Verdict = Pick<NegotiationDecision, 'outcome' | 'escalation_reason' | 'reason'>;

const escalated = (escalation_reason: EscalationReason, reason: string): Verdict => ({
  outcome: 'ESCALATED_TO_HITL',
  escalation_reason,
  reason,
});

function quorumReason({ votes_received, votes_expected, threshold, weight_received }: Quorum): string {
  if (votes_received === 0) return `none of ${votes_expected} critics voted`;
  const voted = `quorum not met: ${votes_received} of ${votes_expected} critics voted`;
  return weight_received === undefined
    ? `${voted}, ${threshold} are needed`
    : `${voted}, with a weight of ${weight_received}; ${threshold} is needed`;
}

/**
 * Whether no vote still to come can change quorum, outcome or why people are asked. Any critic may still ask for a person, so
 * an approval, a revision and a disagreement are settled by the last vote alone; a wish or a doubt settles an escalation.
 */
export function isSettled(
  { requested_critics, votes, quorum_policy, basis }: Omit<Collected, 'collection_timeout_reached'>,
  policy: NegotiationPolicy,
): boolean {
  const { votes_received, quorum_met } = evaluateQuorum(
    requested_critics,
    votes.map(({ critic_id }) => critic_id),
    quorum_policy.rule,
    basis,
  );
  if (votes_received === requested_critics.length) return true;
  return quorum_met && votes.length > 0 && wishedByVotes(votes, policy)?.escalation_reason === 'TASK_ESCALATION';
}

/** Whether the votes really cast ask for a person: by wish or little confidence first, then by their disagreement. */
function wishedByVotes(cast: readonly NegotiationVote[], policy: NegotiationPolicy): Verdict | null {
  const wishing = cast.find((vote) => vote.asks_for_person);
  if (wishing) return escalated('TASK_ESCALATION', `critic ${wishing.critic_id} asks for a person`);
  const unsure = cast.find(({ confidence }) => !atLeast(confidence, policy.escalate_below_confidence));
  if (unsure) return escalated('TASK_ESCALATION', `critic ${unsure.critic_id} has confidence ${unsure.confidence}`);
  const { std_dev } = aggregate(cast, policy.aggregation);
  if (atLeast(policy.escalate_above_std_dev, std_dev)) return null;
  return escalated('CONFLICT', `the critics disagree: standard deviation ${std_dev}`);
}

/** Whether a recommendation is the explicit wish for a person. */
export function asksForPerson(recommendation: string): boolean {
  return (
    recommendation === 'escalate' || recommendation === 'escalate_to_hitl' || recommendation.startsWith('escalate:')
  );
}

function measured(votes: readonly NegotiationVote[], policy: NegotiationPolicy): Verdict {
  const { weighted_mean, std_dev } = aggregate(votes, policy.aggregation);
  const confidence = aggregate(votes.map((vote) => ({ ...vote, score: vote.confidence }))).mean;
  const pass_ratio = votes.filter(({ passed }) => passed).length / votes.length;
  const missed = [
    ...(atLeast(weighted_mean, policy.min_score)
      ? []
      : [`weighted mean ${weighted_mean} is under ${policy.min_score}`]),
    ...(atLeast(confidence, policy.min_confidence)
      ? []
      : [`average confidence ${confidence} is under ${policy.min_confidence}`]),
    ...(atLeast(pass_ratio, policy.min_pass_ratio)
      ? []
      : [`${votes.length * pass_ratio} of ${votes.length} passed it, a share of ${policy.min_pass_ratio} is needed`]),
    ...(atLeast(policy.max_std_dev, std_dev) ? [] : [`standard deviation ${std_dev} is over ${policy.max_std_dev}`]),
  ];
  return missed.length === 0
    ? { outcome: 'APPROVED', escalation_reason: null, reason: 'score, confidence, passes and agreement suffice' }
    : { outcome: 'REVISION_REQUESTED', escalation_reason: null, reason: missed.join('; ') };
}
