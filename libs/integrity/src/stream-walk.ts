import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, type RecordedEvent, StoreUnavailableError } from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

import type { KeySource } from './range/log-references.js';
import type { RangeRead } from './range/read-range.js';
import type { Range } from './range/range-report.js';
import { RangeVerifier } from './range/range-verifier.js';
import type { IntegrityRules } from './range/rules.js';
import type { ChainEnd } from './walk/chain-ends.js';
import { walk, type WalkHost } from './walk/walk.js';
import type { WalkState } from './walk/walk-state.js';

export interface StreamWalkOptions {
  readonly store: EventStore;
  readonly rules: IntegrityRules;
  readonly ring: KeyRing;
  readonly keys: KeySource;
  readonly host: WalkHost;
  readonly signal: AbortSignal;
}

/** Events that are checked in one turn: about ten milliseconds in which nobody else is answered. */
const PART = 256;

/** The same walk over the events of one stream, in this thread: its place is counted in events. */
export function walkStream(stream: string, begin: WalkState, options: StreamWalkOptions): Promise<WalkState> {
  const { store, ring, keys, host, signal } = options;
  // What lies between a stream's events is other streams'.
  const rules = { ...options.rules, dense: false };
  const verifier = new RangeVerifier(rules, ring, keys);
  const ends = new Map<string, ChainEnd>();
  return walk(begin, {
    rules,
    rangeSize: PART,
    workers: [
      {
        depth: 1,
        verify: async (range) => {
          await nextTurn();
          return verifier.verify(range, (part) => readPart(store, stream, part));
        },
      },
    ],
    place: {
      get: (name) => ends.get(name),
      set: (name, end) => void ends.set(name, end),
      checkpoint: () => undefined,
    },
    host,
    signal,
  });
}

async function readPart(store: EventStore, stream: string, range: Range): Promise<RangeRead> {
  const { after, to } = range;
  const read = async (from: number, limit: number): Promise<readonly RecordedEvent[]> =>
    (await store.readStream(stream, { from, limit })).events.filter(({ revision }) => revision < to);
  try {
    return { range, events: await read(after, to - after), unreadable: [] };
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return { range, events: [], unreadable: [{ ...range, reason: error.reason }] };
  }
}
