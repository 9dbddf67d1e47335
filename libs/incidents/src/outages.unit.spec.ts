import { AccessTrail, memoryEvents, MemoryFailureSpool, type SpooledEvent } from '#lib/memory';
import { StorageFullError, StoreUnavailableError } from '#lib/event-store';

import { FaultyEventStore } from '../../event-store/src/faults/faulty-event-store.js';
import type { FaultPlan } from '../../event-store/src/faults/fault-plan.js';
import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { setUp } from '../../event-store/src/testing/codec-support.js';
import { incidentIdOf } from './domain/incident.js';
import { incidentEvents, incidentStream } from './domain/incidents.events.js';
import { causeOf } from './domain/outage.js';
import { outageDefinitions } from './domain/outages.events.js';
import { lastRecovery } from './last-recovery.js';
import { Outages } from './outages.js';
import { watchEventStore } from './service-faults.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

/** Processes over one store that is there or not, as `world` says, each with the clock that the test moves. */
class World {
  now = NOON;
  refused = false;
  readStore: () => Promise<unknown> = async () => undefined;
  /** Whether a language engine is in service, as often as it was asked; null where there is none. */
  engine: jest.Mock<Promise<boolean>> | null = jest.fn(async () => false);
  storage: () => Promise<unknown> = async () => undefined;
  spool = new MemoryFailureSpool();
  refusedOf: string | null = null;
  /** So many appends are done, and their answers lost. */
  lost = 0;
  private readonly plan: FaultPlan = ({ method }) => {
    if (method === 'append' && this.lost > 0 && this.lost--) return { kind: 'lostAnswer' };
    return this.refused || method === this.refusedOf ? { kind: 'refused' } : undefined;
  };
  readonly inner = new MemoryEventStore();
  readonly told: string[] = [];
  readonly faults: unknown[] = [];
  readonly reasons: (string | null)[] = [];

  process() {
    const store = watchEventStore(new FaultyEventStore(this.inner, this.plan), {
      failed: (...told) => outages.failed(...told),
    });
    const { log } = setUp({ store, definitions: [...incidentEvents, ...outageDefinitions, ...memoryEvents] });
    const trail = new AccessTrail(log, this.spool);
    const outages: Outages = new Outages({
      log,
      spool: this.spool,
      recover: () => trail.recover(),
      probes: {
        'event-store': () => store.head(),
        'read-store': () => this.readStore(),
        storage: () => this.storage(),
      },
      engine: this.engine && { ask: this.engine },
      tell: (what, { service }, reason) => {
        this.told.push(`${service} ${what}`);
        this.reasons.push(reason);
      },
      onFault: (error) => void this.faults.push(error),
      now: () => this.now,
      intervalMs: 3_600_000,
    });
    return { log, store, outages };
  }

  async events(stream: string) {
    const { log } = setUp({
      store: this.inner,
      definitions: [...incidentEvents, ...outageDefinitions, ...memoryEvents],
    });
    return (await log.load(stream)).events;
  }

  async states(service: string): Promise<unknown[]> {
    return (await this.events(`system-${service}`)).map(({ type, data }) => `${type} ${data['state'] as string}`);
  }
}

let world: World;
let one: ReturnType<World['process']>;
beforeEach(() => {
  world = new World();
  one = world.process();
});
afterEach(() => one.outages.stop());

const DOWN = 'SERVICE_UNAVAILABLE down';
const UP = 'SERVICE_UNAVAILABLE up';

describe('an outage', () => {
  it('of the event store is recorded once at each end, whatever the number of requests that met it', async () => {
    world.refused = true;
    for (let i = 0; i < 20; i++) await expect(one.store.streamVersion('s')).rejects.toThrow(StoreUnavailableError);
    await one.outages.tick();
    await one.outages.tick();
    expect(world.spool.waiting.map(({ event }) => event.type)).toEqual(['SERVICE_UNAVAILABLE']);
    world.refused = false;
    await one.outages.tick();
    await one.outages.tick();
    expect(await world.states('event-store')).toEqual([DOWN, UP]);
    expect(world.told).toEqual(['event-store down', 'event-store up']);
    expect(one.outages.open).toEqual([]);
  });

  it('whose record fails is told, and ends the record of no other', async () => {
    const full = new Error('the spool takes nothing');
    const add = jest.spyOn(world.spool, 'add').mockImplementation(() => {
      throw full;
    });
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    world.readStore = () => Promise.reject(new Error('away'));
    one.outages.failed('read-store', 'away');
    await one.outages.tick();
    expect(world.faults).toContain(full);
    expect(one.outages.open.map(({ service }) => service)).toEqual(['event-store', 'read-store']);
    add.mockRestore();
    world.refused = false;
    world.readStore = async () => undefined;
    await one.outages.tick();
    expect([await world.states('event-store'), await world.states('read-store')]).toEqual([
      [DOWN, UP],
      [DOWN, UP],
    ]);
    expect(one.outages.open).toEqual([]);
    expect(world.faults.at(-1)).toBeNull();
  });

  it('is told with what the error said, in one line of at most 500 characters, which is not recorded', async () => {
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    one.outages.failed('read-store', 'ReadStoreUnavailableError', `no\nanswer ${'x'.repeat(1000)}`);
    one.outages.failed('cache', 'CacheTimeoutError');
    world.refused = false;
    await one.outages.tick();
    expect(world.reasons).toContain('refused by plan');
    expect(world.reasons.find((reason) => reason?.startsWith('no answer xxx'))).toHaveLength(500);
    expect(world.reasons).toContain('CacheTimeoutError');
    expect(JSON.stringify(await world.events('system-event-store'))).not.toContain('refused by plan');
  });

  it('says since when and until when, and follows from nothing that was being read', async () => {
    world.refused = true;
    await one.store.streamVersion('secret-stream').catch(() => undefined);
    world.now += MINUTE;
    world.refused = false;
    await one.outages.tick();
    const [down, up] = await world.events('system-event-store');
    expect(down!.data).toEqual({
      service: 'event-store',
      outage_id: expect.stringMatching(/^out-/),
      state: 'down',
      since: '2026-01-01T12:00:00.000Z',
      due_at: '2026-01-01T12:05:00.000Z',
      until: null,
      fault: 'StoreUnavailableError',
    });
    expect(up!.data).toEqual({ ...down!.data, state: 'up', until: '2026-01-01T12:01:00.000Z' });
  });

  it('of appends alone lasts until one is taken, although everything can be read', async () => {
    world.refusedOf = 'append';
    await one.store.append('s', 'none', [{ id: 'a'.repeat(64), type: 'T', text: '{}' }]).catch(() => undefined);
    await one.outages.tick();
    expect(one.outages.open).toHaveLength(1);
    world.refusedOf = null;
    await one.outages.tick();
    expect(await world.states('event-store')).toEqual([DOWN, UP]);
  });

  it('whose end is recorded while the answer is lost, twice, ends all the same, and is recorded once', async () => {
    one.outages.failed('read-store', 'ReadStoreUnavailableError');
    await one.outages.tick();
    one.outages.failed('read-store', 'ReadStoreUnavailableError');
    while ((await world.states('read-store')).length < 3) await new Promise((resolve) => setImmediate(resolve));
    world.lost = 2;
    await one.outages.tick();
    expect(one.outages.open.map(({ service }) => service)).toContain('read-store');
    await one.outages.tick();
    await one.outages.tick();
    expect(one.outages.open).toEqual([]);
    expect(await world.states('read-store')).toEqual([DOWN, UP, DOWN, UP]);
  });

  it('is recorded at both ends although the spool was too full for its beginning', async () => {
    world.spool = new MemoryFailureSpool(1);
    await one.outages.stop();
    one = world.process();
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    await one.outages.tick();
    world.spool.add(failedWrite('cmd:1'));
    expect(world.spool.waiting.map(({ event }) => event.type)).toEqual(['MEMORY_WRITE_FAIL']);
    world.refused = false;
    await one.outages.tick();
    expect(await world.states('event-store')).toEqual([DOWN, UP]);
  });

  it('that follows on another is another', async () => {
    for (let i = 0; i < 2; i++) {
      one.outages.failed('read-store', 'ReadStoreUnavailableError');
      await one.outages.tick();
    }
    expect(await world.states('read-store')).toEqual([DOWN, UP, DOWN, UP]);
  });

  it('of the cache is a CACHE_ERROR too, and over when the cache says so', async () => {
    one.outages.failed('cache', 'CacheTimeoutError');
    await one.outages.tick();
    expect(one.outages.open).toHaveLength(1);
    one.outages.answered('cache');
    await one.outages.tick();
    expect(await world.states('cache')).toEqual([DOWN, 'CACHE_ERROR down', UP, 'CACHE_ERROR up']);
  });

  it('leaves what else waits in the spool to be appended first, once', async () => {
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    world.spool.add(failedWrite('cmd:1'));
    world.refused = false;
    await one.outages.tick();
    expect((await world.events('access-user_tuff')).map(({ type }) => type)).toEqual(['MEMORY_WRITE_FAIL']);
    expect(world.spool.waiting).toEqual([]);
  });
});

describe('an outage of the language engine', () => {
  const incident = async () => {
    const [down] = await world.events('system-language-engine');
    return world.events(incidentStream(incidentIdOf(down!.metadata.event_id)));
  };
  const down = async (): Promise<void> => {
    one.outages.failed('language-engine', 'server_error');
    one.outages.failed('language-engine', 'timeout');
    await one.outages.tick();
  };
  /** A look, and one more that sees what the engine has answered meanwhile. */
  const looks = async (): Promise<void> => {
    await one.outages.tick();
    await new Promise((resolve) => setImmediate(resolve));
    await one.outages.tick();
  };

  it('is one event, and an incident from then on that is an error', async () => {
    await down();
    expect(await world.states('language-engine')).toEqual([DOWN]);
    expect((await world.events('system-language-engine'))[0]!.data['fault']).toBe('server_error');
    const events = await incident();
    expect(events.map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT']);
    expect(events[0]!.data['severity']).toBe('error');
    expect(one.outages.isDown('language-engine')).toBe(true);
  });

  it('is asked after every 30 seconds while it lasts, and is over when the engine answers', async () => {
    await down();
    world.now += 29_999;
    await looks();
    expect(world.engine).not.toHaveBeenCalled();
    world.now += 1;
    await looks();
    expect(world.engine).toHaveBeenCalledTimes(1);
    world.now += 29_999;
    await looks();
    expect(world.engine).toHaveBeenCalledTimes(1);
    world.engine!.mockResolvedValue(true);
    world.now += 1;
    await looks();
    expect(await world.states('language-engine')).toEqual([DOWN, UP]);
    expect(one.outages.isDown('language-engine')).toBe(false);
    world.now += MINUTE;
    await looks();
    expect(world.engine).toHaveBeenCalledTimes(2);
  });

  it('is over when a turn is answered, and closes its incident with the recovery as cause', async () => {
    await down();
    world.now += 1000;
    one.outages.answered('language-engine');
    await one.outages.tick();
    const [, up] = await world.events('system-language-engine');
    const closed = (await incident()).at(-1)!;
    expect(closed).toMatchObject({
      type: 'INCIDENT_CLOSED',
      data: { cause_event_id: up!.metadata.event_id, closed_at: '2026-01-01T12:00:01.000Z' },
      metadata: { $causationId: up!.metadata.event_id },
    });
    expect(world.told).toEqual(['language-engine down', 'language-engine up']);
  });

  it('is critical after five minutes, and operators are told again, once', async () => {
    await down();
    world.now += 5 * MINUTE + 1;
    for (let i = 0; i < 3; i++) await one.outages.tick();
    const events = await incident();
    expect(events.map(({ type }) => type)).toEqual([
      'INCIDENT_CREATED',
      'ADMIN_ALERT',
      'INCIDENT_ESCALATED',
      'ADMIN_ALERT',
    ]);
    expect(events.slice(2).map(({ data }) => data['severity'])).toEqual(['critical', 'critical']);
    expect(world.told).toEqual(['language-engine down', 'language-engine overdue']);
  });

  it('holds up no look at another service while the engine hangs', async () => {
    await down();
    world.engine!.mockReturnValue(new Promise(() => undefined));
    world.now += 30_000;
    one.outages.failed('read-store', 'ReadStoreUnavailableError');
    await looks();
    expect(await world.states('read-store')).toEqual([DOWN, UP]);
    expect(one.outages.isDown('language-engine')).toBe(true);
  });

  it('that an earlier process left lasts until the engine answers, which is asked at once', async () => {
    await down();
    await one.outages.stop();
    const next = world.process();
    await next.outages.start();
    expect(next.outages.isDown('language-engine')).toBe(true);
    expect(world.engine).toHaveBeenCalledTimes(1);
    next.outages.answered('language-engine');
    await next.outages.tick();
    expect(await world.states('language-engine')).toEqual([DOWN, UP]);
    await next.outages.stop();
  });

  it('that an earlier process left is over where no engine is configured any more', async () => {
    await down();
    await one.outages.stop();
    world.engine = null;
    const next = world.process();
    await next.outages.start();
    expect(await world.states('language-engine')).toEqual([DOWN, UP]);
    await next.outages.stop();
  });

  it('has a last recovery once it is over, and none while it lasts', async () => {
    const last = () => lastRecovery(one.log, 'language-engine');
    expect(await last()).toBeNull();
    await down();
    expect(await last()).toBeNull();
    one.outages.answered('language-engine');
    await one.outages.tick();
    expect(await last()).toBe((await world.events('system-language-engine')).at(-1)!.metadata.event_id);
    await down();
    expect(await last()).toBeNull();
  });
});

describe('a failure while the end of an outage is being recorded', () => {
  it.each(['cache', 'language-engine'] as const)('begins another of the %s', async (service) => {
    one.outages.failed(service, 'first');
    await one.outages.tick();
    const execute = one.log.execute.bind(one.log);
    const spy = jest.spyOn(one.log, 'execute').mockImplementation(async (command) => {
      const done = await execute(command);
      spy.mockImplementation(execute);
      one.outages.failed(service, 'second');
      return done;
    });
    one.outages.answered(service);
    await one.outages.tick();
    await one.outages.tick();
    expect((await world.states(service)).filter((state) => String(state).startsWith('SERVICE_UNAVAILABLE'))).toEqual([
      DOWN,
      UP,
      DOWN,
    ]);
    expect(one.outages.isDown(service)).toBe(true);
  });
});

describe('outages of one engine that two earlier processes left', () => {
  it('are both over when the engine answers, with the incident of each', async () => {
    const other = world.process();
    for (const { outages } of [one, other]) {
      outages.failed('language-engine', 'server_error');
      await outages.tick();
      await outages.stop();
    }
    const next = world.process();
    await next.outages.start();
    next.outages.answered('language-engine');
    await next.outages.tick();
    expect((await world.states('language-engine')).sort()).toEqual([DOWN, DOWN, UP, UP]);
    expect(next.outages.open).toEqual([]);
    for (const { type, data, metadata } of await world.events('system-language-engine')) {
      if (data['state'] !== 'down') continue;
      const incident = await world.events(incidentStream(incidentIdOf(metadata.event_id)));
      expect([type, incident.at(-1)!.type]).toEqual(['SERVICE_UNAVAILABLE', 'INCIDENT_CLOSED']);
    }
    await next.outages.stop();
  });
});

describe('a crash that a start finds', () => {
  const found = async () => {
    const next = world.process();
    await next.outages.start();
    next.outages.failed('process', 'ProcessCrashed', 'it served since noon');
    await next.outages.tick();
    return next;
  };
  const incident = async () => {
    const cause = (await world.events('system-process')).find(({ type }) => type === 'PROCESS_CRASHED')!;
    return world.events(incidentStream(incidentIdOf(cause.metadata.event_id)));
  };

  it('is one incident, a warning, until the process has run for a minute', async () => {
    const next = await found();
    world.now += MINUTE - 1;
    await next.outages.tick();
    expect((await incident()).map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT']);
    expect((await incident())[0]!.data).toMatchObject({ severity: 'warning', cause_type: 'PROCESS_CRASHED' });
    expect(next.outages.isDown('process')).toBe(true);
    world.now += 1;
    await next.outages.tick();
    expect((await incident()).at(-1)!.type).toBe('INCIDENT_CLOSED');
    expect(next.outages.isDown('process')).toBe(false);
    await next.outages.stop();
  });

  it('is one outage with those that follow within the minute, and critical once that goes on for five', async () => {
    for (let i = 0; i < 8; i++) {
      const next = await found();
      world.now += 50_000;
      await next.outages.stop();
    }
    const last = await found();
    expect(await world.states('process')).toEqual([DOWN, 'PROCESS_CRASHED down']);
    expect((await incident()).map(({ type }) => type)).toEqual([
      'INCIDENT_CREATED',
      'ADMIN_ALERT',
      'INCIDENT_ESCALATED',
      'ADMIN_ALERT',
    ]);
    await last.outages.stop();
  });
});

describe('a shortage of room', () => {
  it('is recorded at both ends with one critical incident, at once and whatever the number of refusals', async () => {
    world.storage = () => Promise.reject(new StorageFullError('full'));
    for (let i = 0; i < 3; i++) one.outages.failed('storage', 'StorageFullError');
    world.now += 1;
    for (let i = 0; i < 3; i++) await one.outages.tick();
    const [, cause] = await world.events('system-storage');
    expect(cause!.data).toEqual({ outage_id: expect.any(String), state: 'down', fault: 'StorageFullError' });
    const incident = () => world.events(incidentStream(incidentIdOf(cause!.metadata.event_id)));
    expect((await incident())[0]!.data).toMatchObject({ severity: 'critical', cause_type: 'STORAGE_FULL' });
    world.now += 6 * MINUTE;
    await one.outages.tick();
    expect((await incident()).map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT']);
    world.storage = async () => undefined;
    await one.outages.tick();
    expect((await incident()).at(-1)!.type).toBe('INCIDENT_CLOSED');
    expect(await world.states('storage')).toEqual([DOWN, 'STORAGE_FULL down', UP, 'STORAGE_FULL up']);
    expect(one.outages.open).toEqual([]);
  });
});

describe('an outage of more than five minutes', () => {
  const incidentOf = async (service: string) => {
    const [down] = await world.events(`system-${service}`);
    return world.events(incidentStream(incidentIdOf(down!.metadata.event_id)));
  };

  it('is one critical incident while it lasts, and none at five minutes exactly', async () => {
    world.readStore = () => Promise.reject(new Error('gone'));
    one.outages.failed('read-store', 'ReadStoreUnavailableError');
    world.now += 5 * MINUTE;
    await one.outages.tick();
    expect(await incidentOf('read-store')).toEqual([]);
    world.now += 1;
    for (let i = 0; i < 3; i++) await one.outages.tick();
    const events = await incidentOf('read-store');
    expect(events.map(({ type }) => type)).toEqual(['INCIDENT_CREATED', 'ADMIN_ALERT']);
    expect(events[0]!.data).toMatchObject({
      severity: 'critical',
      cause_type: 'SERVICE_UNAVAILABLE',
      cause_stream: 'system-read-store',
    });
    expect(world.told).toEqual(['read-store down', 'read-store overdue']);
  });

  it('of the event store itself is an incident before it is over, under the id of the event that waited', async () => {
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    const cause = causeOf(one.outages.open[0]!);
    world.now += 6 * MINUTE;
    await one.outages.tick();
    world.refused = false;
    await one.outages.tick();
    const [incident] = await incidentOf('event-store');
    expect(incident!.data['cause_event_id']).toBe(cause.event_id);
    expect(await world.states('event-store')).toEqual([DOWN, UP]);
  });

  it('that an earlier process left is an incident at the start, by the due time on record, and is closed', async () => {
    world.readStore = () => Promise.reject(new Error('gone'));
    one.outages.failed('read-store', 'ReadStoreUnavailableError');
    await one.outages.tick();
    await one.outages.stop();
    world.now += 6 * MINUTE;
    world.readStore = async () => undefined;
    const next = world.process();
    await next.outages.start();
    expect((await incidentOf('read-store')).map(({ type }) => type)).toEqual([
      'INCIDENT_CREATED',
      'ADMIN_ALERT',
      'INCIDENT_CLOSED',
    ]);
    expect(await world.states('read-store')).toEqual([DOWN, UP]);
    const third = world.process();
    await third.outages.start();
    expect(await world.states('read-store')).toEqual([DOWN, UP]);
    await Promise.all([next.outages.stop(), third.outages.stop()]);
  });

  it('whose beginning still waits in the spool is one after a restart too', async () => {
    world.refused = true;
    await one.store.streamVersion('s').catch(() => undefined);
    await one.outages.stop();
    world.now += 6 * MINUTE;
    world.refused = false;
    const next = world.process();
    await next.outages.start();
    expect(await world.states('event-store')).toEqual([DOWN, UP]);
    expect(await incidentOf('event-store')).toHaveLength(3);
    await next.outages.stop();
  });
});

function failedWrite(jobSeed: string): SpooledEvent {
  return {
    stream: 'access-user_tuff',
    event: {
      type: 'MEMORY_WRITE_FAIL',
      data: { key: 'k', error_code: 'SEM_WRITE_FAIL', attempts: 2, fault: 'StoreUnavailableError' },
    },
    provenance: { jobSeed, sequenceIndex: 2, actor: { id: 'user_tuff', role: 'user' }, traceId: 't' },
  };
}
