import { describeStateCacheContract } from '../testing/state-cache.contract.js';
import { MemoryStateCache } from './memory-state-cache.js';
import type { Folded } from './state-cache.js';

/** What an entry of the contract takes. */
const ENTRY_BYTES = 650;

describeStateCacheContract('the cache in memory', (capacity) => ({
  cache: new MemoryStateCache(capacity * ENTRY_BYTES),
  dispose: () => undefined,
}));

const MIB = 1024 * 1024;

function stateOf(version: number, ...texts: string[]): Folded<readonly string[]> {
  return { state: texts, head: { stream: 'a', version, lastHash: 'ab'.repeat(32) } };
}

describe('the cache in memory is bounded by bytes', () => {
  it('keeps as many large states as there is room for, and far more small ones', () => {
    const kept = (size: number): number => {
      const cache = new MemoryStateCache(MIB);
      const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}`);
      for (const key of keys) cache.put(key, stateOf(1, 'x'.repeat(size)));
      return keys.filter((key) => cache.get(key) !== undefined).length;
    };
    expect(kept(16_384) * 16_384).toBeLessThanOrEqual(MIB);
    expect(kept(16_384)).toBeGreaterThanOrEqual(15);
    expect(kept(16)).toBeGreaterThan(500);
  });

  it('forgets others as a state grows, event by event', () => {
    const cache = new MemoryStateCache(MIB);
    cache.put('small', stateOf(1, 'x'));
    const texts: string[] = [];
    for (let version = 1; texts.length * 2048 < MIB / 4; version++) {
      texts.push('x'.repeat(1024));
      cache.put('grown', stateOf(version, ...texts), 4096);
      cache.put('other', stateOf(version, 'x'.repeat(MIB / 8)), MIB);
    }
    expect(cache.get('grown')?.head.version).toBe(texts.length);
    expect(cache.get('small')).toBeUndefined();
  });

  it('keeps nothing of a state that would take the place of all others, nor the older one in its stead', () => {
    const cache = new MemoryStateCache(MIB);
    cache.put('a', stateOf(1, 'x'));
    cache.put('a', stateOf(2, 'x'.repeat(MIB)));
    expect(cache.get('a')).toBeUndefined();
  });
});
