import { GuardedStateCache } from './guarded-state-cache.js';
import { MemoryStateCache } from './memory-state-cache.js';
import type { Folded, StateCache } from './state-cache.js';

const ENTRY: Folded<unknown> = { state: { at: 1 }, head: { stream: 's', version: 1, lastHash: 'ab'.repeat(32) } };

/** A cache that answers as the test says, behind a guard whose clock the test moves. */
function guarded(answer: (call: number) => ReturnType<StateCache['get']>) {
  let calls = 0;
  let now = 0;
  const told: string[] = [];
  const inner: StateCache = { get: () => answer(++calls), put: () => Promise.reject(new Error('gone')) };
  const watch = { down: (fault: string) => void told.push(`down: ${fault}`), up: () => void told.push('up') };
  const cache = new GuardedStateCache(inner, { watch, timeoutMs: 5, pauseMs: 1000, now: () => now });
  return { cache, told, calls: () => calls, pass: (ms: number) => (now += ms) };
}

describe('a guarded cache', () => {
  it('hands on what the cache knows', async () => {
    const inner = new MemoryStateCache(2);
    const watch = { down: jest.fn(), up: jest.fn() };
    const cache = new GuardedStateCache(inner, { watch });
    cache.put('k', ENTRY);
    expect(await cache.get('k', 's')).toBe(ENTRY);
    expect(watch.down).not.toHaveBeenCalled();
  });

  it.each<[string, () => ReturnType<StateCache['get']>, string]>([
    ['fails', () => Promise.reject(new RangeError('no')), 'RangeError'],
    [
      'throws',
      () => {
        throw new TypeError('no');
      },
      'TypeError',
    ],
    ['does not answer', () => new Promise(() => undefined), 'CacheTimeoutError'],
    ['answers nonsense', () => 'OK' as never, 'CacheEntryError'],
    ['answers with another stream', () => ({ ...ENTRY, head: { ...ENTRY.head, stream: 't' } }), 'CacheEntryError'],
    ['answers without a hash', () => ({ ...ENTRY, head: { ...ENTRY.head, lastHash: '' } }), 'CacheEntryError'],
  ])('that %s is a miss, told once, and left alone for a while', async (_, answer, fault) => {
    const { cache, told, calls, pass } = guarded(answer);
    for (let i = 0; i < 5; i++) expect(await cache.get('k', 's')).toBeUndefined();
    expect(calls()).toBe(1);
    pass(1000);
    expect(await cache.get('k', 's')).toBeUndefined();
    expect(calls()).toBe(2);
    expect(told).toEqual([`down: ${fault}`]);
  });

  it('that answers again is told once, and is down again at the next fault', async () => {
    const { cache, told, pass } = guarded((call) =>
      call === 2 ? Promise.resolve(ENTRY) : Promise.reject(new Error('gone')),
    );
    await cache.get('k', 's');
    pass(1000);
    expect(await cache.get('k', 's')).toBe(ENTRY);
    await cache.get('k', 's');
    expect(told).toEqual(['down: Error', 'up', 'down: Error']);
  });

  it('whose write fails says so, and nobody waits for it', async () => {
    const { cache, told } = guarded(() => undefined);
    expect(cache.put('k', ENTRY)).toBeUndefined();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['down: Error']);
  });
});
