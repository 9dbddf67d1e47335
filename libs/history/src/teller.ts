import type { Fold } from '#lib/event-store';
import type { JsonObject } from '#lib/kernel';

import type { HistoryKind } from './kinds.js';

/** How the streams of one kind are told as a state, at any point of their history. */
export interface Teller<S = unknown> {
  /** What a person calls it: memory, module, policy, ... */
  readonly kind: HistoryKind;
  /** Streams whose names begin so are of this kind. */
  readonly prefix: string;
  /** Personal fields as stored. */
  readonly fold: Fold<S>;
  /** Null where there is nothing, or nothing any more. */
  tell(state: S): JsonObject | null | Promise<JsonObject | null>;
}

interface Counted {
  readonly events: number;
  readonly newest: string | null;
}

/** For streams of which nobody made a state: how many events they hold, and the newest. */
export const COUNTED: Pick<Teller<Counted>, 'fold' | 'tell'> = {
  fold: {
    name: 'counted-events',
    initial: { events: 0, newest: null },
    evolve: ({ events }, { type }) => ({ events: events + 1, newest: type }),
  },
  tell: ({ events, newest }) => (events === 0 ? null : { events, newest }),
};

/** What a stream's name begins with, such as `job`. */
export function kindOf(stream: string): string {
  return /^[a-z]+/.exec(stream)?.[0] ?? stream;
}
