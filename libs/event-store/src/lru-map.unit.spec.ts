import fc from 'fast-check';

import { LruMap } from './lru-map.js';

describe('a map that forgets', () => {
  it('says what was set last or nothing, and always knows the last half capacity of keys used', () => {
    const key = fc.nat({ max: 12 });
    const op = fc.constantFrom('set' as const, 'get' as const, 'delete' as const);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 10 }),
        fc.array(fc.record({ op, key }), { maxLength: 200 }),
        (capacity, steps) => {
          const map = new LruMap<number, number>(capacity);
          const said = new Map<number, number>();
          let recent: number[] = [];
          for (const [i, { op, key }] of steps.entries()) {
            const isRecent = recent.slice(0, Math.floor(capacity / 2)).includes(key);
            recent = recent.filter((one) => one !== key);
            if (op === 'delete') {
              map.delete(key);
              said.delete(key);
              expect(map.get(key)).toBeUndefined();
              continue;
            }
            if (op === 'set') {
              map.set(key, i);
              said.set(key, i);
            } else {
              const found = map.get(key);
              if (isRecent || found !== undefined) expect(found).toBe(said.get(key));
              if (found === undefined) continue;
            }
            recent.unshift(key);
          }
        },
      ),
    );
  });

  it('forgets what was not used, and keeps what was, as more comes than it holds', () => {
    const map = new LruMap<number, number>(10);
    for (let i = 0; i < 100; i++) {
      map.set(i, i);
      expect(map.get(0)).toBe(0);
    }
    const kept = Array.from({ length: 100 }, (_, i) => 99 - i).filter((i) => map.get(i) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toEqual(expect.arrayContaining([99, 98]));
  });

  it('holds no more bytes than its capacity where entries have sizes, and never the older of two under a key', () => {
    const step = fc.record({ key: fc.nat({ max: 20 }), size: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const map = new LruMap<number, { readonly key: number; readonly size: number }>(100, ({ size }) => size);
        const newest = new Map<number, object>();
        for (const entry of steps) {
          map.set(entry.key, entry);
          newest.set(entry.key, entry);
          expect(map.get(entry.key)).toBe(entry.size > 50 ? undefined : entry);
        }
        const kept = [...newest.keys()].flatMap((key) => map.get(key) ?? []);
        for (const entry of kept) expect(entry).toBe(newest.get(entry.key));
        expect(kept.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(100);
      }),
    );
  });
});
