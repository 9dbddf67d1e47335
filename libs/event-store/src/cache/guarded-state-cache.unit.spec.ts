import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

import { GuardedStateCache } from './guarded-state-cache.js';
import { MemoryStateCache } from './memory-state-cache.js';
import type { Folded, StateCache } from './state-cache.js';

const ENTRY: Folded<unknown> = { state: { at: 1 }, head: { stream: 's', version: 1, lastHash: 'ab'.repeat(32) } };

/** A cache that answers as the test says, behind a guard whose clock the test moves. */
function guarded(answer: (call: number) => ReturnType<StateCache['get']>) {
  let calls = 0;
  let now = 0;
  const told: string[] = [];
  const inner: StateCache = {
    get: () => answer(++calls),
    put: () => Promise.reject(new Error('gone')),
    purge: () => undefined,
  };
  const watch = { down: (fault: string) => void told.push(`down: ${fault}`), up: () => void told.push('up') };
  const cache = new GuardedStateCache(inner, { watch, timeoutMs: 5, pauseMs: 1000, now: () => now });
  return { cache, told, calls: () => calls, pass: (ms: number) => (now += ms) };
}

describe('a guarded cache', () => {
  it('hands on what the cache knows', async () => {
    const inner = new MemoryStateCache(10_000);
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

/** A cache of another machine that can be probed, behind a guard on fake time. */
function probed() {
  const told: string[] = [];
  const calls = { get: 0, put: 0, probe: 0, purge: 0 };
  const world = { answers: true, hangs: false };
  const answer = async (call: keyof typeof calls): Promise<undefined> => {
    calls[call]++;
    if (world.hangs) await new Promise(() => undefined);
    if (!world.answers) throw new RangeError('no');
  };
  const inner: StateCache = {
    leaseMs: 1000,
    get: () => answer('get'),
    put: () => answer('put'),
    purge: () => answer('purge'),
    probe: () => answer('probe'),
  };
  const watch = { down: (fault: string) => void told.push(`down: ${fault}`), up: () => void told.push('up') };
  const cache = new GuardedStateCache(inner, { watch, timeoutMs: 5, faultsToOpen: 3, pauseMs: 100, maxPauseMs: 400 });
  return { cache, world, calls, told };
}

describe('a guarded cache that can be probed', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('that is not there is known as it starts, and asked by nobody', async () => {
    const { cache, world, calls, told } = probed();
    world.answers = false;
    await cache.start();
    expect(told).toEqual(['down: RangeError']);
    for (let i = 0; i < 100; i++) await cache.get('k', 's');
    expect([calls.get, cache.state]).toEqual([0, 'down']);
    cache.close();
  });

  it('is tried by a timer, at growing pauses and by no request, and its outage ends without one', async () => {
    const { cache, world, calls, told } = probed();
    world.answers = false;
    for (let i = 0; i < 50; i++) await cache.get('k', 's');
    expect(calls).toEqual({ get: 3, put: 0, probe: 0, purge: 0 });
    // Trials after 100, 300, 700, 1100 and 1500 ms.
    await jest.advanceTimersByTimeAsync(1499);
    for (let i = 0; i < 50; i++) await cache.get('k', 's');
    expect(calls).toEqual({ get: 3, put: 0, probe: 4, purge: 0 });
    expect(told).toEqual(['down: RangeError']);
    world.answers = true;
    await jest.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['down: RangeError', 'up']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(calls.probe).toBe(5);
    await cache.get('k', 's');
    expect(calls.get).toBe(4);
  });

  it('that works for reads and refuses writes is down, and not up again by a read', async () => {
    const { cache, told } = probed();
    const full = jest.spyOn(cache['inner'], 'put').mockRejectedValue(new RangeError('full'));
    for (let i = 0; i < 3; i++) {
      cache.put('k', ENTRY);
      await cache.get('k', 's');
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(told).toEqual(['down: RangeError']);
    expect(full).toHaveBeenCalledTimes(3);
    cache.close();
  });

  it('that hangs is given no more than so many writes to hang on', async () => {
    const { cache, world, calls } = probed();
    world.hangs = true;
    for (let i = 0; i < 1000; i++) cache.put('k', ENTRY);
    await jest.advanceTimersByTimeAsync(0);
    expect(calls.put).toBe(256);
    cache.close();
  });

  it('tells nothing and tries nothing once it is closed', async () => {
    const { cache, world, calls, told } = probed();
    world.answers = false;
    await cache.start();
    cache.close();
    world.answers = true;
    await jest.advanceTimersByTimeAsync(10_000);
    expect([calls.probe, told]).toEqual([1, ['down: RangeError']]);
  });

  it('that does not purge is waited for until what it keeps has lapsed', async () => {
    const { cache, world } = probed();
    const settled = jest.fn();
    await cache.purge();
    world.answers = false;
    const purged = cache.purge().then(settled);
    await jest.advanceTimersByTimeAsync(999);
    expect(settled).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    await purged;
    expect(settled).toHaveBeenCalledTimes(1);
  });
});

it('an answer that came while this process was busy is not late', async () => {
  const server = createServer();
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  try {
    // After this a turn of the loop begins, in which the time is over and the bytes are here; timers come before sockets.
    await new Promise((checked) => setImmediate(checked));
    const answer = once(client, 'data').then(() => ENTRY);
    const inner: StateCache = { get: () => answer, put: () => undefined, purge: () => undefined };
    const watch = { down: jest.fn(), up: jest.fn() };
    const asked = new GuardedStateCache(inner, { watch, timeoutMs: 1 }).get('k', 's');
    socket.write('x');
    const busyUntil = performance.now() + 5;
    while (performance.now() < busyUntil);
    expect(await asked).toBe(ENTRY);
    expect(watch.down).not.toHaveBeenCalled();
  } finally {
    client.destroy();
    socket.destroy();
    server.close();
  }
});
