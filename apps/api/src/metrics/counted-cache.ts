import { types } from 'node:util';

import type { StateCache } from '#lib/event-store';

import type { Tally } from './tally.js';

/** The same cache; what is read from it is counted as hit, miss or error. */
export function countReads(cache: StateCache, reads: Tally): StateCache {
  const read = <T>(entry: T): T => {
    reads.count(entry === undefined ? 'miss' : 'hit');
    return entry;
  };
  const failed = (error: unknown): never => {
    reads.count('error');
    throw error;
  };
  return {
    ...(cache.leaseMs === undefined ? {} : { leaseMs: cache.leaseMs }),
    ...(cache.probe && { probe: () => cache.probe!() }),
    get: (key) => {
      let answer: ReturnType<StateCache['get']>;
      try {
        answer = cache.get(key);
      } catch (error) {
        return failed(error);
      }
      return types.isPromise(answer) ? answer.then(read, failed) : read(answer);
    },
    put: (key, entry) => cache.put(key, entry),
    purge: () => cache.purge(),
  };
}
