import { GrowingMap } from './growing-map.js';

/** Counts each entry that is looked at for copying. */
function filled(
  size: number,
  keyOf = (i: number): string => `k${i}`,
): { map: GrowingMap<string, number>; copied: number } {
  let copied = 0;
  let map = GrowingMap.empty<string, number>();
  for (let i = 0; i < size; i++) map = map.with(keyOf(i), i, () => (copied++, true));
  return { map, copied };
}

describe('a growing map', () => {
  test('holds what a map holds, in the order of its keys, the last value of each', () => {
    const keyOf = (i: number): string => `k${(i * 7919) % 257}`;
    const plain = new Map<string, number>();
    for (let i = 0; i < 1000; i++) plain.set(keyOf(i), i);
    const { map } = filled(1000, keyOf);
    expect([...map.entries()]).toEqual([...plain]);
    for (const [key, value] of plain) expect([map.has(key), map.get(key)]).toEqual([true, value]);
    expect([map.has('other'), map.get('other')]).toEqual([false, undefined]);
  });

  test('of 20,000 entries copies each a few times, with keys that differ and with keys that come again', () => {
    for (const keyOf of [undefined, (i: number): string => `k${i % 300}`, (): string => 'same']) {
      expect(filled(20_000, keyOf).copied).toBeLessThan(20_000 * 20);
    }
  });

  test('one made before does not learn what was set later', () => {
    const { map } = filled(10);
    const later = [map.with('a', 1), map.with('a', 2)];
    expect([map.get('a'), ...later.map((one) => one.get('a'))]).toEqual([undefined, 1, 2]);
    expect(map.entries().size).toBe(10);
  });

  test('what need not be kept falls out, so that the size is bounded by what is', () => {
    let map = GrowingMap.empty<string, number>();
    for (let i = 0; i < 10_000; i++) map = map.with(`k${i}`, i, (value) => value > i - 10 || value === 0);
    expect(map.get('k0')).toBe(0);
    expect(map.get('k9999')).toBe(9999);
    expect(map.entries().size).toBeLessThan(100);
  });
});
