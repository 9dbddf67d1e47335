import { type EventStore, positionOf, type RecordedEvent, START } from '#lib/event-store';
import { type ReadStore } from '#lib/read-store';
import { asideMark } from './aside.js';
import { isOpen } from './domain/parking.js';
import { openRebuild } from './domain/rebuild.js';
import { liveGeneration, ownerSign } from './ownership.js';
import { type Projection } from './projection.js';
import { type ProjectionRecord } from './projection-record.js';
import {
  haltIn,
  type PersistedStatus,
  type ProjectionError,
  type ProjectionState,
  type RunnerStatus,
} from './status.js';

export interface ProjectionLag {
  /** Events beyond the checkpoint, of every type. */
  readonly events: number;
  /** There are more than that: where positions do not count events, no more are counted than this. */
  readonly at_least?: true;
  /** Age of the oldest event beyond the checkpoint; 0 where there is none. */
  readonly seconds: number;
}

export interface ProjectionListing {
  readonly name: string;
  /** The persisted checkpoint. */
  readonly position: string;
  readonly head: string;
  readonly lag: ProjectionLag;
  /** Its owner's, in whatever process that runs. */
  readonly state: ProjectionState;
  readonly error?: ProjectionError;
  /** How many parked events the documents are made without, each with what follows it in its partition. */
  readonly parked: number;
  /** The rebuild that runs beside it; null where none does. */
  readonly rebuilding: string | null;
  /** Present where another process owns it, and this one would take over. */
  readonly standby?: true;
}

export interface ListingOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  readonly record?: Pick<ProjectionRecord, 'of'>;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * How a projection stands, from what is persisted. `status` is its runner's where it runs in this process; without one,
 * and where it waits for another process, it is what its owner has said last.
 */
export async function listProjection(
  projection: Projection,
  options: ListingOptions,
  status?: RunnerStatus,
): Promise<ProjectionListing> {
  const { events, documents, record } = options;
  const generation = await liveGeneration(documents, projection);
  const position = positionOf((await documents.checkpoint(generation))?.position ?? START);
  const head = await events.head();
  const kept = await documents.runnerState(generation);
  const isOwner = status !== undefined && status.state !== 'standby';
  const { state, error } = isOwner ? status : await persisted(documents, projection);
  const shown = error ?? haltIn(kept)?.report;
  const rebuild = record ? openRebuild(await record.of(projection.name)) : null;
  return {
    name: projection.name,
    position,
    head,
    lag: await lagOf(options, position, head),
    state,
    ...(shown ? { error: shown } : {}),
    parked: asideMark(kept).asides.filter(isOpen).length,
    rebuilding: rebuild?.state === 'running' ? rebuild.rebuild_id : null,
    ...(status?.state === 'standby' ? { standby: true } : {}),
  };
}

async function persisted(documents: ReadStore, projection: Projection): Promise<PersistedStatus> {
  return (await ownerSign(documents, projection))?.status ?? { state: 'stopped' };
}

const MOST_COUNTED = 4096;

async function lagOf(
  { events, now = Date.now }: ListingOptions,
  position: string,
  head: string,
): Promise<ProjectionLag> {
  const after = positionOf(position);
  const { events: unread, atHead } = await events.readAll({ after, limit: events.count ? 1 : MOST_COUNTED });
  const seconds = ageOf(unread[0], now());
  // Where events can be counted, a position is their number up to it.
  if (events.count) return { events: Math.max(0, Number(BigInt(head) - BigInt(position))), seconds };
  return { events: unread.length, ...(atHead ? {} : { at_least: true }), seconds };
}

/** A clock that was put back makes nothing younger than it is. */
function ageOf(oldest: RecordedEvent | undefined, now: number): number {
  return oldest ? Math.max(0, (now - oldest.recordedAt) / 1000) : 0;
}
