import { NO_STATE, START } from '#lib/event-store';
import { traceId, type EventDefinition, type JsonObject } from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { setUp } from '../../event-store/src/testing/codec-support.js';
import { incidentIdOf } from './domain/incident.js';
import { incidentEvents, incidentStream } from './domain/incidents.events.js';
import { incidentReaction } from './incident-reaction.js';
import { LastingIncidents } from './lasting-incidents.js';
import { incidentsProjection, type LastingIncident } from './read-models/incidents.projection.js';

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const CAUSES: EventDefinition[] = [
  { type: 'MEMORY_WRITE_FAIL', version: 1, plain: ['key', 'error_code', 'attempts', 'fault'] },
  { type: 'ACCESS_DENIED', version: 1, plain: ['permission', 'reason', 'count'] },
  { type: 'OTP_LOCKED', version: 1, plain: ['until'] },
];

/** A log with the reaction on it, its list of what lasts, and the clock that the test moves. */
class World {
  now = NOON;
  readonly store = new MemoryEventStore();
  readonly log = setUp({ store: this.store, definitions: [...incidentEvents, ...CAUSES], now: () => this.now }).log;
  readonly faults: unknown[] = [];
  private seeds = 0;
  readonly lasting = new LastingIncidents({
    log: this.log,
    lasting: () => this.list(),
    lockMs: 15 * MINUTE,
    onFault: (fault) => fault !== null && this.faults.push(fault),
    now: () => this.now,
  });

  async happens(type: string, stream: string, data: JsonObject): Promise<string> {
    const jobSeed = `s${this.seeds++}`;
    const provenance = {
      jobSeed,
      sequenceIndex: 0,
      actor: { id: 'system', role: 'system' },
      traceId: traceId(jobSeed),
    };
    const { events } = await this.log.execute({ stream, fold: NO_STATE, provenance, decide: () => [{ type, data }] });
    await incidentReaction(this.log).react(events[0]!);
    return events[0]!.metadata.event_id;
  }

  /** What the read model would hold. */
  private async list(): Promise<LastingIncident[]> {
    const rows = new Map<string, LastingIncident>();
    const { events } = await this.store.readAll({ after: START, limit: 4096 });
    for (const recorded of events) {
      if (!incidentsProjection.types.includes(recorded.type)) continue;
      for (const change of incidentsProjection.project(this.log.codec.decode(recorded))) {
        if (change.collection !== 'lasting_incidents') continue;
        if (change.op === 'put') rows.set(change.id, change.body as unknown as LastingIncident);
        if (change.op === 'delete') rows.delete(change.id);
      }
    }
    return [...rows.values()];
  }

  async incident(cause: string): Promise<string[]> {
    return (await this.log.load(incidentStream(incidentIdOf(cause)))).events.map(({ type }) => type);
  }
}

const OPENED = ['INCIDENT_CREATED', 'ADMIN_ALERT'];
const CLOSED = [...OPENED, 'INCIDENT_CLOSED'];

describe('an incident that is over by itself', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
    // By which the store says when it took what.
    jest.spyOn(Date, 'now').mockImplementation(() => world.now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('of writes that memory does not take is one for as long as they go on, and is closed a minute after the last', async () => {
    const fails = () =>
      world.happens('MEMORY_WRITE_FAIL', 'access-user_tuff', {
        key: 'k',
        error_code: 'SEM_WRITE_FAIL',
        attempts: 2,
        fault: 'StoreUnavailableError',
      });
    const causes: string[] = [];
    for (let i = 0; i < 20; i++) {
      causes.push(await fails());
      world.now += 20_000;
      await world.lasting.look();
    }
    const opened = await Promise.all(causes.map((cause) => world.incident(cause)));
    expect(opened.filter(({ length }) => length > 0)).toEqual([OPENED]);
    world.now += MINUTE;
    await world.lasting.look();
    expect(await world.incident(causes[2]!)).toEqual(CLOSED);
    await world.lasting.look();
    expect(await world.incident(causes[2]!)).toEqual(CLOSED);
    for (let i = 0; i < 3; i++) causes.push(await fails());
    expect(await world.incident(causes.at(-1)!)).toEqual(OPENED);
    expect(world.faults).toEqual([]);
  });

  it('of a locked second factor is closed when the lock is', async () => {
    const cause = await world.happens('OTP_LOCKED', 'principal-user_tuff', { until: 'later' });
    world.now += 15 * MINUTE - 1;
    await world.lasting.look();
    expect(await world.incident(cause)).toEqual(OPENED);
    world.now += 1;
    await world.lasting.look();
    expect(await world.incident(cause)).toEqual(CLOSED);
  });

  it('of refusals of one principal is closed once those of ten minutes are no longer too many', async () => {
    const cause = await world.happens('ACCESS_DENIED', 'access-user_eve', { permission: 'p', reason: 'r', count: 21 });
    world.now += 9 * MINUTE;
    await world.happens('ACCESS_DENIED', 'access-user_eve', { permission: 'p', reason: 'r', count: 20 });
    await world.lasting.look();
    expect(await world.incident(cause)).toEqual(OPENED);
    world.now += 2 * MINUTE;
    await world.lasting.look();
    expect(await world.incident(cause)).toEqual(CLOSED);
  });

  it('that cannot be looked at is told of, and looked at again', async () => {
    await world.happens('OTP_LOCKED', 'principal-user_tuff', { until: 'later' });
    world.now += 15 * MINUTE;
    const append = jest.spyOn(world.store, 'append').mockRejectedValueOnce(new Error('gone'));
    await world.lasting.look();
    expect(world.faults).toHaveLength(1);
    append.mockRestore();
    await world.lasting.look();
    expect(world.faults).toHaveLength(1);
  });
});
