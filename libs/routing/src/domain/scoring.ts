import { atLeast, clamp, round9 } from '#lib/kernel';
import type { Candidate, RoutingModule } from './candidates.js';
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

/** The highest priority among the active goals that the module can serve, else 0. */
function goalPriority(goals: readonly RoutingGoal[], constants: RouterConstants, module: RoutingModule): number {
  let highest = 0;
  for (const { type, priority, status } of goals) {
    if (status !== 'active' || !servesGoal(constants, module, type)) continue;
    highest = Math.max(highest, unit(priority));
  }
  return round9(highest);
}

function servesGoal({ goal_intents }: RouterConstants, { capabilities }: RoutingModule, type: string): boolean {
  const intents: readonly string[] = Object.hasOwn(goal_intents, type) ? (goal_intents[type] ?? []) : [];
  return capabilities.includes(type) || intents.some((intent) => capabilities.includes(intent));
}

/** A number of [0, 1]; what is no number counts as 0. */
export function unit(x: number): number {
  return Number.isFinite(x) ? clamp(x, 0, 1) : 0;
}
