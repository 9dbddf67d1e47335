import type { KeyPurpose, RingKey } from '#lib/kernel';
import type { MerkleLog } from '#lib/proof';

import { failureOf } from '../edge/failure.js';
import { HealthController } from './health.controller.js';
import { type Finding, Readiness, type ReadinessParts } from './readiness.js';

const OK = { status: 'ready', ready_for_bundles: true, bundles_wait_for: null };
const away = (): Promise<never> => Promise.reject(new Error('esdb://user:hunter2@host is away'));
const MIB = 1024 * 1024;

describe('GET /health/ready', () => {
  it('is 200 while everything is as it should be, and names no part', async () => {
    expect(await healthOf({}).ready()).toEqual(OK);
  });

  it('is 503 with the reason once no event can be appended, although events can be read', async () => {
    let fault: string | null = null;
    const health = healthOf({ appendFault: () => fault });
    expect(await health.ready()).toEqual(OK);
    fault = 'event-log ended with code 3';
    const reason = 'no event can be stored: event-log ended with code 3; start MACE again';
    await expect(health.ready()).rejects.toMatchObject({
      code: 'DATA_UNAVAILABLE',
      developerMessage: `event store: ${reason}`,
      meta: { parts: [{ part: 'event_store', reason }] },
    });
  });

  it('names each store that does not answer, or not in time, and nothing of where it is', async () => {
    const eventStore = { head: away };
    const readStore = { generations: () => new Promise<never>(() => undefined) };
    const refused = await healthOf({ eventStore, readStore, waitMs: 20 })
      .ready()
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      developerMessage: 'event store: it does not answer; read store: it does not answer: lists cannot be read',
    });
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  });

  it('is 503 where a key may not sign now, and says which', async () => {
    const keys = [{ purpose: 'event-hmac' }, { purpose: 'pii-hmac' }] as RingKey[];
    const active = (purpose: KeyPurpose): RingKey => {
      if (purpose === 'pii-hmac') throw new Error('key pii.1 signs from 2026 to 2027');
      return keys[0]!;
    };
    await expect(healthOf({ ring: { all: () => keys, active } }).ready()).rejects.toMatchObject({
      developerMessage: 'keys: key pii.1 signs from 2026 to 2027',
    });
  });

  it('is 503 once the disk has less room than an append may take, not before', async () => {
    let free = 16 * MIB;
    const health = healthOf({ freeBytes: () => Promise.resolve(free) });
    expect(await health.ready()).toEqual(OK);
    free -= 1;
    await expect(health.ready()).rejects.toMatchObject({
      developerMessage: 'disk: 15 MiB are free where the data folder lies; make room for at least 16',
    });
  });

  it('is 200 while projections are behind or halted, and says which', async () => {
    const projections = () =>
      Promise.resolve([
        { name: 'sem', state: 'live' as const, lag: { events: 3, seconds: 30 } },
        { name: 'jobs', state: 'catching_up' as const, lag: { events: 4096, at_least: true as const, seconds: 31.2 } },
        { name: 'halts', state: 'halted' as const, lag: { events: 1, seconds: 0 } },
      ]);
    expect(await healthOf({ projections }).ready()).toEqual({
      ...OK,
      degraded: [
        { part: 'projections', reason: 'jobs is 4096 or more events and 31 s behind (catching_up)' },
        {
          part: 'projections',
          reason: 'halts has halted at an event; `mace projections parked halts` shows it',
        },
      ],
    });
  });

  it('is 200 while there is no room for what is to be stored, and says which limit is reached', async () => {
    let limit: string | null = 'the stores have used the 20 MiB of MACE_STORAGE_QUOTA_MB';
    const health = healthOf({ storage: () => limit });
    const reason = `writes are refused with STORAGE_FULL: ${limit}`;
    expect(await health.ready()).toEqual({ ...OK, degraded: [{ part: 'storage', reason }] });
    limit = null;
    expect(await health.ready()).toEqual(OK);
  });

  it('is 200 while nothing can be proven to others, and says why not', async () => {
    const unready = 'the witness does not answer: ECONNREFUSED';
    const ready = await healthOf({}, unready).ready();
    expect(ready).toEqual({ status: 'ready', ready_for_bundles: false, bundles_wait_for: unready });
  });

  it('says what the shared cache does, and does not fail for it', async () => {
    let cache: 'up' | 'down' = 'up';
    const health = healthOf({ cacheState: () => cache });
    expect(await health.ready()).toEqual({ ...OK, cache: 'up' });
    cache = 'down';
    expect(await health.ready()).toMatchObject({ status: 'ready', cache: 'down', degraded: [{ part: 'cache' }] });
  });

  it('shows incidents that last by their kinds, without whose they are, and a crash that was found', async () => {
    const opened_at = '2026-01-01T12:00:00.000Z';
    const denied = (stream: string) => ({
      severity: 'warning' as const,
      cause: { event_id: 'e', type: 'ACCESS_DENIED', stream },
      opened_at,
    });
    const memory = {
      severity: 'error' as const,
      cause: { event_id: 'm', type: 'MEMORY_WRITE_FAIL', stream: 's' },
      opened_at: null,
    };
    const lasting = () => Promise.resolve([denied('access-user_eve'), memory, denied('access-user_bob')]);
    const { degraded } = await healthOf({ lasting, isAfterCrash: () => true }).ready();
    expect(degraded).toEqual([
      { part: 'process', reason: expect.stringContaining('ended without stopping') as string },
      {
        part: 'incidents',
        reason: `2 of ACCESS_DENIED (warning) since ${opened_at}; \`mace incidents list\` shows each`,
      },
      { part: 'incidents', reason: '1 of MEMORY_WRITE_FAIL (error); `mace incidents list` shows each' },
    ]);
    expect(JSON.stringify(degraded)).not.toContain('user_eve');
  });

  it('tells the log once that it is not ready, once of another part, and once that it is again', async () => {
    let [head, free] = [away, 1024 * MIB];
    const told: string[] = [];
    const onChange = (failed: readonly Finding[]): number => told.push(failed.map(({ part }) => part).join());
    const health = healthOf({ eventStore: { head: () => head() }, freeBytes: () => Promise.resolve(free), onChange });
    const refused = await health.ready().catch((error: unknown) => error);
    // A probe comes every few seconds; each would be a fault with its stack in the log.
    expect(failureOf(refused)).toMatchObject({ fault: false, error: { status: 503 } });
    await expect(health.ready()).rejects.toThrow();
    expect(told).toEqual(['event_store']);
    free = MIB;
    await expect(health.ready()).rejects.toThrow();
    free = 2 * MIB;
    await expect(health.ready()).rejects.toThrow();
    expect(told).toEqual(['event_store', 'event_store,disk']);
    [head, free] = [() => Promise.resolve('7' as never), 1024 * MIB];
    await health.ready();
    await health.ready();
    expect(told).toEqual(['event_store', 'event_store,disk', '']);
  });

  it('asks the stores once for all who ask at a time', async () => {
    const head = jest.fn(() => Promise.resolve('7' as never));
    const health = healthOf({ eventStore: { head } });
    await Promise.all([health.ready(), health.ready(), health.ready()]);
    expect(head).toHaveBeenCalledTimes(1);
    await health.ready();
    expect(head).toHaveBeenCalledTimes(2);
  });
});

function healthOf(given: Partial<ReadinessParts>, unready: string | null = null): HealthController {
  const parts: ReadinessParts = {
    eventStore: { head: () => Promise.resolve('7' as never) },
    readStore: { generations: () => Promise.resolve([]) },
    appendFault: () => null,
    ring: { all: () => [], active: () => ({}) as RingKey },
    projections: () => Promise.resolve([]),
    cacheState: () => undefined,
    engineState: () => undefined,
    isAfterCrash: () => false,
    lasting: () => Promise.resolve([]),
    storage: () => null,
    freeBytes: () => Promise.resolve(1024 * MIB),
    onChange: () => undefined,
    ...given,
  };
  return new HealthController(new Readiness(parts), parts.cacheState, { unready } as MerkleLog);
}
