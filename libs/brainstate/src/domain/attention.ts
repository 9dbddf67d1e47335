import { atLeast, clamp, floorWithEpsilon, round9 } from '#lib/kernel';

import { BRAINSTATE_DEFAULTS, type ResolvedConstants } from './constants.js';

export interface Attention {
  /** Each of these in [0, 1]. */
  readonly attention_gain: number;
  readonly explore_bias: number;
  readonly reward_signal: number;
}

/** Who said what of the last answer; null where somebody said nothing. */
export interface Verdicts {
  readonly council_approves: boolean | null;
  readonly user_upvotes: boolean | null;
}

/** What the router asks of BrainState before it chooses (seed 003 section 5). */
export interface RoutingHints {
  readonly max_depth_allowed: number;
  readonly prefer_high_APT: boolean;
  readonly allow_explore: boolean;
}

type RewardWeights = Pick<ResolvedConstants, 'council_reward_weight' | 'user_reward_weight'>;

/**
 * 0.8 for the council's approval and 0.2 for the user's. The council overrides a user who disagrees; without a council
 * there is no reward (seed 003 sections 4.3 and 11).
 */
export function rewardOf(verdicts: Verdicts, weights: RewardWeights = BRAINSTATE_DEFAULTS): number {
  if (verdicts.council_approves !== true) return 0;
  return round9(clamp(weights.council_reward_weight + (verdicts.user_upvotes ? weights.user_reward_weight : 0), 0, 1));
}

/** Attention after one tick: pulled to where it belongs by decay, and towards or away from exploring by the reward. */
export function attend(before: Attention, reward: number, c: ResolvedConstants): Attention {
  return {
    attention_gain: round9(clamp(before.attention_gain * (1 - c.a_decay) + reward * c.a_gain, 0, 1)),
    explore_bias: round9(clamp(before.explore_bias * (1 - c.e_decay) + (1 - reward) * c.e_gain, 0, 1)),
    reward_signal: reward,
  };
}

/** How deep the router may go, and whether it should exploit or explore. Never deeper than the snapshot allows. */
export function routingHints(
  {
    attention,
    resource_budget,
  }: { readonly attention: Attention; readonly resource_budget: { readonly max_depth_allowed: number } },
  c: Pick<ResolvedConstants, 'prefer_high_apt_gain' | 'allow_explore_bias'> = BRAINSTATE_DEFAULTS,
): RoutingHints {
  const { max_depth_allowed } = resource_budget;
  return {
    max_depth_allowed: Math.min(max_depth_allowed, floorWithEpsilon(attention.attention_gain * max_depth_allowed)),
    prefer_high_APT: atLeast(attention.attention_gain, c.prefer_high_apt_gain),
    allow_explore: atLeast(attention.explore_bias, c.allow_explore_bias),
  };
}
