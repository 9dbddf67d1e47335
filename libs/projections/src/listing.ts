import { type EventStore, positionOf, START } from '#lib/event-store';
import { type ReadStore } from '#lib/read-store';
import { liveGeneration } from './ownership.js';
import { type Projection } from './projection.js';
import { haltReason, type ProjectionError, type ProjectionState, type RunnerStatus } from './status.js';

export interface ProjectionLag {
  /** Head minus checkpoint; absent where the store's positions do not count events. */
  readonly events?: number;
  /** Age of the oldest event beyond the checkpoint; 0 where there is none. */
  readonly seconds: number;
}

export interface ProjectionListing {
  readonly name: string;
  /** The persisted checkpoint. */
  readonly position: string;
  readonly head: string;
  readonly lag: ProjectionLag;
  readonly state: ProjectionState;
  readonly error?: ProjectionError;
}

export interface ListingOptions {
  readonly events: EventStore;
  readonly documents: ReadStore;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/**
 * How a projection stands, from what is persisted. `status` is its runner's where it runs in this process; without one
 * it is halted or stopped.
 */
export async function listProjection(
  projection: Projection,
  options: ListingOptions,
  status?: RunnerStatus,
): Promise<ProjectionListing> {
  const { events, documents } = options;
  const generation = await liveGeneration(documents, projection);
  const checkpoint = await documents.checkpoint(generation);
  const position = positionOf(checkpoint?.position ?? START);
  const head = await events.head();
  const halt = haltReason(await documents.runnerState(generation));
  // Where events can be counted, a position is their number up to it.
  const lag = events.count ? { events: Math.max(0, Number(BigInt(head) - BigInt(position))) } : {};
  const error = status?.error ?? halt;
  return {
    name: projection.name,
    position,
    head,
    lag: { ...lag, seconds: await secondsBehind(options, position) },
    state: status?.state ?? (halt ? 'halted' : 'stopped'),
    ...(error ? { error } : {}),
  };
}

async function secondsBehind({ events, now = Date.now }: ListingOptions, position: string): Promise<number> {
  const { events: unread } = await events.readAll({ after: positionOf(position), limit: 1 });
  const oldest = unread[0];
  return oldest ? Math.max(0, (now() - oldest.recordedAt) / 1000) : 0;
}
