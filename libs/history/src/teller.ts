import type { LoggedEvent } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import type { HistoryKind } from './kinds.js';

/** How the streams of one kind are told as a state, at any point of their history. */
export interface Teller {
  /** What a person calls it: memory, module, policy, ... */
  readonly kind: HistoryKind;
  /** Streams whose names begin so are of this kind. */
  readonly prefix: string;
  /**
   * The state after these events, in order and with personal fields as stored; null where there is nothing, or nothing
   * any more.
   */
  tell(events: readonly LoggedEvent[]): JsonObject | null | Promise<JsonObject | null>;
}

/** For streams of which nobody made a state: how many events they hold, and the newest. */
export function countOf(events: readonly LoggedEvent[]): JsonObject | null {
  const newest = events.at(-1);
  return newest ? { events: events.length, newest: newest.type } : null;
}

/** What a stream's name begins with, such as `job`. */
export function kindOf(stream: string): string {
  return /^[a-z]+/.exec(stream)?.[0] ?? stream;
}
