import type { EventDefinition } from '#lib/kernel';

/** In `system-log`: every event before this one was copied from another store, with its id, its place and its bytes. */
export interface LogMigrated {
  readonly from: string;
  readonly to: string;
  /** How many events were copied. */
  readonly events: number;
  /** Merkle root over them, the same in both stores. */
  readonly root: string;
  /**
   * Positions are a store's own. Those that stand in events and are still decided by, as they were written, each with
   * where that event lies now.
   */
  readonly positions: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly migrated_at: string;
}

export const LOG_MIGRATED = 'LOG_MIGRATED';

export const migrationEvents: readonly EventDefinition[] = [
  { type: LOG_MIGRATED, version: 1, plain: ['from', 'to', 'events', 'root', 'positions', 'migrated_at'] },
];
