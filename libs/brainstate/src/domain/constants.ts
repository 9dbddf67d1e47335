/** Constants of every BrainState snapshot (seed 003 sections 3 to 5; spec/decisions.md "BrainState"). */
export interface RequiredConstants {
  readonly attention_gain: number;
  readonly explore_bias: number;
  readonly a_decay: number;
  readonly a_gain: number;
  readonly e_decay: number;
  readonly e_gain: number;
  readonly default_wm_ttl: number;
  readonly promotion_references: number;
  readonly promotion_window: number;
  readonly cwm_ttl_ticks: number;
  readonly token_budget: number;
  readonly max_depth_allowed: number;
}

/** Constants that an older snapshot may lack. */
export interface LaterConstants {
  readonly reward_signal: number;
  readonly council_reward_weight: number;
  readonly user_reward_weight: number;
  /** The part of token_budget that CWM may fill. */
  readonly cwm_budget_share: number;
  readonly user_priority_weight: number;
  readonly system_priority_weight: number;
  readonly heuristic_score: number;
  readonly confidence_threshold: number;
  readonly max_attempts: number;
  readonly preemption_gap: number;
  readonly max_recent_failures: number;
  readonly prefer_high_apt_gain: number;
  readonly allow_explore_bias: number;
}

/** Every constant that a rule uses. */
export type ResolvedConstants = RequiredConstants & LaterConstants;

/** A constant that a snapshot lacks, for operators; it changes no decision (seed 003 section 11). */
export interface ConstantWarning {
  readonly constant: string;
  readonly used: number;
  readonly reason: 'missing' | 'out of range';
}

export interface Resolution {
  readonly constants: ResolvedConstants;
  readonly warnings: readonly ConstantWarning[];
}

type Range = 'unit' | 'count' | 'positive count';

/** The safe default of each constant with its range: `unit` is [0, 1], a count is an integer. */
const KNOWN: Readonly<Record<keyof ResolvedConstants, readonly [number, Range]>> = {
  attention_gain: [0.5, 'unit'],
  explore_bias: [0.15, 'unit'],
  reward_signal: [0, 'unit'],
  a_decay: [0.05, 'unit'],
  a_gain: [0.25, 'unit'],
  e_decay: [0.03, 'unit'],
  e_gain: [0.15, 'unit'],
  council_reward_weight: [0.8, 'unit'],
  user_reward_weight: [0.2, 'unit'],
  default_wm_ttl: [3, 'positive count'],
  promotion_references: [2, 'positive count'],
  promotion_window: [4, 'positive count'],
  cwm_ttl_ticks: [10, 'positive count'],
  cwm_budget_share: [0.25, 'unit'],
  token_budget: [2048, 'count'],
  max_depth_allowed: [2, 'count'],
  user_priority_weight: [0.8, 'unit'],
  system_priority_weight: [0.2, 'unit'],
  heuristic_score: [0.5, 'unit'],
  confidence_threshold: [0.7, 'unit'],
  max_attempts: [3, 'positive count'],
  preemption_gap: [0.2, 'unit'],
  max_recent_failures: [10, 'count'],
  prefer_high_apt_gain: [0.6, 'unit'],
  allow_explore_bias: [0.2, 'unit'],
};

/** What a constant is where a snapshot lacks it. */
export const BRAINSTATE_DEFAULTS = Object.freeze(
  Object.fromEntries(Object.entries(KNOWN).map(([name, [value]]) => [name, value])),
) as unknown as ResolvedConstants;

const resolved = new WeakMap<object, Resolution>();

/** Every constant of a snapshot's body; what it lacks, or what is out of range, is the default, with a warning. */
export function resolveConstants(body: Partial<ResolvedConstants>): Resolution {
  const known = resolved.get(body);
  if (known) return known;
  const warnings: ConstantWarning[] = [];
  const entries = Object.entries(KNOWN).map(([constant, [used, range]]) => {
    const given: unknown = Object.hasOwn(body, constant) ? body[constant as keyof ResolvedConstants] : undefined;
    if (isIn(given, range)) return [constant, given] as const;
    warnings.push({ constant, used, reason: given === undefined ? 'missing' : 'out of range' });
    return [constant, used] as const;
  });
  const resolution = { constants: Object.fromEntries(entries) as unknown as ResolvedConstants, warnings };
  resolved.set(body, resolution);
  return resolution;
}

function isIn(value: unknown, range: Range): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return false;
  if (range === 'unit') return value <= 1;
  return Number.isSafeInteger(value) && (range === 'count' || value > 0);
}
