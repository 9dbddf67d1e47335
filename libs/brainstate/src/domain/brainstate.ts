import { timestampSeeded } from '#lib/kernel';

import { attend, rewardOf, type Attention, type Verdicts } from './attention.js';
import { resolveConstants, type ResolvedConstants } from './constants.js';
import { stepGoals, type Goal, type GoalOutcome, type GoalRequest } from './goals.js';
import type { BrainStateConstants } from './snapshot-body.js';
import {
  age,
  consolidated,
  dueForPromotion,
  EMPTY_CWM,
  insertAll,
  rank,
  type ConsolidatedMemory,
  type Insertion,
  type Memory,
  type WorkingMemoryItem,
} from './working-memory.js';

/** Fixed for a job by its snapshot; no tick changes it. */
export interface ResourceBudget {
  readonly token_budget: number;
  readonly max_depth_allowed: number;
}

export interface RecentFailure {
  readonly node_id: string;
  /** Seeded time. */
  readonly ts: string;
  readonly reason: string;
}

/** BrainState between two ticks (seed 003 section 2). */
export interface BrainState {
  readonly tick: number;
  /** Number of working-memory ids made so far; numbers the next. */
  readonly wm_counter: number;
  /** Newest first. */
  readonly WM: readonly WorkingMemoryItem[];
  readonly CWM: ConsolidatedMemory;
  readonly attention: Attention;
  readonly resource_budget: ResourceBudget;
  /** Absent where there never was one. */
  readonly goals?: readonly Goal[];
  /** Newest first; absent where there never was one. */
  readonly recent_failures?: readonly RecentFailure[];
}

export interface TickInput extends Verdicts {
  readonly insert: readonly Insertion[];
  /** Goals set in this tick. */
  readonly goals?: readonly GoalRequest[];
  readonly outcomes?: readonly GoalOutcome[];
  /** Nodes that failed since the last tick, oldest first; `ts` is the tick's seeded time where absent. */
  readonly failures?: readonly { readonly node_id: string; readonly reason: string; readonly ts?: string }[];
  /** Tokens of the budget spent so far. */
  readonly tokens_spent?: number;
}

/** The state before the first tick, as a snapshot's body gives it. */
export function initialBrainState(body: BrainStateConstants): BrainState {
  const { constants: c } = resolveConstants(body);
  const { attention_gain, explore_bias, reward_signal, token_budget, max_depth_allowed } = c;
  return {
    tick: 0,
    wm_counter: 0,
    WM: [],
    CWM: EMPTY_CWM,
    attention: { attention_gain, explore_bias, reward_signal },
    resource_budget: { token_budget, max_depth_allowed },
    ...(body.goals && body.goals.length > 0 ? { goals: body.goals } : {}),
  };
}

/**
 * One deterministic step, in this order: insert, promote, decrement and remove, attention, goals (spec/decisions.md
 * "BrainState"). A pure function of its arguments; `jobSeed` makes ids and times.
 */
export function tick(state: BrainState, input: TickInput, jobSeed: string, body: BrainStateConstants): BrainState {
  const { constants: c } = resolveConstants(body);
  const now = state.tick + 1;
  const { token_budget } = state.resource_budget;
  const before: Memory = { wm_counter: state.wm_counter, WM: state.WM, CWM: state.CWM.items };
  const inserted = insertAll(before, input.insert, jobSeed, now, c);
  const memory = remember(inserted, now, token_budget, (input.goals?.length ?? 0) > 0, c);
  const goals = goalsAfter(state, input, jobSeed, now, c);
  const failures = failuresAfter(state, input, jobSeed, now, c);
  return {
    tick: now,
    wm_counter: inserted.wm_counter,
    ...memory,
    attention: attend(state.attention, rewardOf(input, c), c),
    resource_budget: state.resource_budget,
    ...(goals.length > 0 ? { goals } : {}),
    ...(failures.length > 0 ? { recent_failures: failures } : {}),
  };
}

/**
 * Promotes and ages. CWM is ranked anew only where an item is promoted or a goal is made; a promoted item for which
 * there is no room stays in WM as long as it lives.
 */
function remember(
  { WM, CWM }: Memory,
  now: number,
  tokenBudget: number,
  goalMade: boolean,
  c: ResolvedConstants,
): Pick<BrainState, 'WM' | 'CWM'> {
  const promoted = dueForPromotion(WM, now, c).map((item) => ({ ...item, ttl_ticks: c.cwm_ttl_ticks }));
  if (promoted.length === 0 && !goalMade) return { WM: age(WM), CWM: consolidated(age(CWM)) };
  const chosen = rank(age([...CWM, ...promoted]), tokenBudget, c);
  const moved = new Set(chosen.map(({ wm_id }) => wm_id));
  return { WM: age(WM.filter(({ wm_id }) => !moved.has(wm_id))), CWM: consolidated(chosen) };
}

function goalsAfter(state: BrainState, input: TickInput, jobSeed: string, now: number, c: ResolvedConstants) {
  const { goals: create = [], outcomes = [], tokens_spent = 0 } = input;
  const budgetExhausted = tokens_spent >= state.resource_budget.token_budget;
  return stepGoals(state.goals ?? [], { create, outcomes, budgetExhausted }, jobSeed, now, c);
}

function failuresAfter(state: BrainState, input: TickInput, jobSeed: string, now: number, c: ResolvedConstants) {
  const { failures = [] } = input;
  const newest = failures.map(({ node_id, reason, ts = timestampSeeded(jobSeed, now) }) => ({ node_id, ts, reason }));
  return [...newest.reverse(), ...(state.recent_failures ?? [])].slice(0, c.max_recent_failures);
}
