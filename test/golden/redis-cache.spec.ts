import { RedisStateCache } from '../../libs/event-store/src/redis/redis-state-cache.js';
import { eventually, until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';
import { RedisGate } from '../support/redis-gate.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const KEY = '/sem/user/profile/user_tuff/favorite_color';
const CLIENTS = 8;
const ROUNDS = 3;
/** Long, so that a slow machine is not taken for a slow Redis; what is bounded is how often anybody waits. */
const LIMITS = { timeoutMs: 1000, unawaitedMs: 1000, faultsToOpen: 3, pauseMs: 20, maxPauseMs: 50 };

describeWithRedis('The cache in Redis (seed 001, Group G)', { ours: true }, () => {
  let redis: RedisServer;
  let app: JobApp;
  let tuff: Caller;
  let asked: jest.SpyInstance<unknown, [string]>;
  beforeAll(async () => {
    redis = await RedisServer.start();
    const settings = { MACE_CACHE: 'redis', REDIS_URL: redis.url };
    app = await JobApp.open({ cacheLimits: LIMITS, outageIntervalMs: 20 }, settings);
    tuff = await app.caller('tuff');
    // As in a process that others write beside: what it keeps itself is never the newest.
    const states = app.parts.platform.events['states'];
    jest.spyOn(states, 'get').mockReturnValue(undefined);
    asked = jest.spyOn(RedisStateCache.prototype, 'get');
  });
  afterAll(async () => {
    await app?.dispose();
    await redis?.close();
    jest.restoreAllMocks();
  });
  afterEach(async () => {
    redis.signal('SIGCONT');
    await redis.kill();
    await redis.startAgain();
    // That it went is perhaps not known yet: only a read that came through says that it is back.
    const seen = redis.gate.count('getrange');
    await until(async () => {
      await read(KEY);
      return redis.gate.count('getrange') > seen && app.parts.platform.cacheState() === 'up';
    }, 'a connection');
    await until(async () => (await app.stream('system-cache')).at(-1)?.data['state'] !== 'down', 'the end on record');
  });

  it('serves reads while it is there, and stands in /health/ready', async () => {
    await write(tuff, KEY, 'ultramarine');
    const store = jest.spyOn(app.parts.platform.eventStore, 'readStream');
    // An entry lapses after a second, in which a slow machine may have got no further.
    await until(async () => {
      expect(await read(KEY)).toBe('ultramarine');
      store.mockClear();
      expect(await read(KEY)).toBe('ultramarine');
      return store.mock.calls.every(([stream]) => !stream.startsWith('sem-'));
    }, 'a read from the cache');
    store.mockRestore();
    expect((await tuff.get('/health/ready')).body).toMatchObject({ status: 'ready', cache: 'up' });
    const seen = await eventually(async () => {
      // Likewise: the entry that was read may be gone by now.
      await write(tuff, KEY, 'ultramarine');
      const keys = await redis.command('KEYS *');
      return keys.includes('mace:{') ? keys : null;
    }, 'an entry');
    expect(seen).not.toMatch(/tuff|color/);
  });

  it('T30_CACHE_FALLBACK: killed, it costs no question an answer, and one outage is on record', async () => {
    await write(tuff, KEY, 'green');
    const before = (await app.stream('system-cache')).length;
    await redis.kill();
    const answered = await tuff.ask('What is my favorite color?', { job_seed: 't30-redis' });
    expect(answered).toMatchObject({
      status: 200,
      body: { final_answer: 'Your favorite color is green.', notices: [] },
    });
    expect(JSON.stringify(answered.body)).not.toContain('CACHE_ERROR');
    await until(async () => {
      expect(await read(KEY)).toBe('green');
      return app.parts.platform.cacheState() === 'down';
    });
    for (const value of ['blue', 'red']) {
      await write(tuff, KEY, value);
      expect(await read(KEY)).toBe(value);
    }
    expect(await tuff.get('/health/ready')).toMatchObject({ status: 200, body: { status: 'ready', cache: 'down' } });
    expect(await recorded(before, 2)).toEqual(['SERVICE_UNAVAILABLE down', 'CACHE_ERROR down']);

    await redis.startAgain();
    await until(() => app.parts.platform.cacheState() === 'up');
    expect((await recorded(before, 4)).slice(2)).toEqual(['SERVICE_UNAVAILABLE up', 'CACHE_ERROR up']);
    expect(await read(KEY)).toBe('red');
    expect((await tuff.get('/health/ready')).body).toMatchObject({ status: 'ready', cache: 'up' });
  });

  it.each<[string, () => Promise<void> | void]>([
    ['is killed', () => redis.kill()],
    ['is stopped in the middle of a word', () => redis.signal('SIGSTOP')],
    ['is full', async () => void (await redis.command('CONFIG SET maxmemory 1'))],
    [
      'wants a password of a sudden',
      async () => {
        await redis.command('CONFIG SET requirepass secret');
        redis.gate.drop();
      },
    ],
  ])('that %s under load: every answer is right, few wait for it, and it is told once', async (_, strike) => {
    const before = (await app.stream('system-cache')).length;
    await load(ROUNDS);
    asked.mockClear();
    const going = load(ROUNDS);
    await strike();
    await going;
    await until(async () => {
      await load(1);
      return app.parts.platform.cacheState() === 'down';
    }, 'an outage');
    // Whoever asked at once waited once; a full Redis goes on answering reads.
    const waited = reads();
    await load(ROUNDS);
    expect(reads()).toBe(waited);
    expect(await recorded(before, 2)).toEqual(['SERVICE_UNAVAILABLE down', 'CACHE_ERROR down']);
  });

  /** Reads that were sent to Redis, other than by the timer that tries it. */
  function reads(): number {
    return asked.mock.calls.filter(([key]) => key !== 'probe').length;
  }

  /** Several who write and read at once, each its own key; every one reads what it wrote last. */
  async function load(rounds: number): Promise<void> {
    const client = async (_: unknown, i: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const value = `shade ${(shade += 1)}`;
        await write(tuff, `${KEY}_${i}`, value);
        for (let again = 0; again < 2; again++) expect(await read(`${KEY}_${i}`)).toBe(value);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }
  let shade = 0;

  async function read(path: string): Promise<unknown> {
    const { status, body } = await tuff.get<{ value?: unknown }>(path);
    expect(status).toBe(200);
    return body.value;
  }

  /** What is on record of the cache from a number of events on, once there are so many; no more than those. */
  async function recorded(from: number, count: number): Promise<string[]> {
    const events = await eventually(async () => {
      const all = (await app.stream('system-cache')).slice(from);
      return all.length >= count ? all : null;
    });
    expect(events).toHaveLength(count);
    return events.map(({ type, data }) => `${type} ${data['state'] as string}`);
  }
});

describe('A cache that was never a Redis', () => {
  it('neither stops a start nor costs an answer, and is told once, whatever it does instead', async () => {
    const gate = await RedisGate.open();
    let app: JobApp | undefined;
    try {
      // Nothing that is asked here is answered, from the first moment on.
      const settings = { MACE_CACHE: 'redis', REDIS_URL: gate.url };
      app = await JobApp.open({ cacheLimits: { ...LIMITS, unawaitedMs: 20 }, outageIntervalMs: 20 }, settings);
      const tuff = await app.caller('tuff');
      for (const behaviour of ['hang', 'garbage', { answer: '-OOM full\r\n' }] as const) {
        gate.behaviour = behaviour;
        const seen = gate.count('evalsha', 'eval');
        await until(() => gate.count('evalsha', 'eval') > seen, 'a probe');
        const value = `shade of ${gate.commands.length}`;
        await write(tuff, KEY, value);
        expect((await tuff.get<{ value: string }>(KEY)).body.value).toBe(value);
        expect((await tuff.get('/health/ready')).body).toMatchObject({ status: 'ready', cache: 'down' });
      }
      expect(gate.count('getrange')).toBe(0);
      const asked = await tuff.ask('What is my favorite color?', { job_seed: 't30-no-redis' });
      expect(asked).toMatchObject({ status: 200, body: { notices: [] } });
      const told = (await app.stream('system-cache')).map(({ type, data }) => [type, data['state'], data['fault']]);
      expect(told).toEqual([
        ['SERVICE_UNAVAILABLE', 'down', 'CacheTimeoutError'],
        ['CACHE_ERROR', 'down', 'CacheTimeoutError'],
      ]);
    } finally {
      await app?.dispose();
      await gate.close();
    }
  });
});

async function write(who: Caller, path: string, value: string): Promise<void> {
  expect((await who.send('PUT', path, { value })).status).toBe(200);
}
