import fc from 'fast-check';

import type { Folded, StateCache } from '../cache/state-cache.js';

export interface OpenCache {
  readonly cache: StateCache;
  readonly dispose: () => Promise<void> | void;
}

/** What every cache of states keeps to; `capacity` entries fit into the one that is opened. */
export function describeStateCacheContract(name: string, open: (capacity: number) => Promise<OpenCache> | OpenCache) {
  const withCache = async (capacity: number, use: (cache: StateCache) => Promise<void>): Promise<void> => {
    const { cache, dispose } = await open(capacity);
    try {
      await use(cache);
    } finally {
      await dispose();
    }
  };

  describe(`${name} keeps the contract of caches`, () => {
    it('knows nothing that was not put', () =>
      withCache(10, async (cache) => expect(await cache.get('a')).toBeUndefined()));

    it('gives back what was put, by key', () =>
      withCache(10, async (cache) => {
        await cache.put('a', entry('a', 1));
        await cache.put('b', entry('b', 7));
        expect(await cache.get('a')).toEqual(entry('a', 1));
        expect(await cache.get('b')).toEqual(entry('b', 7));
      }));

    it('holds personal fields as they were put: encrypted, byte for byte', () =>
      withCache(10, async (cache) => {
        const value = { $enc: { kid: 'user_tuff.1', data: 'q83vEjRWeJA=' } };
        await cache.put('a', { ...entry('a', 1), state: { current: { value } } });
        expect((await cache.get('a'))!.state).toEqual({ current: { value } });
      }));

    it('never lets an older version take the place of a newer one, whatever the order of the puts', () =>
      fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 }), (versions) =>
          withCache(10, async (cache) => {
            await Promise.all(versions.map(async (version) => cache.put('a', entry('a', version))));
            expect((await cache.get('a'))!.head.version).toBe(Math.max(...versions));
          }),
        ),
        { numRuns: 25 },
      ));

    it('forgets everything when it is told to, and keeps what is put after', () =>
      withCache(10, async (cache) => {
        for (const key of ['a', 'b', 'c']) await cache.put(key, entry(key, 5));
        await cache.purge();
        for (const key of ['a', 'b', 'c']) expect(await cache.get(key)).toBeUndefined();
        await cache.put('a', entry('a', 1));
        expect(await cache.get('a')).toEqual(entry('a', 1));
      }));

    it('is bounded: what was used last is there, and no more than its capacity', () =>
      withCache(10, async (cache) => {
        for (let i = 0; i < 100; i++) await cache.put(`k${i}`, entry(`k${i}`, 1));
        const kept: number[] = [];
        for (let i = 0; i < 100; i++) if (await cache.get(`k${i}`)) kept.push(i);
        expect(kept.length).toBeLessThanOrEqual(10);
        expect(kept).toContain(99);
      }));
  });
}

function entry(stream: string, version: number): Folded<unknown> {
  return { state: { at: version }, head: { stream, version, lastHash: 'ab'.repeat(32) } };
}
