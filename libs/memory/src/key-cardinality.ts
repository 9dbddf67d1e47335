import { setImmediate as nextTurn } from 'node:timers/promises';

import { liveGeneration } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { type Scope, SCOPES } from './domain/canonical-key.js';
import { SEM_COLLECTION, semProjection } from './read-models/sem.projection.js';

export type KeyCounts = Readonly<Record<Scope, number>>;

/** Read in about a millisecond. */
const PAGE = 200;
/** Between two counts at least; and so many times as long as one takes, so that counting takes half a per cent of the time. */
const REST_MS = 60_000;
const REST_TIMES = 200;

/**
 * How many keys of each scope hold a value (seed 001, SEM section 11: "Monitor key cardinality"), as far as the read model
 * is. A count goes over the read model a page at a time behind whoever asks; between two counts the last one is told.
 */
export class KeyCardinality {
  private last: KeyCounts | undefined;
  private counting: Promise<KeyCounts> | undefined;
  private dueAt = 0;

  constructor(
    private readonly store: Pick<ReadStore, 'find' | 'runnerState'>,
    /** Milliseconds, monotonic. */
    private readonly clock: () => number,
  ) {}

  /**
   * The last count; begins another where that is older than it may be. Only the first is waited for, and one after a count
   * that failed.
   * @throws what the store throws
   */
  async latest(): Promise<KeyCounts> {
    if (!this.counting && (!this.last || this.clock() >= this.dueAt)) this.begin();
    return this.last ?? this.counting!;
  }

  private begin(): void {
    const began = this.clock();
    this.counting = this.count().finally(() => {
      this.counting = undefined;
      this.dueAt = this.clock() + Math.max(REST_MS, REST_TIMES * (this.clock() - began));
    });
    // Whoever waits is told of a fault; of what nobody waits for the next who asks is, by a count of their own.
    this.counting.then(
      (counts) => (this.last = counts),
      () => (this.last = undefined),
    );
  }

  private async count(): Promise<KeyCounts> {
    const generation = await liveGeneration(this.store, semProjection);
    const counts = Object.fromEntries(SCOPES.map((scope) => [scope, 0])) as Record<Scope, number>;
    for (const scope of SCOPES) {
      for (let cursor: string | null | undefined; cursor !== null; await nextTurn()) {
        const { documents, next }: Awaited<ReturnType<ReadStore['find']>> = await this.store.find(
          generation,
          SEM_COLLECTION.name,
          {
            where: [
              { field: 'scope', equals: scope },
              { field: 'deleted', equals: false },
            ],
            limit: PAGE,
            ...(cursor === undefined ? {} : { cursor }),
          },
        );
        counts[scope] += documents.length;
        cursor = next;
      }
    }
    return counts;
  }
}
