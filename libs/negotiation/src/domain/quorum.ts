import { atLeast, round9 } from '#lib/kernel';

/** Who must have voted for a decision to count (SW4-001 section 1; spec/negotiation-room.md "Quorum"). */

export type QuorumRule =
  { readonly minimum_votes: number } | { readonly minimum_fraction: number } | { readonly require_all: boolean };

export type QuorumFailureAction = 'FAIL_CLOSED' | 'FAIL_WITH_ABSTAIN' | 'FAIL_WITH_AVAILABLE';

export interface QuorumPolicy {
  /** At least half of the critics where absent. */
  readonly rule?: QuorumRule;
  /** FAIL_CLOSED where absent. */
  readonly on_failure?: QuorumFailureAction;
}

export interface Quorum {
  /** Distinct requested critics that voted. */
  readonly votes_received: number;
  /** Requested critics as listed; fewer where a basis says so. */
  readonly votes_expected: number;
  /** A number of votes, or their weight where they are weighed. */
  readonly threshold: number;
  readonly quorum_met: boolean;
  /** Sum of the weights of those that voted, to 9 decimals; only where votes are weighed. */
  readonly weight_received?: number;
}

/** By what a quorum is reckoned where the room's policy has options. */
export interface QuorumBasis {
  readonly votes_expected: number;
  /** Absent where a vote is a vote. */
  readonly weighed?: {
    weightOf(critic: string): number;
    /** Sum of the weights of those who are expected. */
    readonly expected: number;
  };
}

/** A closed vote collection: what counts, and whether people must decide instead. */
export interface VoteCount<V> {
  readonly quorum: Quorum;
  /** The first vote of each requested critic, in the order cast. */
  readonly cast: readonly V[];
  /** An abstention for each missing critic, in request order; only under FAIL_WITH_ABSTAIN without a quorum. */
  readonly injected: readonly V[];
  /** Requested critics that did not vote, in request order, also where the quorum is met. */
  readonly unavailable_critics: readonly string[];
  /** True where the quorum is not met and the policy fails closed, and wherever nobody voted. */
  readonly escalate: boolean;
}

/** How votes of one kind are read and made. */
export interface VoteForm<V> {
  critic(vote: V): string;
  /** The vote of a critic that did not vote: score 0, confidence 0, not passed. */
  abstention(critic: string): V;
}

/** Where a policy has no rule. */
export const DEFAULT_RULE: QuorumRule = { minimum_fraction: 0.5 };
const MARGIN = 1e-9;

/**
 * Votes that `expected` critics must give, or their weight where `expected` is one; 0 only for require_all = false, a
 * fraction of almost nothing, or critics that weigh nothing.
 */
export function quorumThreshold(rule: QuorumRule, expected: number): number {
  if ('minimum_votes' in rule) return rule.minimum_votes;
  if ('require_all' in rule) return rule.require_all ? expected : 0;
  // Rounded up, a fraction of weights under 1 would be more than all of them together.
  return Math.min(expected, Math.max(0, Math.ceil(expected * asWritten(rule.minimum_fraction) - MARGIN)));
}

/** What these critics weigh together, to 9 decimals. */
export function weightOfAll(critics: Iterable<string>, weightOf: (critic: string) => number): number {
  let sum = 0;
  for (const critic of critics) sum += weightOf(critic);
  return round9(sum);
}

/** The fraction travels as a 32-bit float: its seven digits are what somebody wrote, 0.6 and not 0.60000002. */
function asWritten(fraction: number): number {
  return Number(Math.fround(fraction).toPrecision(7));
}

/** @param voters in any order, repeated or not asked at all: only distinct requested critics count */
export function evaluateQuorum(
  requested: readonly string[],
  voters: Iterable<string>,
  rule: QuorumRule = DEFAULT_RULE,
  { votes_expected, weighed }: QuorumBasis = { votes_expected: requested.length },
): Quorum {
  const asked = new Set(requested);
  const voted = new Set([...voters].filter((critic) => asked.has(critic)));
  const counted = { votes_received: voted.size, votes_expected };
  const threshold = quorumThreshold(rule, weighed?.expected ?? votes_expected);
  if (!weighed) return { ...counted, threshold, quorum_met: voted.size >= threshold };
  const weight_received = weightOfAll(voted, (critic) => weighed.weightOf(critic));
  return { ...counted, threshold, quorum_met: atLeast(weight_received, threshold), weight_received };
}

/** The votes of requested critics, the first of each, in the order cast. */
export function countableVotes<V>(
  requested: readonly string[],
  votes: readonly V[],
  criticOf: (vote: V) => string,
): V[] {
  const waiting = new Set(requested);
  return votes.filter((vote) => waiting.delete(criticOf(vote)));
}

/** Closes a vote collection under a policy: counts, and applies the failure action where the quorum is not met. */
export function countVotes<V>(
  requested: readonly string[],
  votes: readonly V[],
  { rule, on_failure = 'FAIL_CLOSED' }: QuorumPolicy,
  form: VoteForm<V>,
  basis?: QuorumBasis,
): VoteCount<V> {
  const cast = countableVotes(requested, votes, (vote) => form.critic(vote));
  const voters = new Set(cast.map((vote) => form.critic(vote)));
  const quorum = evaluateQuorum(requested, voters, rule, basis);
  const unavailable_critics = requested.filter((critic) => !voters.has(critic));
  const abstain = !quorum.quorum_met && on_failure === 'FAIL_WITH_ABSTAIN' && cast.length > 0;
  return {
    quorum,
    cast,
    injected: abstain ? unavailable_critics.map((critic) => form.abstention(critic)) : [],
    unavailable_critics,
    escalate: cast.length === 0 || (!quorum.quorum_met && on_failure === 'FAIL_CLOSED'),
  };
}
