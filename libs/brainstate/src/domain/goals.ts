import { atLeast, clamp, nearlyEqual, round9, timestampSeeded, type JsonObject } from '#lib/kernel';

import type { ResolvedConstants } from './constants.js';

export const GOAL_TYPES = ['answer', 'clarify', 'save', 'verify', 'plan'] as const;
export type GoalType = (typeof GOAL_TYPES)[number];
export const GOAL_ORIGINS = ['user', 'system', 'agent'] as const;
export type GoalOrigin = (typeof GOAL_ORIGINS)[number];
export type GoalStatus = 'active' | 'succeeded' | 'failed' | 'paused';

export interface Goal {
  readonly goal_id: string;
  /** In [0, 1]; computed when the goal is made, and fixed. */
  readonly priority: number;
  readonly type: GoalType;
  readonly status: GoalStatus;
  /** Seeded time. */
  readonly created_at: string;
  readonly deadline_ts?: string;
  readonly origin: GoalOrigin;
  readonly metadata: JsonObject;
  /** Outcomes so far that did not reach the goal. */
  readonly attempts: number;
}

/** A goal that somebody sets; what is left out has a default. */
export interface GoalRequest {
  /** `g1`, `g2`, ... where absent. */
  readonly goal_id?: string;
  readonly type: GoalType;
  readonly origin?: GoalOrigin;
  /** What the user asked for, in [0, 1]; the heuristic score where absent. */
  readonly priority?: number;
  readonly deadline_ts?: string;
  readonly metadata?: JsonObject;
}

/** What a stage came to, for one goal. */
export interface GoalOutcome {
  /** The active goal of the highest priority where absent. */
  readonly goal_id?: string;
  readonly deliverable_produced: boolean;
  readonly final_confidence: number;
  readonly repairs_exhausted?: boolean;
}

/** What a tick tells of goals. */
export interface GoalsInput {
  readonly create: readonly GoalRequest[];
  readonly outcomes: readonly GoalOutcome[];
  /** No tokens are left. */
  readonly budgetExhausted: boolean;
}

/** clamp(0.8 user + 0.2 heuristic, 0, 1): fixed rules, no learning (seed 003 section 4.5). */
export function goalPriority(userSpecified: number | undefined, c: ResolvedConstants): number {
  const user = userSpecified !== undefined && Number.isFinite(userSpecified) ? userSpecified : c.heuristic_score;
  return round9(clamp(c.user_priority_weight * user + c.system_priority_weight * c.heuristic_score, 0, 1));
}

/** One step of every goal: made, reached or missed, then paused or taken up again. Ended goals never change. */
export function stepGoals(
  goals: readonly Goal[],
  input: GoalsInput,
  jobSeed: string,
  now: number,
  c: ResolvedConstants,
): readonly Goal[] {
  const made = input.create.reduce((all, request) => addGoal(all, request, jobSeed, now, c), goals);
  const judged = input.outcomes.reduce((all, outcome) => judge(all, outcome, c), made);
  return pause(judged, input.budgetExhausted, c);
}

/** A new goal at the end of the list; a goal_id that is taken makes none. */
export function addGoal(
  goals: readonly Goal[],
  request: GoalRequest,
  jobSeed: string,
  now: number,
  c: ResolvedConstants,
): readonly Goal[] {
  const goal_id = request.goal_id ?? freeGoalId(goals);
  if (goals.some((goal) => goal.goal_id === goal_id)) return goals;
  const goal: Goal = {
    goal_id,
    priority: goalPriority(request.priority, c),
    type: request.type,
    status: 'active',
    created_at: timestampSeeded(jobSeed, now),
    ...(request.deadline_ts === undefined ? {} : { deadline_ts: request.deadline_ts }),
    origin: request.origin ?? 'system',
    metadata: request.metadata ?? {},
    attempts: 0,
  };
  return [...goals, goal];
}

/** `g1`, `g2`, ...: the id of a goal that is made now and names none. */
export function freeGoalId(goals: readonly Pick<Goal, 'goal_id'>[]): string {
  for (let n = goals.length + 1; ; n++) if (!goals.some((goal) => goal.goal_id === `g${n}`)) return `g${n}`;
}

/** An outcome of a goal that is not active changes nothing. */
function judge(goals: readonly Goal[], outcome: GoalOutcome, c: ResolvedConstants): readonly Goal[] {
  const active = goals.filter((goal) => goal.status === 'active');
  const meant =
    outcome.goal_id === undefined ? foremost(active) : active.find((goal) => goal.goal_id === outcome.goal_id);
  if (!meant) return goals;
  return goals.map((goal) => (goal === meant ? judged(goal, outcome, c) : goal));
}

function judged(goal: Goal, outcome: GoalOutcome, c: ResolvedConstants): Goal {
  if (outcome.deliverable_produced && atLeast(outcome.final_confidence, c.confidence_threshold)) {
    return { ...goal, status: 'succeeded' };
  }
  const attempts = goal.attempts + 1;
  const spent = attempts >= c.max_attempts || outcome.repairs_exhausted === true;
  return { ...goal, attempts, status: spent ? 'failed' : 'active' };
}

/** Of the highest priority; among equals the lower goal_id. */
function foremost(goals: readonly Goal[]): Goal | undefined {
  const [first] = [...goals].sort((a, b) => b.priority - a.priority || (a.goal_id < b.goal_id ? -1 : 1));
  return first;
}

/** Everything waits without a budget; otherwise what another goal outranks by more than the gap. */
function pause(goals: readonly Goal[], budgetExhausted: boolean, c: ResolvedConstants): readonly Goal[] {
  const open = goals.filter(({ status }) => status === 'active' || status === 'paused');
  const highest = open.reduce((top, { priority }) => Math.max(top, priority), 0);
  const outranked = ({ priority }: Goal): boolean => {
    const gap = highest - priority;
    return gap > c.preemption_gap && !nearlyEqual(gap, c.preemption_gap);
  };
  return goals.map((goal) => {
    if (goal.status !== 'active' && goal.status !== 'paused') return goal;
    const status = budgetExhausted || outranked(goal) ? 'paused' : 'active';
    return status === goal.status ? goal : { ...goal, status };
  });
}
