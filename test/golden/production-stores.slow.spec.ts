import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fixtureKeys } from '#lib/access';

import { writeKeyFile } from '../../libs/access/src/key-file.js';
import { realServer } from '../../libs/mongodb/src/testing/real-server.js';
import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import type { Misbehaviour } from '../fixtures/eventstore-wire/misbehaviour.js';
import { refusals } from '../fixtures/eventstore-wire/wire-errors.js';
import { MongoWire } from '../fixtures/mongodb-wire/mongodb-wire.js';
import { until } from '../support/eventually.js';
import { type Caller, JobApp } from '../support/job-app.js';
import { REDIS_PROGRAM, RedisServer } from '../support/redis-server.js';

/**
 * The golden tests of stores that fail, with the application on the stores of production: events in a double of
 * EventStoreDB; read models and data keys in a double of MongoDB, or in the server of MONGODB_URL; a cache in a Redis,
 * where redis-server is installed.
 */

const WRITE_FAIL = 'I tried to save that but my memory failed. I might not remember this next time.';
const FULL = 'My memory is full right now; I can’t store new information.';
const OUT_OF_DISK = { how: { code: 14_031, codeName: 'OutOfDiskSpace' } } as const;
/** More than anybody tries. */
const TRIES = 32;
const CACHE_LIMITS = { timeoutMs: 1000, unawaitedMs: 1000, faultsToOpen: 3, pauseMs: 20, maxPauseMs: 50 };

const real = realServer('T10, T31 and F-FAIL-02 of an application on MongoDB');
const itOnDouble = real ? it.skip : it;

let events: EventStoreWire;
let mongo: MongoWire;
let redis: RedisServer | undefined;
let app: JobApp;
let tuff: Caller;
beforeAll(async () => {
  [events, mongo] = await Promise.all([EventStoreWire.start(), MongoWire.start()]);
  if (REDIS_PROGRAM !== undefined) redis = await RedisServer.start();
  const folder = await mkdtemp(join(tmpdir(), 'mace-production-'));
  writeKeyFile(join(folder, 'keys', 'ring.json'), fixtureKeys());
  const wiring = { cacheLimits: CACHE_LIMITS, outageIntervalMs: 20 };
  app = await JobApp.on(folder, wiring, {
    MACE_EVENT_STORE: 'eventstoredb',
    EVENTSTORE_URL: events.url,
    MACE_READ_STORE: 'mongodb',
    MONGODB_URL: real?.freshUrl() ?? mongo.url,
    ...(redis ? { MACE_CACHE: 'redis', REDIS_URL: redis.url } : {}),
  });
  tuff = await app.caller('tuff');
});
afterAll(async () => {
  await app?.dispose();
  await redis?.close();
  await mongo.close();
  await events.close();
});

const keyOf = (attribute: string): string => `user/profile/user_tuff/${attribute}`;

/** From now on no append to a key of memory is answered otherwise. */
function refuseAppends(attribute: string, what: Misbehaviour): void {
  events.misbehave('append', Array<Misbehaviour>(TRIES).fill(what), `sem-${keyOf(attribute)}`);
}

async function typesSince(stream: string, before: number): Promise<string[]> {
  return (await app.stream(stream)).slice(before).map(({ type }) => type);
}

const length = async (stream: string): Promise<number> => app.parts.platform.eventStore.streamVersion(stream);

describe('on EventStoreDB and MongoDB', () => {
  it('F-FAIL-02: a job whose write the server does not take ends with the golden message, and replays', async () => {
    refuseAppends('favorite_color', { kind: 'refuse', error: refusals.notReady() });
    const { status, body } = await tuff.ask('Remember that my favorite color is blue', { job_seed: 'f-fail-02' });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error_code: 'SEM_WRITE_FAIL', severity: 'warning', user_message: WRITE_FAIL });
    const types = await typesSince(`job-${body.meta['job_id'] as string}`, 0);
    expect(types.filter((type) => type.startsWith('MEMORY') || type === 'RETRY_ATTEMPT')).toEqual([
      'MEMORY_WRITE_REQUESTED',
      'RETRY_ATTEMPT',
      'MEMORY_WRITE_RESULT',
      'MEMORY_WRITE_FAIL',
    ]);
    expect(await length(`sem-${keyOf('favorite_color')}`)).toBe(0);
  });

  it.each<[string, Misbehaviour]>([
    ['refuses', { kind: 'refuse', error: refusals.notReady() }],
    ['resets the connection before it has written anything', { kind: 'reset' }],
  ])('T10_SEM_WRITE_FAIL: an event store that %s', async (name, what) => {
    const attribute = `color_${name.split(' ')[0]!}`;
    const before = await length('access-user_tuff');
    refuseAppends(attribute, what);
    const { status, body } = await tuff.send('PUT', `/sem/${keyOf(attribute)}`, { value: 'blue' });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error_code: 'SEM_WRITE_FAIL', severity: 'warning', user_message: WRITE_FAIL });
    expect(await typesSince('access-user_tuff', before)).toContain('MEMORY_WRITE_FAIL');
    expect(await tuff.get(`/sem/${keyOf(attribute)}`)).toMatchObject({ body: { error_code: 'SEM_NOT_FOUND' } });
  });

  it('T10 the other way round: a write whose answer was lost was written, once, and is acknowledged', async () => {
    const key = keyOf('color_lost');
    events.misbehave('append', [{ kind: 'lose the answer' }], `sem-${key}`);
    expect((await tuff.send('PUT', `/sem/${key}`, { value: 'blue' })).status).toBe(200);
    expect(await tuff.get<{ value: string }>(`/sem/${key}`)).toMatchObject({ status: 200, body: { value: 'blue' } });
    expect(await length(`sem-${key}`)).toBe(1);
  });

  it('T31_STORAGE_FULL: an event store without room', async () => {
    refuseAppends('color_full', { kind: 'refuse', error: refusals.full() });
    const { status, body } = await tuff.send('PUT', `/sem/${keyOf('color_full')}`, { value: 'blue' });
    expect(status).toBe(507);
    expect(body).toMatchObject({ error_code: 'STORAGE_FULL', severity: 'critical', user_message: FULL });
    expect(await length(`sem-${keyOf('color_full')}`)).toBe(0);
  });

  itOnDouble('T31_STORAGE_FULL: a MongoDB without room for a new person’s data key', async () => {
    const nora = await app.caller('nora');
    const path = '/sem/user/profile/user_nora/favorite_color';
    for (let i = 0; i < TRIES; i++) mongo.fail('insert', { ...OUT_OF_DISK, where: isKey });
    const { status, body } = await nora.send('PUT', path, { value: 'blue' });
    expect(status).toBe(507);
    expect(body).toMatchObject({ error_code: 'STORAGE_FULL', user_message: FULL });
    expect(await length('sem-user/profile/user_nora/favorite_color')).toBe(0);
  });
});

const isKey = (command: { readonly [name: string]: unknown }): boolean => command['insert'] === 'subject_keys';

(isRedisHere() ? describe : describe.skip)('on Redis beside them', () => {
  it('T30_CACHE_FALLBACK: killed, it costs no question an answer', async () => {
    const path = `/sem/${keyOf('favorite_band')}`;
    expect((await tuff.send('PUT', path, { value: 'The Beatles' })).status).toBe(200);
    // As in a process that others write beside: what it keeps itself is never the newest.
    jest.spyOn(app.parts.platform.events['states'], 'get').mockReturnValue(undefined);
    await redis!.kill();
    const answered = await tuff.ask('What is my favorite band?', { job_seed: 't30-production' });
    expect(answered).toMatchObject({ status: 200, body: { notices: [] } });
    expect(answered.body.final_answer).toContain('The Beatles');
    expect(JSON.stringify(answered.body)).not.toContain('CACHE_ERROR');
    await until(async () => {
      await tuff.get(path);
      return (await typesSince('system-cache', 0)).length > 1;
    }, 'the outage on record');
    expect(await typesSince('system-cache', 0)).toEqual(['SERVICE_UNAVAILABLE', 'CACHE_ERROR']);
    jest.restoreAllMocks();
  });
});

function isRedisHere(): boolean {
  if (REDIS_PROGRAM === undefined)
    process.stderr.write('SKIPPED: T30 on the stores of production: no redis-server on this machine\n');
  return REDIS_PROGRAM !== undefined;
}
