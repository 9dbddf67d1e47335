import { type AskedBody, type DomainEvent, MaceError, refuseOtherBody } from '#lib/kernel';

import { type DecisionEvent } from './decision-event.js';
import {
  type GenerationChanged,
  generationChanged,
  REBUILD_BEGUN,
  REBUILD_ENDED,
  type RebuildBegun,
  rebuildBegun,
  type RebuildEnded,
  rebuildEnded,
  type RebuildOutcome,
  ROLLED_BACK,
  SWAPPED,
} from './rebuild.events.js';

export type RebuildState = 'running' | RebuildOutcome | 'swapped' | 'rolled_back';

/** A rebuild as it was decided on; how far it is stands beside its documents. */
export interface RebuildFacts {
  readonly rebuild_id: string;
  readonly generation: string;
  readonly state: RebuildState;
  readonly begun_by: string;
  readonly request_digest: string | null;
  readonly reason: string | null;
  readonly position: string | null;
  readonly live_digest: string | null;
  readonly rebuilt_digest: string | null;
  readonly failure: string | null;
}

/** What `projection-{name}` says about generations. */
export interface RebuildDecisions {
  /** Newest last; those that ended long ago are left to the log. */
  readonly rebuilds: readonly RebuildFacts[];
  /** The generation that queries are answered from; null for the first of the program's version. */
  readonly live: string | null;
  /** The one before it, kept for a rollback. */
  readonly previous: string | null;
}

export const NO_REBUILDS: RebuildDecisions = { rebuilds: [], live: null, previous: null };
const KEPT = 50;

/** The name of a version's first generation. */
export function firstName(version: number): string {
  return `v${version}`;
}

export function rebuiltName(version: number, rebuildId: string): string {
  return `${firstName(version)}_${rebuildId.replace(/^rb-/, '').slice(0, 16)}`;
}

/** Whether a generation was made by a version of the program. */
export function isOfVersion(name: string, version: number): boolean {
  return name === firstName(version) || name.startsWith(`${firstName(version)}_`);
}

/** The generation that queries of a version are to be answered from. */
export function liveName({ live }: RebuildDecisions, version: number): string {
  return live !== null && isOfVersion(live, version) ? live : firstName(version);
}

/** The rebuild that is not over: none other begins beside it. */
export function openRebuild({ rebuilds }: RebuildDecisions): RebuildFacts | null {
  const last = rebuilds.at(-1);
  return last && (last.state === 'running' || last.state === 'ready') ? last : null;
}

/** Generations that are of use: every other one of the version may go. */
export function generationsInUse(decisions: RebuildDecisions, version: number): ReadonlySet<string> {
  const names = [liveName(decisions, version), decisions.previous, openRebuild(decisions)?.generation];
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

export function evolveRebuilds(state: RebuildDecisions, event: DecisionEvent): RebuildDecisions {
  switch (event.type) {
    case REBUILD_BEGUN:
      return { ...state, rebuilds: [...state.rebuilds, begun(event)].slice(-KEPT) };
    case REBUILD_ENDED: {
      const { rebuild_id, outcome, position, live_digest, rebuilt_digest, reason } =
        event.data as unknown as RebuildEnded;
      if (outcome !== 'ready') return changed(state, rebuild_id, { state: outcome, failure: reason });
      return changed(state, rebuild_id, { state: outcome, position, live_digest, rebuilt_digest });
    }
    case SWAPPED:
    case ROLLED_BACK: {
      const { rebuild_id, from_generation, to_generation } = event.data as unknown as GenerationChanged;
      const outcome = event.type === SWAPPED ? 'swapped' : 'rolled_back';
      return {
        ...changed(state, rebuild_id, { state: outcome }),
        live: to_generation,
        previous: from_generation,
      };
    }
    default:
      return state;
  }
}

/** @throws MaceError CONFLICT where one runs, or waits to be swapped; IDEMPOTENCY_KEY_REUSED */
export function beginRebuild(state: RebuildDecisions, order: RebuildBegun, asked: AskedBody): readonly DomainEvent[] {
  const known = state.rebuilds.find(({ rebuild_id }) => rebuild_id === order.rebuild_id);
  if (known) {
    refuseOtherBody(known.request_digest, asked);
    return [];
  }
  const open = openRebuild(state);
  if (open) throw conflict(open, open.state === 'ready' ? 'swap or cancel it first' : 'wait for it or cancel it');
  return [rebuildBegun(order)];
}

/** What came of a rebuild; nothing where it is over already. */
export function endRebuild(state: RebuildDecisions, ended: RebuildEnded): readonly DomainEvent[] {
  return rebuildOf(state, ended.rebuild_id).state === 'running' ? [rebuildEnded(ended)] : [];
}

/** @throws MaceError NOT_FOUND; CONFLICT where it neither runs nor waits to be swapped */
export function cancelRebuild(
  state: RebuildDecisions,
  { projection, rebuild_id, reason }: Pick<RebuildEnded, 'projection' | 'rebuild_id' | 'reason'>,
): readonly DomainEvent[] {
  const rebuild = rebuildOf(state, rebuild_id);
  if (rebuild.state === 'cancelled') return [];
  if (rebuild.state !== 'running' && rebuild.state !== 'ready')
    throw conflict(rebuild, 'what runs or is ready can be cancelled');
  const nothing = { position: null, live_digest: null, rebuilt_digest: null };
  return [rebuildEnded({ projection, rebuild_id, outcome: 'cancelled', ...nothing, reason })];
}

interface ChangeOrder {
  readonly projection: string;
  readonly rebuild_id: string;
  readonly version: number;
  readonly reason: string | null;
}

/** Also again after a rollback, while the generation is kept. @throws MaceError NOT_FOUND, CONFLICT */
export function swap(state: RebuildDecisions, order: ChangeOrder): readonly DomainEvent[] {
  const rebuild = rebuildOf(state, order.rebuild_id);
  const live = liveName(state, order.version);
  if (rebuild.generation === live) return [];
  const isKept =
    rebuild.state === 'ready' || (rebuild.state === 'rolled_back' && state.previous === rebuild.generation);
  if (!isKept) throw conflict(rebuild, 'what is ready can be swapped');
  if (!isOfVersion(rebuild.generation, order.version))
    throw conflict(rebuild, 'it is of another version of the program; cancel it');
  return [changedEvent(SWAPPED, order, live, rebuild.generation)];
}

/** @throws MaceError NOT_FOUND; CONFLICT where it is not live, or the one before it is not kept any more */
export function rollBack(state: RebuildDecisions, order: ChangeOrder): readonly DomainEvent[] {
  const rebuild = rebuildOf(state, order.rebuild_id);
  if (rebuild.state === 'rolled_back') return [];
  const live = liveName(state, order.version);
  if (rebuild.state !== 'swapped' || live !== rebuild.generation || state.previous === null)
    throw conflict(rebuild, 'what was swapped last can be rolled back');
  return [changedEvent(ROLLED_BACK, order, live, state.previous)];
}

/** @throws MaceError NOT_FOUND */
export function rebuildOf(state: RebuildDecisions, rebuildId: string): RebuildFacts {
  const found = state.rebuilds.find(({ rebuild_id }) => rebuild_id === rebuildId);
  if (!found) throw new MaceError('NOT_FOUND', `no rebuild ${rebuildId.slice(0, 60)}`);
  return found;
}

function changedEvent(
  type: typeof SWAPPED | typeof ROLLED_BACK,
  { projection, rebuild_id, reason }: ChangeOrder,
  from_generation: string,
  to_generation: string,
): DomainEvent {
  return generationChanged(type, { projection, rebuild_id, from_generation, to_generation, reason });
}

function begun({ data, metadata }: DecisionEvent): RebuildFacts {
  const { rebuild_id, generation, reason } = data as unknown as RebuildBegun;
  return {
    rebuild_id,
    generation,
    state: 'running',
    begun_by: metadata.actor.id,
    request_digest: metadata.request_digest ?? null,
    reason,
    position: null,
    live_digest: null,
    rebuilt_digest: null,
    failure: null,
  };
}

function changed(state: RebuildDecisions, rebuildId: string, change: Partial<RebuildFacts>): RebuildDecisions {
  return {
    ...state,
    rebuilds: state.rebuilds.map((one) => (one.rebuild_id === rebuildId ? { ...one, ...change } : one)),
  };
}

function conflict({ rebuild_id, state }: RebuildFacts, allowed: string): MaceError {
  return new MaceError('CONFLICT', `rebuild ${rebuild_id} is ${state}; ${allowed}`, { rebuild_id, state });
}
