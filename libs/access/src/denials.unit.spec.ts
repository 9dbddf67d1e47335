import { EventCodec, EventLog, MemoryEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';

import { MemorySubjectKeys } from '../../event-store/src/memory/memory-subject-keys.js';
import { Denials } from './denials.js';
import { fixtureKeyRing } from './fixture-keys.js';
import { accessEvents } from './access-events.js';

const START = Date.UTC(2026, 0, 1);

function setUp() {
  const ring = fixtureKeyRing();
  const codec = new EventCodec(
    new EventRegistry(accessEvents),
    ring,
    new SubjectCiphers(new MemorySubjectKeys(), ring),
  );
  const log = new EventLog(new MemoryEventStore(), codec);
  const faults: unknown[] = [];
  const denials = new Denials(log, (fault) => fault !== null && faults.push(fault), Date.now);
  const recorded = async (principal: string) =>
    (await log.load(`access-${principal}`)).events.map(({ data }) => [
      data['permission'],
      data['reason'],
      data['count'],
    ]);
  return { log, denials, faults, recorded };
}

describe('denials', () => {
  // What the log waits for between two slices of reading comes by itself.
  beforeEach(() => jest.useFakeTimers({ now: START, doNotFake: ['setImmediate', 'nextTick', 'performance'] }));
  afterEach(() => jest.useRealTimers());

  const settle = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

  test('the first is on record at once, those of the minute after it as one', async () => {
    const { denials, recorded } = setUp();
    for (let i = 0; i < 5; i++) denials.count('user_tuff', 'sem.delete', 'PERMISSION_DENIED');
    await settle(0);
    expect(await recorded('user_tuff')).toEqual([['sem.delete', 'PERMISSION_DENIED', 1]]);
    await settle(59_000);
    expect(await recorded('user_tuff')).toHaveLength(1);
    await settle(16_000);
    expect(await recorded('user_tuff')).toEqual([
      ['sem.delete', 'PERMISSION_DENIED', 1],
      ['sem.delete', 'PERMISSION_DENIED', 4],
    ]);
    await denials.close();
  });

  test('a flood for an hour is at most one event a minute for each permission, and none of it is lost', async () => {
    const { denials, recorded } = setUp();
    for (let second = 0; second < 3600; second++) {
      denials.count('user_tuff', second % 2 ? 'sem.delete' : 'sem.list', 'PERMISSION_DENIED');
      await settle(1000);
    }
    await denials.close();
    const events = await recorded('user_tuff');
    for (const permission of ['sem.delete', 'sem.list']) {
      const own = events.filter(([name]) => name === permission);
      expect(own.length).toBeLessThanOrEqual(61);
      expect(own.reduce((sum, [, , count]) => sum + (count as number), 0)).toBe(1800);
    }
  });

  test('counting waits for nothing, and what a store does not take is told of and counted with what comes', async () => {
    const { denials, faults, log, recorded } = setUp();
    const append = jest.spyOn(log.store, 'append').mockRejectedValue(new Error('gone'));
    expect(denials.count('user_tuff', 'sem.delete', 'PERMISSION_DENIED')).toBeUndefined();
    await settle(0);
    expect(faults).toHaveLength(1);
    append.mockRestore();
    denials.count('user_tuff', 'sem.delete', 'PERMISSION_DENIED');
    await settle(75_000);
    expect(await recorded('user_tuff')).toEqual([['sem.delete', 'PERMISSION_DENIED', 2]]);
    await denials.close();
    expect(faults).toHaveLength(1);
  });

  test('a flood of names fills no memory: who waited longest is written early', async () => {
    const { denials, recorded } = setUp();
    for (let i = 0; i < 12_000; i++) denials.count(`user_${i}`, 'sem.delete', 'PERMISSION_DENIED');
    denials.count('user_0', 'sem.delete', 'PERMISSION_DENIED');
    const { counts } = denials as unknown as { counts: { entries: Map<string, unknown> } };
    expect(counts.entries.size).toBeLessThanOrEqual(10_000);
    await settle(0);
    await denials.close();
    expect((await recorded('user_0')).reduce((sum, [, , count]) => sum + (count as number), 0)).toBe(2);
  });

  test('after a restart the first of a long trail costs one read of one event', async () => {
    const { denials, log } = setUp();
    for (let i = 0; i < 300; i++) denials.count('user_tuff', `permission-${i}`, 'PERMISSION_DENIED');
    await denials.close();
    const restarted = new Denials(new EventLog(log.store, log.codec), () => undefined);
    const reads = jest.spyOn(log.store, 'readStream');
    restarted.count('user_tuff', 'sem.delete', 'PERMISSION_DENIED');
    await restarted.close();
    expect(reads.mock.calls).toEqual([['access-user_tuff', { from: 299, limit: 1 }]]);
  });
});
