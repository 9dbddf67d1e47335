import { isErased, type LoggedEvent } from '#lib/event-store';
import { brainstateId, timestampSeeded, type Json, type JsonObject } from '#lib/kernel';

import { initialBrainState, type BrainState, type RecentFailure } from './domain/brainstate.js';
import { BRAINSTATE_DEFAULTS, resolveConstants, type ResolvedConstants } from './domain/constants.js';
import type { Goal } from './domain/goals.js';
import type { BrainStateConstants } from './domain/snapshot-body.js';
import { EMPTY_CWM, type ConsolidatedMemory, type WorkingMemoryItem } from './domain/working-memory.js';
import type { StoredSnapshot } from './ports.js';

/** Seeded time, under its own name alone; null in the shared default, which has no seed. */
interface Seeded {
  readonly timestamp_seeded: string | null;
}

type ItemView = WorkingMemoryItem & Seeded;

/** BrainState as it is answered (seed 003 section 2). */
export interface BrainStateView extends Seeded {
  readonly brainstate_snapshot_id: string;
  /** Null in the shared default. */
  readonly brainstate_id: string | null;
  readonly job_seed: string | null;
  readonly tick: number;
  readonly goals: readonly (Omit<Goal, 'created_at'> & Seeded)[];
  readonly WM: readonly ItemView[];
  readonly CWM: Omit<ConsolidatedMemory, 'items'> & { readonly items: readonly ItemView[] };
  readonly attention: BrainState['attention'];
  readonly resource_budget: BrainState['resource_budget'];
  readonly recent_failures: readonly (Omit<RecentFailure, 'ts'> & Seeded)[];
  readonly constants: ResolvedConstants;
  readonly config_hash: string;
  /** When its newest event was recorded; null where release 0.1 did so, whose events say no time. */
  readonly last_updated: string | null;
  /** True where values and metadata are hidden from the reader. */
  readonly redacted: boolean;
  /** True where the data key of the person is destroyed: working memory cannot be read again. */
  readonly erased: boolean;
}

const HIDDEN = '[redacted]';

/** The state that a recorded tick left; what was erased of it reads as empty. */
export function stateOf(data: JsonObject): { readonly state: BrainState; readonly erased: boolean } {
  const erased = isErased(data['WM']) || isErased(data['CWM']);
  const { tick, wm_counter, WM, CWM, attention, resource_budget, goals, recent_failures } =
    data as unknown as BrainState;
  const memory = erased ? { WM: [], CWM: EMPTY_CWM } : { WM, CWM };
  const optional = { ...(goals ? { goals } : {}), ...(recent_failures ? { recent_failures } : {}) };
  return { state: { tick, wm_counter, ...memory, attention, resource_budget, ...optional }, erased };
}

export function bodyOf(snapshot: StoredSnapshot): BrainStateConstants {
  return snapshot.body as unknown as BrainStateConstants;
}

/** @param newest the newest tick, in plain or as stored, or what made the snapshot before the first; null where that is unreadable */
export function viewOf(
  snapshot: StoredSnapshot,
  newest: Pick<LoggedEvent, 'type' | 'data' | 'metadata'> | null,
  redacted: boolean,
): BrainStateView {
  const ticked = newest?.type === 'BRAINSTATE_TICK' ? newest.data : null;
  const body = bodyOf(snapshot);
  const { state, erased } = ticked ? stateOf(redacted ? withoutStored(ticked) : ticked) : fresh(body);
  const seed = body.job_seed ?? null;
  const at = (n: number): string | null => (seed === null ? null : timestampSeeded(seed, n));
  const shown = (item: WorkingMemoryItem): ItemView => ({
    ...item,
    timestamp_seeded: at(item.created_at_tick),
  });
  return {
    brainstate_snapshot_id: snapshot.snapshot_id,
    brainstate_id: seed === null ? null : brainstateId(seed, timestampSeeded(seed, state.tick)),
    job_seed: seed,
    timestamp_seeded: at(state.tick),
    tick: state.tick,
    goals: (state.goals ?? []).map(({ created_at: timestamp_seeded, ...goal }) => ({
      ...goal,
      timestamp_seeded,
      ...(redacted ? { metadata: {} } : {}),
    })),
    WM: state.WM.map(shown),
    CWM: { ...state.CWM, items: state.CWM.items.map(shown) },
    attention: state.attention,
    resource_budget: state.resource_budget,
    recent_failures: (state.recent_failures ?? []).map(({ ts: timestamp_seeded, ...failure }) => ({
      ...failure,
      timestamp_seeded,
    })),
    constants: pick(resolveConstants(body).constants),
    config_hash: snapshot.config_hash,
    last_updated: newest?.metadata.recorded_at ?? null,
    redacted,
    erased,
  };
}

function fresh(body: BrainStateConstants): { readonly state: BrainState; readonly erased: false } {
  return { state: initialBrainState(body), erased: false };
}

/** Hides what is said; what kind it is, how old and how often referenced stays. */
function withoutStored(data: JsonObject): JsonObject {
  if (!Array.isArray(data['WM'])) return data;
  const hidden = (item: WorkingMemoryItem): WorkingMemoryItem => ({ ...item, value: HIDDEN });
  const { WM, CWM } = data as unknown as BrainState;
  return {
    ...data,
    WM: WM.map(hidden) as unknown as Json,
    CWM: { ...CWM, items: CWM.items.map(hidden) } as unknown as Json,
  };
}

function pick(constants: ResolvedConstants): ResolvedConstants {
  return Object.fromEntries(
    Object.keys(BRAINSTATE_DEFAULTS).map((name) => [name, constants[name as keyof ResolvedConstants]]),
  ) as unknown as ResolvedConstants;
}
