import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, type Position, type RecordedEvent, START } from '#lib/event-store';

import type { RangeRead } from './range/read-range.js';
import type { Range } from './range/range-report.js';
import { RangeVerifier } from './range/range-verifier.js';
import type { StreamWalkOptions } from './stream-walk.js';
import { walk } from './walk/walk.js';
import { WalkFile } from './walk/walk-file.js';
import type { WalkState } from './walk/walk-state.js';

export interface LogWalkOptions extends StreamWalkOptions {
  /** Path of the data folder, where the walk keeps its place. */
  readonly folder: string;
  /** Goes on with the walk that was left, where there is one. */
  readonly resume: boolean;
  readonly maxRate: number | null;
}

/** Most events that one reading asks for. */
const PAGE = 1024;

/**
 * The same walk over a log that no other thread can read beside its owner, in this thread and over the port: places are
 * counted in events, whatever positions the store gives them.
 */
export async function walkLog(begin: WalkState, options: LogWalkOptions): Promise<WalkState> {
  const { store, ring, keys, host, signal, folder, maxRate } = options;
  // Between two positions lies what the store keeps for itself.
  const rules = { ...options.rules, dense: false };
  const verifier = new RangeVerifier(rules, ring, keys);
  const place = new WalkFile(folder, ring);
  try {
    const left = options.resume ? place.resume() : null;
    if (left) host.onFaults(left.faults);
    else place.begin();
    const from = left?.state ?? begin;
    host.onProgress(from);
    const cursor = new Cursor(store);
    const read = async (part: Range): Promise<RangeRead> => {
      await nextTurn();
      return { range: part, events: await cursor.read(part), unreadable: [] };
    };
    const workers = [{ depth: 1, verify: (range: Range) => verifier.verify(range, read) }];
    return await walk(from, { rules, workers, place, host, signal, ...(maxRate === null ? {} : { maxRate }) });
  } finally {
    place.close();
  }
}

/** How many events a log holds, by reading it. */
export async function countEvents(store: EventStore): Promise<number> {
  let count = 0;
  for (let after = START; ;) {
    const page = await store.readAll({ after, limit: PAGE });
    count += page.events.length;
    if (page.atHead) return count;
    after = page.scannedTo;
  }
}

/** Reads the log by the number of an event, from one place to the next. */
class Cursor {
  private passed = 0;
  private at: Position = START;

  constructor(private readonly store: EventStore) {}

  /** Events number `after` + 1 to `to`; fewer where the log ends before. */
  async read({ after, to }: Range): Promise<readonly RecordedEvent[]> {
    if (after < this.passed) [this.passed, this.at] = [0, START];
    // A walk that goes on counts its way to where it was left.
    if (after > this.passed) await this.take(after - this.passed);
    return this.take(to - after);
  }

  private async take(count: number): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    while (events.length < count) {
      const page = await this.store.readAll({ after: this.at, limit: Math.min(PAGE, count - events.length) });
      events.push(...page.events);
      this.passed += page.events.length;
      this.at = page.scannedTo;
      if (page.atHead) break;
    }
    return events;
  }
}
