import type { LoggedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

/** A signed, content-addressed snapshot as BrainState needs it; kept by governance. */
export interface StoredSnapshot {
  readonly snapshot_id: string;
  readonly kind: string;
  readonly config_hash: string;
  readonly body: JsonObject;
}

export interface SnapshotStore {
  ensure(kind: 'brainstate', body: JsonObject): Promise<StoredSnapshot>;
  /** @throws MaceError MISSING_SNAPSHOT */
  load(id: string): Promise<StoredSnapshot>;
}

/** Finds decisions of councils and feedback by their ids, wherever they stand. */
export interface SignedEvents {
  /** The event in plain, its signature and its place in the chain verified; null where there is none. */
  find(eventId: string): Promise<LoggedEvent | null>;
}
