import { atLeast, clamp, round9 } from '#lib/kernel';
import { availabilityOf, type Candidate, type RoutingModule } from './candidates.js';
import type { ModuleStatus, RouterConstants } from './router-constants.js';

/** The parts of a BrainState goal that routing reads. */
export interface RoutingGoal {
  readonly type: string;
  readonly priority: number;
  readonly status: string;
}

export type ScoredCandidate = {
  readonly node_id: string;
  readonly agent_id: string;
  readonly apt: number;
  readonly status: ModuleStatus;
  readonly dependency_unhealthy: boolean;
  readonly availability: number;
  readonly goal_priority: number;
  readonly exploration: number;
  readonly final_score: number;
  readonly eligible: boolean;
};

/** What of a job's state a score depends on. */
interface Situation {
  readonly attention: { readonly explore_bias: number };
  readonly goals: readonly RoutingGoal[];
}

interface Kept {
  readonly constants: RouterConstants;
  readonly explore_bias: number;
  readonly scored: readonly ScoredCandidate[];
}

const kept = new WeakMap<readonly Candidate[], Kept>();

/** Scores candidates in their order. Without goals the last scores of a list are kept: most jobs begin in one state. */
export function scoreAll(
  situation: Situation,
  constants: RouterConstants,
  candidates: readonly Candidate[],
): readonly ScoredCandidate[] {
  const { goals, attention } = situation;
  const before = goals.length === 0 ? kept.get(candidates) : undefined;
  if (before?.constants === constants && before.explore_bias === attention.explore_bias) return before.scored;
  const scored = candidates.map((candidate) => score(situation, constants, candidate));
  if (goals.length === 0) kept.set(candidates, { constants, explore_bias: attention.explore_bias, scored });
  return scored;
}

/** final_score = clamp(0.7 avail + 0.2 goal_priority + 0.1 explore_bias (1 - avail), 0, 1). */
function score(
  { attention, goals }: Situation,
  constants: RouterConstants,
  { module, apt, availability }: Candidate,
): ScoredCandidate {
  const { weights } = constants;
  const goal_priority = goalPriority(goals, constants, module);
  const exploration = round9(unit(attention.explore_bias) * (1 - availability));
  const sum =
    weights.availability * availability + weights.goal_priority * goal_priority + weights.exploration * exploration;
  const final_score = round9(clamp(sum, 0, 1));
  const { node_id, agent_id, status, dependency_unhealthy } = module;
  const eligible = atLeast(final_score, constants.min_score);
  return {
    node_id,
    agent_id,
    apt,
    status,
    dependency_unhealthy,
    availability,
    goal_priority,
    exploration,
    final_score,
    eligible,
  };
}

/**
 * The least trust with which the router asks a module that stands as it does, to four decimals, rounded up; null where
 * none is enough.
 */
export function leastTrust(
  module: Omit<RoutingModule, 'apt' | 'policy'>,
  constants: RouterConstants,
  { attention, goals }: Situation,
): number | null {
  const { weights, min_availability, min_score } = constants;
  const exploration = weights.exploration * unit(attention.explore_bias);
  const rise = weights.availability - exploration;
  if (rise <= 0) return null;
  const wanted = min_score - weights.goal_priority * goalPriority(goals, constants, module) - exploration;
  const isFallback = module.agent_id === constants.fallback_agent;
  const availability = Math.max(min_availability, isFallback ? 0 : wanted / rise);
  const least = Math.ceil((availability / availabilityOf(1, module, constants)) * 1e4 - 1e-6) / 1e4;
  return least <= 1 ? least : null;
}

/** The highest priority among the active goals that the module can serve, else 0. */
function goalPriority(
  goals: readonly RoutingGoal[],
  constants: RouterConstants,
  module: Pick<RoutingModule, 'capabilities'>,
): number {
  let highest = 0;
  for (const { type, priority, status } of goals) {
    if (status !== 'active' || !servesGoal(constants, module, type)) continue;
    highest = Math.max(highest, unit(priority));
  }
  return round9(highest);
}

function servesGoal(
  { goal_intents }: RouterConstants,
  { capabilities }: Pick<RoutingModule, 'capabilities'>,
  type: string,
): boolean {
  const intents: readonly string[] = Object.hasOwn(goal_intents, type) ? (goal_intents[type] ?? []) : [];
  return capabilities.includes(type) || intents.some((intent) => capabilities.includes(intent));
}

/** A number of [0, 1]; what is no number counts as 0. */
export function unit(x: number): number {
  return Number.isFinite(x) ? clamp(x, 0, 1) : 0;
}
