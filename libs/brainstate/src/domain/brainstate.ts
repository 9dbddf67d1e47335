import { canonicalize, clamp, round9, workingMemoryId, type Json } from '#lib/kernel';

import type { BrainStateConstants } from './constants.js';

export interface WorkingMemoryItem {
  readonly wm_id: string;
  readonly type: string;
  readonly value: Json;
  readonly ttl_ticks: number;
  readonly created_at_tick: number;
  /** Ticks at which the item was referenced; an insertion is one reference. */
  readonly references: readonly number[];
}

export interface ConsolidatedMemory {
  readonly topic: string;
  readonly tokens_used: number;
  readonly items: readonly WorkingMemoryItem[];
}

export interface Attention {
  readonly attention_gain: number;
  readonly explore_bias: number;
  readonly reward_signal: number;
}

export interface ResourceBudget {
  readonly token_budget: number;
  readonly max_depth_allowed: number;
}

/** BrainState between two ticks (seed 003 section 2). */
export interface BrainState {
  readonly tick: number;
  /** Number of working-memory ids made so far; numbers the next. */
  readonly wm_counter: number;
  readonly WM: readonly WorkingMemoryItem[];
  readonly CWM: ConsolidatedMemory;
  readonly attention: Attention;
  readonly resource_budget: ResourceBudget;
}

export interface TickInput {
  readonly insert: readonly { readonly type: string; readonly value: Json; readonly ttl_ticks?: number }[];
  /** Null where no council voted. */
  readonly council_approves: boolean | null;
  /** Null where the user said nothing. */
  readonly user_upvotes: boolean | null;
}

/** The state before the first tick, as a snapshot's constants give it. */
export function initialBrainState(constants: BrainStateConstants): BrainState {
  return {
    tick: 0,
    wm_counter: 0,
    WM: [],
    CWM: { topic: '', tokens_used: 0, items: [] },
    attention: { attention_gain: constants.attention_gain, explore_bias: constants.explore_bias, reward_signal: 0 },
    resource_budget: { token_budget: constants.token_budget, max_depth_allowed: constants.max_depth_allowed },
  };
}

/** One deterministic step, in this order: insert, promote, decrement and remove, attention (seed 003 section 4). */
export function tick(state: BrainState, input: TickInput, jobSeed: string, constants: BrainStateConstants): BrainState {
  const now = state.tick + 1;
  const inserted = insertAll(state, input, jobSeed, now, constants);
  const { kept, promoted } = promote(inserted.items, now, constants);
  const items = promoted.length > 0 ? [...state.CWM.items, ...promoted] : state.CWM.items;
  return {
    tick: now,
    wm_counter: inserted.counter,
    WM: age(kept),
    CWM: consolidate(age(items), state.resource_budget.token_budget),
    attention: attend(state.attention, rewardOf(input), constants),
    resource_budget: state.resource_budget,
  };
}

/** 0.8 for the council's approval and 0.2 for the user's, whose term is 0 where both speak and disagree. */
export function rewardOf(input: Pick<TickInput, 'council_approves' | 'user_upvotes'>): number {
  const council = input.council_approves === true ? 0.8 : 0;
  const disagree = input.council_approves !== null && input.user_upvotes !== input.council_approves;
  return round9(council + (input.user_upvotes === true && !disagree ? 0.2 : 0));
}

function attend(before: Attention, reward: number, c: BrainStateConstants): Attention {
  return {
    attention_gain: round9(clamp(before.attention_gain * (1 - c.a_decay) + reward * c.a_gain, 0, 1)),
    explore_bias: round9(clamp(before.explore_bias * (1 - c.e_decay) + (1 - reward) * c.e_gain, 0, 1)),
    reward_signal: reward,
  };
}

function insertAll(state: BrainState, input: TickInput, jobSeed: string, now: number, c: BrainStateConstants) {
  let items = state.WM;
  let counter = state.wm_counter;
  for (const entry of input.insert) {
    const ttl_ticks = entry.ttl_ticks ?? c.default_wm_ttl;
    const known = items.find(
      (item) => item.type === entry.type && canonicalize(item.value) === canonicalize(entry.value),
    );
    if (known) {
      const referenced = { ...known, ttl_ticks, references: [...known.references, now] };
      items = items.map((item) => (item === known ? referenced : item));
      continue;
    }
    const wm_id = workingMemoryId(jobSeed, counter++);
    items = [
      { wm_id, type: entry.type, value: entry.value, ttl_ticks, created_at_tick: now, references: [now] },
      ...items,
    ];
  }
  return { items, counter };
}

function promote(items: readonly WorkingMemoryItem[], now: number, c: BrainStateConstants) {
  const due = (item: WorkingMemoryItem): boolean =>
    item.references.filter((at) => at > now - c.promotion_window).length >= c.promotion_references;
  return {
    kept: items.filter((item) => !due(item)),
    promoted: items.filter(due).map((item) => ({ ...item, ttl_ticks: c.cwm_ttl_ticks })),
  };
}

function age(items: readonly WorkingMemoryItem[]): WorkingMemoryItem[] {
  return items.map((item) => ({ ...item, ttl_ticks: item.ttl_ticks - 1 })).filter((item) => item.ttl_ticks > 0);
}

/** Most referenced first, older first among equals, at most a quarter of the token budget. */
function consolidate(items: readonly WorkingMemoryItem[], tokenBudget: number): ConsolidatedMemory {
  const ranked = [...items].sort(
    (a, b) =>
      b.references.length - a.references.length ||
      a.created_at_tick - b.created_at_tick ||
      (a.wm_id < b.wm_id ? -1 : 1),
  );
  const chosen: WorkingMemoryItem[] = [];
  let tokens_used = 0;
  for (const item of ranked) {
    const tokens = tokensOf(item.value);
    if (tokens_used + tokens > tokenBudget / 4) continue;
    chosen.push(item);
    tokens_used += tokens;
  }
  return { topic: chosen[0]?.type ?? '', tokens_used, items: chosen };
}

/** A token is four characters, rounded up. */
export function tokensOf(value: Json): number {
  return Math.ceil((typeof value === 'string' ? value : canonicalize(value)).length / 4);
}
