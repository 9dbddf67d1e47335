import { EventCodec, EventLog, MemoryEventStore, START, SubjectCiphers } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { accessEvents } from './access-events.js';
import { fixtureKeyRing } from './fixture-keys.js';
import { type RefusedRequest, Refusals } from './refusals.js';

function setUp() {
  const ring = fixtureKeyRing();
  const ciphers = new SubjectCiphers(new MemorySubjectKeys(), ring);
  const log = new EventLog(new MemoryEventStore(), new EventCodec(new EventRegistry(accessEvents), ring, ciphers));
  const faults: unknown[] = [];
  const refusals = new Refusals(log, {
    digest: (text) => `digest-of-${text.replaceAll('.', '-')}`,
    onFault: (fault) => faults.push(fault),
    now: Date.now,
  });
  const refused = (more: Partial<RefusedRequest> = {}): void =>
    refusals.count({
      code: 'NOT_FOUND',
      who: { principal: 'user_tuff' },
      route: 'GET /jobs/:job_id',
      traceId: 't-1',
      ...more,
    });
  const recorded = async (name: string) => (await log.load(`refusals-${name}`)).events.map(({ data }) => data);
  const all = async () => (await log.store.readAll({ after: START, limit: 4096 })).events.map(({ text }) => text);
  return { log, refusals, faults, refused, recorded, all };
}

describe('refused requests', () => {
  beforeEach(() =>
    jest.useFakeTimers({ now: Date.UTC(2026, 0, 1), doNotFake: ['setImmediate', 'nextTick', 'performance'] }),
  );
  afterEach(() => jest.useRealTimers());

  const settle = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  it('of one principal, code and route are one event a minute, with the first and the last trace and one digest', async () => {
    const { refusals, refused, recorded } = setUp();
    const payload = jest.fn(() => 'body');
    for (let i = 1; i <= 5000; i++) refused({ traceId: `t-${i}`, payload });
    await settle(59_000);
    expect(await recorded('user_tuff')).toEqual([]);
    await settle(16_000);
    expect(await recorded('user_tuff')).toEqual([
      {
        error_code: 'NOT_FOUND',
        route: 'GET /jobs/:job_id',
        count: 5000,
        first_trace_id: 't-1',
        last_trace_id: 't-5000',
        payload_hash: 'digest-of-user_tuff\nbody',
      },
    ]);
    expect(payload).toHaveBeenCalledTimes(1);
    await refusals.close();
  });

  it('are told apart by code and route, and those that have an event of their own are none', async () => {
    const { refusals, refused, recorded } = setUp();
    refused();
    refused({ code: 'INVALID_INPUT' });
    refused({ route: 'GET /sem/:key', code: 'SEM_NOT_FOUND' });
    for (const code of ['PERMISSION_DENIED', 'SEM_WRITE_FAIL', 'LLM_SERVICE_DOWN'] as const) refused({ code });
    await refusals.close();
    expect((await recorded('user_tuff')).map(({ error_code, route }) => [error_code, route])).toEqual([
      ['NOT_FOUND', 'GET /jobs/:job_id'],
      ['INVALID_INPUT', 'GET /jobs/:job_id'],
      ['SEM_NOT_FOUND', 'GET /sem/:key'],
    ]);
  });

  it('of one principal that are of many kinds are sixteen events a minute and one of the others together', async () => {
    const { refusals, refused, recorded } = setUp();
    for (let i = 0; i < 300; i++) refused({ route: `GET /r${i}` });
    refused({ who: { principal: 'user_ann' } });
    await settle(75_000);
    const events = await recorded('user_tuff');
    expect(events).toHaveLength(17);
    expect(events).toContainEqual(expect.objectContaining({ error_code: '*', route: '*', count: 284 }));
    expect(await recorded('user_ann')).toMatchObject([{ error_code: 'NOT_FOUND', count: 1 }]);
    await refusals.close();
  });

  it('of strangers stand by a digest of their network, and never by an address', async () => {
    const { refusals, refused, recorded, all } = setUp();
    for (let host = 1; host <= 40; host++)
      refused({ who: { address: `2001:db8::1:${host}` }, code: 'UNAUTHENTICATED' });
    refused({ who: { address: '203.0.113.7' } });
    await refusals.close();
    expect(await recorded('address-digest-of-2001:d')).toMatchObject([{ count: 40 }]);
    expect(JSON.stringify(await all())).not.toMatch(/203\.0\.113\.7|db8::/);
  });

  it('of a flood of addresses for an hour are at most nine events a minute, and every one is counted', async () => {
    const { refusals, refused, all } = setUp();
    for (let second = 0; second < 3600; second++) {
      for (const host of [1, 2, 3]) refused({ who: { address: `10.${second % 250}.${second >> 8}.${host}` } });
      await settle(1000);
    }
    await refusals.close();
    const counts = (await all()).map((text) => (JSON.parse(text) as { data: { count: number } }).data.count);
    expect(counts.length).toBeLessThanOrEqual(9 * 62);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 * 3600);
  });

  it('of more principals than there are counters are counted together under one', async () => {
    const { refusals, refused, recorded, all } = setUp();
    for (let i = 0; i < 1200; i++) refused({ who: { principal: `user_${i}` }, traceId: `t-${i}` });
    await refusals.close();
    expect((await all()).length).toBeLessThanOrEqual(1000);
    const [others] = await recorded('others');
    expect(others).toMatchObject({ error_code: '*', route: '*', last_trace_id: 't-1199' });
    expect(others!['count']).toBeGreaterThanOrEqual(200);
  });

  it('that the log does not take are counted on, with the first trace and the first digest', async () => {
    const { refusals, refused, faults, log, recorded } = setUp();
    const append = jest.spyOn(log.store, 'append').mockRejectedValue(new Error('gone'));
    refused({ traceId: 't-1', payload: () => 'first' });
    await settle(75_000);
    expect(faults).toHaveLength(1);
    append.mockRestore();
    refused({ traceId: 't-2', payload: () => 'second' });
    await settle(75_000);
    expect(await recorded('user_tuff')).toMatchObject([
      { count: 2, first_trace_id: 't-1', last_trace_id: 't-2', payload_hash: 'digest-of-user_tuff\nfirst' },
    ]);
    expect(faults.at(-1)).toBeNull();
    await refusals.close();
  });
});
