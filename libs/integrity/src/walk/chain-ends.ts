import { GENESIS_HASH } from '#lib/kernel';

/** How far a stream was walked. */
export interface ChainEnd {
  /** Number of events. */
  readonly version: number;
  /** Hash of the last; null where that one has a fault. */
  readonly hash: string | null;
  /** When the last that has a signed time was recorded, milliseconds since the Unix epoch; null where none has. */
  readonly recordedAt: number | null;
}

export const NO_EVENTS: ChainEnd = { version: 0, hash: GENESIS_HASH, recordedAt: null };

/** Where each stream ended at the position that the walk has come to. */
export interface ChainEnds {
  /** Undefined for a stream of which nothing was walked. */
  get(stream: string): ChainEnd | undefined;
  set(stream: string, end: ChainEnd): void;
}
