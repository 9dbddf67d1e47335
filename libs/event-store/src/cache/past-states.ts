import { LruMap } from '../lru-map.js';
import { comparePositions, type Position } from '../port.js';
import { sizeOf } from './size-of.js';
import type { Folded } from './state-cache.js';

interface PastState extends Folded<unknown> {
  /** Of the event after which the state was so. */
  readonly position: Position;
}

interface Past {
  /** A state is kept after so many events each. */
  readonly every: number;
  /** The oldest first. */
  readonly states: readonly (PastState & { readonly bytes: number })[];
}

const EVERY = 256;
/** So many states are kept of a stream; where there would be more, every other one is forgotten. */
const MOST_STATES = 32;

/**
 * States that streams had on the way, so that what stood at some position is folded from near there and not from the
 * stream's beginning. The least used streams are forgotten.
 */
export class PastStates {
  private streams: LruMap<string, Past>;

  /** @param capacity bytes that the states take together, about and at most */
  constructor(private readonly capacity: number) {
    this.streams = this.empty();
  }

  /** Whether the state after so many events may be kept. */
  static isKept(version: number): boolean {
    return version % EVERY === 0;
  }

  /** The newest state that is kept of those up to a position. */
  upTo(key: string, limit: Position): Folded<unknown> | undefined {
    return this.streams.get(key)?.states.findLast(({ position }) => comparePositions(position, limit) <= 0);
  }

  /** Takes the states of a stream in the order in which it had them, and keeps some of them. */
  offer(key: string, state: PastState): void {
    const { every, states } = this.streams.get(key) ?? { every: EVERY, states: [] };
    if (state.head.version % every !== 0 || state.head.version <= (states.at(-1)?.head.version ?? 0)) return;
    const more = [...states, { ...state, bytes: sizeOf(state) }];
    const isFull = more.length > MOST_STATES;
    const sparse = more.filter(({ head }) => head.version % (2 * every) === 0);
    this.streams.set(key, isFull ? { every: 2 * every, states: sparse } : { every, states: more });
  }

  purge(): void {
    this.streams = this.empty();
  }

  private empty(): LruMap<string, Past> {
    return new LruMap(this.capacity, ({ states }) => states.reduce((sum, { bytes }) => sum + bytes, 0));
  }
}
