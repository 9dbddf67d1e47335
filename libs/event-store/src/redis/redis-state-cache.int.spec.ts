import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { eventually } from '../../../../test/support/eventually.js';
import { RedisGate } from '../../../../test/support/redis-gate.js';
import { describeWithRedis, RedisServer } from '../../../../test/support/redis-server.js';
import { CacheEntryError, GuardedStateCache } from '../cache/guarded-state-cache.js';
import type { Folded } from '../cache/state-cache.js';
import { describeStateCacheContract } from '../testing/state-cache.contract.js';
import { type RedisCacheOptions, RedisStateCache } from './redis-state-cache.js';
import { parseRedisUrl } from './redis-url.js';

const SECRET = Buffer.alloc(32, 7);
const LONG = 600_000;
const opened: RedisStateCache[] = [];
afterEach(async () => {
  for (const cache of opened.splice(0)) await cache.close();
});

async function open(url: string, more: Partial<RedisCacheOptions> = {}): Promise<RedisStateCache> {
  const origin = more.origin ?? `test/${randomBytes(8).toString('hex')}`;
  const cache = await RedisStateCache.open({ leaseMs: LONG, secret: SECRET, ...more, origin, url: parseRedisUrl(url) });
  opened.push(cache);
  return cache;
}

function entry(version: number, state: unknown = { at: version }, stream = 's'): Folded<unknown> {
  return { state, head: { stream, version, lastHash: 'ab'.repeat(32) } };
}

describeWithRedis('the cache in a real Redis', { ours: false }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.close());

  describeStateCacheContract('the cache in Redis', async (capacity) => ({
    cache: await open(redis.url, { capacity }),
    dispose: () => undefined,
  }));

  it('is one cache for all processes of a log, and another one for another log', async () => {
    const [a, b, other] = await Promise.all([
      open(redis.url, { origin: 'one' }),
      open(redis.url, { origin: 'one' }),
      open(redis.url, { origin: 'two' }),
    ]);
    await a.put('k', entry(3));
    expect(await b.get('k')).toEqual(entry(3));
    expect(await other.get('k')).toBeUndefined();
    await other.put('k', entry(1));
    await b.purge();
    expect(await a.get('k')).toBeUndefined();
    expect(await other.get('k')).toEqual(entry(1));
    await other.purge();
  });

  it('keeps the newest of what many processes put at once', async () => {
    const caches = await Promise.all([1, 2, 3, 4].map(() => open(redis.url, { origin: 'race' })));
    const puts = Array.from({ length: 200 }, (_, i) => caches[i % 4]!.put('k', entry(((i * 37) % 200) + 1)));
    await Promise.all(puts);
    expect((await caches[0]!.get('k'))!.head.version).toBe(200);
  });

  it('finds nothing of what was put under another secret', async () => {
    const [a, b] = [
      await open(redis.url, { origin: 'x' }),
      await open(redis.url, { origin: 'x', secret: randomBytes(32) }),
    ];
    await a.put('k', entry(1));
    expect(await b.get('k')).toBeUndefined();
  });

  it('keeps no entry that is larger than it may be', async () => {
    const cache = await open(redis.url, { maxEntryBytes: 1000 });
    await cache.put('k', entry(1, { text: 'x'.repeat(1000) }));
    expect(await cache.get('k')).toBeUndefined();
    await cache.put('k', entry(1, { text: 'x'.repeat(500) }));
    expect(await cache.get('k')).toBeDefined();
  });
});

describeWithRedis('somebody who reads or writes a Redis of ours', { ours: true }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.close());
  afterEach(() => redis.command('FLUSHALL'));

  /** The place of the one entry in it. */
  async function placeOfOne(): Promise<string> {
    const places = [...(await redis.command('KEYS *')).matchAll(/mace:\S+/g)].map(([name]) => name);
    return places.find((place) => !place.endsWith(':index'))!;
  }

  it('reads no person’s name, no stream and no state', async () => {
    const cache = await open(redis.url, { origin: 'plain' });
    await cache.put('sem sem-user/profile/user_tuff/color', entry(4, { source: 'user_tuff' }, 'sem-user_tuff'));
    const place = await placeOfOne();
    const seen = `${await redis.command('KEYS *')}${await redis.command(`GET ${place}`)}`;
    expect(seen).toContain('mace:{plain}:');
    expect(seen).not.toMatch(/tuff|profile|color|lastHash/);
  });

  it('finds an entry no longer than its lease', async () => {
    const cache = await open(redis.url);
    await cache.put('k', entry(1));
    const left = Number(/:(\d+)/.exec(await redis.command(`PTTL ${await placeOfOne()}`))![1]);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(LONG);
    const short = await open(redis.url, { leaseMs: 1, origin: 'short' });
    await short.put('k', entry(1));
    await short.put('other', entry(1));
    const lapsed = async (): Promise<boolean> => !(await redis.command('KEYS mace:{short}:*')).includes('short');
    expect(await eventually(async () => (await lapsed()) || null)).toBe(true);
    expect(await short.get('k')).toBeUndefined();
    expect(await cache.get('k')).toEqual(entry(1));
  });

  it.each([
    ['changes a byte', (place: string) => `SETRANGE ${place} 60 x`],
    ['says that it is of a newer revision', (place: string) => `SETRANGE ${place} 0 0000000000000009`],
    ['puts words of their own', (place: string) => `SET ${place} 0000000000000001${'mine'.repeat(20)}`],
    ['puts something that has no end', (place: string) => `SETRANGE ${place} 5000000 x`],
    ['cuts it short', (place: string) => `SET ${place} 0000000000000009`],
  ])('%s: it is told as no entry, and is gone, so that it is in nobody’s way', async (_, command) => {
    const cache = await open(redis.url);
    await cache.put('k', entry(1));
    await redis.command(command(await placeOfOne()));
    await expect(cache.get('k')).rejects.toThrow(CacheEntryError);
    await cache.put('k', entry(2));
    expect(await cache.get('k')).toEqual(entry(2));
  });

  it('puts one entry in the place of another: it is none there', async () => {
    const cache = await open(redis.url);
    await cache.put('k', entry(1));
    const first = await placeOfOne();
    await redis.command(`RENAME ${first} kept`);
    await cache.put('other', entry(1));
    await redis.command(`RENAME kept ${await placeOfOne()}`);
    await expect(cache.get('other')).rejects.toThrow(CacheEntryError);
  });

  it('puts a list where an entry was, and where the index was: both are gone with the first who meets them', async () => {
    const cache = await open(redis.url, { origin: 'typed' });
    await cache.put('k', entry(1));
    const place = await placeOfOne();
    await redis.command(`DEL ${place}`);
    await redis.command(`LPUSH ${place} x`);
    await expect(cache.get('k')).rejects.toThrow('WRONGTYPE');
    await cache.put('k', entry(1));
    await redis.command('DEL mace:{typed}:index');
    await redis.command('LPUSH mace:{typed}:index x');
    await expect(cache.put('k', entry(2))).rejects.toThrow('WRONGTYPE');
    await cache.put('k', entry(3));
    expect(await cache.get('k')).toEqual(entry(3));
  });
});

describeWithRedis('a Redis of ours that refuses', { ours: true }, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.close());

  it('because it is full: reads go on, writes and probes say so, until there is room', async () => {
    const cache = await open(redis.url);
    await cache.put('k', entry(1));
    await redis.command('CONFIG SET maxmemory 1');
    await expect(cache.put('k', entry(2))).rejects.toMatchObject({ name: 'Redis:OOM' });
    await expect(cache.probe()).rejects.toMatchObject({ name: 'Redis:OOM' });
    expect(await cache.get('k')).toEqual(entry(1));
    await redis.command('CONFIG SET maxmemory 0');
    await cache.probe();
  });

  it('because it wants a password, or another one; with the right one it answers', async () => {
    await redis.command('CONFIG SET requirepass secret');
    const url = (password: string) => redis.url.replace('//', `//:${password}@`);
    try {
      await expect((await open(redis.url)).probe()).rejects.toMatchObject({ name: 'Redis:NOAUTH' });
      await expect((await open(url('wrong'))).probe()).rejects.toMatchObject({ name: 'Redis:WRONGPASS' });
      await (await open(url('secret'))).probe();
    } finally {
      await redis.command('AUTH secret\r\nCONFIG SET requirepass ""');
    }
  });

  it('to those who may no more than docs/redis.md says nothing', async () => {
    const page = readFileSync('docs/redis.md', 'utf8');
    const line = /^ACL SETUSER mace .*$/m.exec(page)![0];
    expect(await redis.command(line)).toMatch(/^\+OK/);
    const cache = await open(redis.url.replace('//', '//mace:password@').concat('/1'), { capacity: 1 });
    await cache.probe();
    for (const key of ['a', 'b']) await cache.put(key, entry(1));
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.get('b')).toEqual(entry(1));
    await cache.purge();
    expect(await cache.get('b')).toBeUndefined();
  });

  it('because it has forgotten our script: it is told again', async () => {
    const cache = await open(redis.url);
    await cache.put('k', entry(1));
    await redis.command('SCRIPT FLUSH');
    await cache.put('k', entry(2));
    expect(await cache.get('k')).toEqual(entry(2));
  });
});

describe('a server that is no Redis', () => {
  let gate: RedisGate;
  beforeEach(async () => {
    gate = await RedisGate.open();
  });
  afterEach(() => gate.close());

  it.each<[string, RedisGate['behaviour'], RegExp]>([
    ['resets every connection', 'reset', /^Redis:(ECONNRESET|EPIPE|CLOSED)$/],
    ['answers with bytes that mean nothing', 'garbage', /^Redis:(ERR|CLOSED)$/],
    ['wants a password', { answer: '-NOAUTH Authentication required.\r\n' }, /^Redis:NOAUTH$/],
    ['is full', { answer: '-OOM command not allowed when used memory > maxmemory.\r\n' }, /^Redis:OOM$/],
    ['is a copy', { answer: '-READONLY You can’t write against a read only replica.\r\n' }, /^Redis:READONLY$/],
    ['says words of its own', { answer: '-TUFF lives in Bonn\r\n' }, /^Redis:ERR$/],
    ['answers to another question', { answer: ':4\r\n' }, /^CacheEntryError$/],
    ['answers with a list', { answer: '*1\r\n$1\r\nx\r\n' }, /^CacheEntryError$/],
    ['answers with other words', { answer: '$5\r\nhello\r\n' }, /^CacheEntryError$/],
    ['begins an answer that never ends', { answer: `$99999999\r\n${'x'.repeat(2_000_000)}` }, /^Redis:(ERR|CLOSED)$/],
  ])('and %s: every call fails by the kind of the fault', async (_, behaviour, fault) => {
    gate.behaviour = behaviour;
    const cache = await open(gate.url);
    for (const call of [() => cache.get('k'), () => cache.put('k', entry(1)), () => cache.probe()])
      await expect(call()).rejects.toMatchObject({ name: expect.stringMatching(fault) as string });
  });

  it.each<RedisGate['behaviour']>(['hang', 'reset', 'garbage', { answer: '-OOM full\r\n' }, { answer: ':4\r\n' }])(
    'costs those who read a few commands an outage, and tells it once: %p',
    async (behaviour) => {
      gate.behaviour = behaviour;
      const told: string[] = [];
      const watch = { down: (fault: string) => void told.push(fault), up: () => void told.push('up') };
      const inner = await open(gate.url);
      const asked = jest.spyOn(inner, 'get');
      const guard = new GuardedStateCache(inner, { watch, timeoutMs: 1, faultsToOpen: 3, pauseMs: LONG });
      for (let i = 0; i < 200; i++) {
        expect(await guard.get('k', 's')).toBeUndefined();
        guard.put('k', entry(1));
      }
      guard.close();
      expect(told).toHaveLength(1);
      expect(guard.state).toBe('down');
      expect(asked.mock.calls.length).toBeLessThanOrEqual(3);
      expect(gate.count('getrange')).toBeLessThanOrEqual(3);
      expect(gate.count('evalsha', 'eval')).toBeLessThanOrEqual(6);
    },
  );

  it('and hangs is connected to anew, once a second probe finds the first without an answer', async () => {
    const cache = await open(gate.url);
    cache.probe().catch(() => undefined);
    await expect(cache.probe()).rejects.toMatchObject({ name: 'Redis:HANGS' });
    gate.behaviour = { answer: '-NOAUTH Authentication required.\r\n' };
    let fault: unknown;
    while ((fault as Error | undefined)?.name !== 'Redis:NOAUTH') {
      fault = await cache.probe().catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

  it('and does not answer to the password holds a start up no longer than a connection may take', async () => {
    const url = gate.url.replace('//', '//:secret@');
    const cache = await open(url, { connectTimeoutMs: 10 });
    await expect(cache.get('k')).rejects.toMatchObject({ name: 'Redis:CLOSED' });
  });

  it('and is not there at all is told as that', async () => {
    const { url } = gate;
    await gate.close();
    await expect((await open(url)).get('k')).rejects.toMatchObject({ name: 'Redis:ECONNREFUSED' });
    gate = await RedisGate.open();
  });
});
