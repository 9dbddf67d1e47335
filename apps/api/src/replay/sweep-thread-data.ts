import type { KeyObject } from 'node:crypto';

import type { RingKey } from '#lib/kernel';
import type { SweptCheckpoint } from '#lib/replay';

/** What a thread that replays jobs is started with. */
export interface SweepThreadData {
  /** Path of the data folder. */
  readonly folder: string;
  /** Gives way to whoever else works. */
  readonly background: boolean;
}

/** What such a thread is told of a sweep that it takes part in. */
export interface SweepTask {
  /** Keys that verify events and snapshots; with their secrets, within one process. */
  readonly ring: readonly RingKey[];
  /** Null where the jobs' records are held to no tree. */
  readonly checkpoint: SweptCheckpoint | null;
}

/** What such a thread asks of the one that owns the folder, by name. */
export interface SweepOwner {
  keys(kids: readonly string[]): Promise<ReadonlyMap<string, KeyObject | 'destroyed'>>;
  /** How far jobs' wishes for a review were brought; null where nobody can tell. */
  broughtTo(): Promise<string | null>;
}
