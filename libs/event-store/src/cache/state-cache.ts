import type { StreamHead } from '../codec/codec.js';

/** The state of a stream after the event that `head` names; JSON, with personal fields as they are stored. */
export interface Folded<S> {
  readonly state: S;
  readonly head: StreamHead;
}

/**
 * Where folded states are kept so that streams need not be read again. What it answers is a hint: it is used only after
 * its version was confirmed as the stream's, so a cache may forget, and may never be a reason to answer something else.
 *
 * Bounded. An entry of an older version never takes the place of a newer one, whatever the order in which they come.
 */
export interface StateCache {
  /** A promise only where the answer does not lie in this process. */
  get(key: string): Folded<unknown> | undefined | Promise<Folded<unknown> | undefined>;
  /** @param entry is not changed after */
  put(key: string, entry: Folded<unknown>): void | Promise<void>;
  /** Nothing is kept any more of what was put before. */
  purge(): void | Promise<void>;
  /** How long an entry is kept at most, ms; absent where it may be kept for ever. */
  readonly leaseMs?: number;
  /** Whether an entry can be put and had back; absent where there is nothing to be asked. @throws where it cannot */
  probe?(): Promise<void>;
}
