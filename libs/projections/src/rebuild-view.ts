import { type EventStore, positionOf, START } from '#lib/event-store';
import { type ReadStore } from '#lib/read-store';
import { type ProjectionDecisions } from './domain/decisions.js';
import { liveName, rebuildOf, type RebuildState } from './domain/rebuild.js';
import { liveGeneration, type ProjectionVersion } from './ownership.js';
import { markOf } from './rebuild.js';

/** A rebuild as its operator sees it, from what is persisted: any process can say it, also after a kill. */
export interface RebuildView {
  readonly rebuild_id: string;
  readonly projection: string;
  /** Its name in the read store. */
  readonly generation: string;
  /** swapping and rolling_back: decided, and under way. */
  readonly state: RebuildState | 'swapping' | 'rolling_back';
  /** Positions passed and to be passed; where positions are dense, events of every type. */
  readonly processed: number;
  readonly total: number;
  /** Events that the projection read; null where its documents, beside which that is kept, were dropped. */
  readonly events: number | null;
  /** Positions a second, over the time in which it was worked on. */
  readonly rate: number;
  /** Null before anything can be said, and where it does not run. */
  readonly eta_seconds: number | null;
  /** Where both were compared; null before. */
  readonly position: string | null;
  readonly live_digest: string | null;
  readonly rebuilt_digest: string | null;
  /** Null where nothing was compared. */
  readonly equal: boolean | null;
  readonly begun_by: string;
  readonly reason: string | null;
  /** Why it failed or was cancelled. */
  readonly failure: string | null;
}

const GOING_ON: ReadonlySet<RebuildView['state']> = new Set(['running', 'swapping', 'rolling_back']);

/** Whether it will change by itself; what is ready, or over, changes by a command alone. */
export function goesOn({ state }: Pick<RebuildView, 'state'>): boolean {
  return GOING_ON.has(state);
}

/** @throws MaceError NOT_FOUND */
export async function rebuildView(
  projection: ProjectionVersion,
  decisions: ProjectionDecisions,
  rebuildId: string,
  { events: log, documents }: { readonly events: EventStore; readonly documents: ReadStore },
): Promise<RebuildView> {
  const facts = rebuildOf(decisions, rebuildId);
  const { rebuild_id, generation: name, begun_by, reason, position, live_digest, rebuilt_digest, failure } = facts;
  const generation = { projection: projection.name, name };
  const live = await liveGeneration(documents, projection);
  // In this order: batches are written meanwhile, and events that were read lie at or before the position told.
  const kept = await documents.runnerState(generation);
  const { events, active_ms } = markOf(kept);
  const reached = Number((await documents.checkpoint(generation))?.position ?? START);
  const isRunning = facts.state === 'running';
  const goal = isRunning ? await goalOf(log, (await documents.checkpoint(live))?.position) : position;
  const rate = active_ms > 0 ? Math.round((reached * 1000) / active_ms) : 0;
  const processed = isRunning || position === null ? reached : Number(position);
  const total = Math.max(processed, Number(goal ?? processed));
  return {
    rebuild_id,
    projection: projection.name,
    generation: name,
    state: live.name === liveName(decisions, projection.version) ? facts.state : underWay(facts.state),
    processed,
    total,
    events: isRunning || kept?.['events'] !== undefined ? events : null,
    rate: isRunning || facts.state === 'ready' ? rate : 0,
    eta_seconds: isRunning && rate > 0 ? Math.ceil((total - processed) / rate) : null,
    position,
    live_digest,
    rebuilt_digest,
    equal: live_digest === null ? null : live_digest === rebuilt_digest,
    begun_by,
    reason,
    failure,
  };
}

/** A live generation that is not there yet is made of the whole log. */
async function goalOf(log: EventStore, live: string | undefined): Promise<string> {
  return positionOf(live ?? (await log.head()));
}

function underWay(state: RebuildState): RebuildView['state'] {
  return state === 'swapped' ? 'swapping' : state === 'rolled_back' ? 'rolling_back' : state;
}
