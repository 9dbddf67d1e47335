import { canonicalize, floorWithEpsilon, workingMemoryId, type Json } from '#lib/kernel';

import type { ResolvedConstants } from './constants.js';

export interface WorkingMemoryItem {
  readonly wm_id: string;
  readonly type: string;
  readonly value: Json;
  readonly ttl_ticks: number;
  readonly created_at_tick: number;
  /** Ticks at which the item was referenced; an insertion is one reference. */
  readonly references: readonly number[];
}

/** Promoted items, the most referenced first as of when they were last ranked. */
export interface ConsolidatedMemory {
  /** Type of the first item; empty where there is none. */
  readonly topic: string;
  readonly tokens_used: number;
  readonly items: readonly WorkingMemoryItem[];
}

export interface Insertion {
  readonly type: string;
  readonly value: Json;
  /** The snapshot's default where absent. */
  readonly ttl_ticks?: number;
}

/** Both memories between two steps of a tick. */
export interface Memory {
  /** Number of working-memory ids made so far; numbers the next. */
  readonly wm_counter: number;
  readonly WM: readonly WorkingMemoryItem[];
  readonly CWM: readonly WorkingMemoryItem[];
}

export const EMPTY_CWM: ConsolidatedMemory = { topic: '', tokens_used: 0, items: [] };

/** A token is four characters, rounded up. */
export function tokensOf(value: Json): number {
  return Math.ceil((typeof value === 'string' ? value : canonicalize(value)).length / 4);
}

/** Newest first. What is known already, in either memory, is referenced and lives its whole time again. */
export function insertAll(
  memory: Memory,
  insertions: readonly Insertion[],
  jobSeed: string,
  now: number,
  c: ResolvedConstants,
): Memory {
  return insertions.reduce((before, insertion) => insertOne(before, insertion, jobSeed, now, c), memory);
}

function insertOne(memory: Memory, insertion: Insertion, jobSeed: string, now: number, c: ResolvedConstants): Memory {
  const { type, value } = insertion;
  let text: string | undefined;
  const isSame = (item: WorkingMemoryItem): boolean =>
    item.type === type && canonicalize(item.value) === (text ??= canonicalize(value));
  const referenced = (ttl_ticks: number) => (item: WorkingMemoryItem) =>
    isSame(item) ? { ...item, ttl_ticks, references: [...item.references, now] } : item;
  const ttl_ticks = insertion.ttl_ticks ?? c.default_wm_ttl;
  if (memory.CWM.some(isSame)) return { ...memory, CWM: memory.CWM.map(referenced(c.cwm_ttl_ticks)) };
  if (memory.WM.some(isSame)) return { ...memory, WM: memory.WM.map(referenced(ttl_ticks)) };
  const wm_id = workingMemoryId(jobSeed, memory.wm_counter);
  const item = { wm_id, type, value, ttl_ticks, created_at_tick: now, references: [now] };
  return { ...memory, wm_counter: memory.wm_counter + 1, WM: [item, ...memory.WM] };
}

/** Items referenced often enough within the window that ends with this tick. */
export function dueForPromotion(
  items: readonly WorkingMemoryItem[],
  now: number,
  c: ResolvedConstants,
): readonly WorkingMemoryItem[] {
  const inWindow = (at: number): boolean => at > now - c.promotion_window;
  return items.filter(({ references }) => references.filter(inWindow).length >= c.promotion_references);
}

/** One tick older; what has no tick left is gone. */
export function age(items: readonly WorkingMemoryItem[]): readonly WorkingMemoryItem[] {
  return items.map((item) => ({ ...item, ttl_ticks: item.ttl_ticks - 1 })).filter((item) => item.ttl_ticks > 0);
}

/** Most referenced first, older first among equals, as many as fit into CWM's share of the budget. */
export function rank(
  items: readonly WorkingMemoryItem[],
  tokenBudget: number,
  c: ResolvedConstants,
): readonly WorkingMemoryItem[] {
  const room = floorWithEpsilon(tokenBudget * c.cwm_budget_share);
  const chosen: WorkingMemoryItem[] = [];
  let used = 0;
  for (const item of [...items].sort(mostReferencedFirst)) {
    const tokens = tokensOf(item.value);
    if (used + tokens > room) continue;
    chosen.push(item);
    used += tokens;
  }
  return chosen;
}

/** CWM of items in the order in which they were ranked. */
export function consolidated(items: readonly WorkingMemoryItem[]): ConsolidatedMemory {
  const tokens_used = items.reduce((sum, { value }) => sum + tokensOf(value), 0);
  return { topic: items[0]?.type ?? '', tokens_used, items };
}

function mostReferencedFirst(a: WorkingMemoryItem, b: WorkingMemoryItem): number {
  const order = b.references.length - a.references.length || a.created_at_tick - b.created_at_tick;
  return order !== 0 ? order : a.wm_id < b.wm_id ? -1 : 1;
}
