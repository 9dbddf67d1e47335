import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { FailedWritesPage, IncidentRow, ListPage } from '#lib/incidents';
import { type ReadStore, ReadStoreUnavailableError } from '#lib/read-store';

import { FaultyEventStore } from '../../../../libs/event-store/src/faults/faulty-event-store.js';
import { eventually } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import type { Wiring } from '../platform.js';

type Body = Record<string, unknown>;

const COLOR = 'user/profile/user_tuff/favorite_color';
const WRITE_FAIL = 'I tried to save that but my memory failed. I might not remember this next time.';
const NO_DATA = 'I can’t reach my stored data right now. Try again later.';
const MINUTE = 60_000;
const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

/** What is out of reach, and the time by which outages are overdue. */
const world = { events: false, memory: false, documents: false, now: Date.now() };

const wiring: Wiring = {
  stores: (stores) => ({
    ...stores,
    eventStore: new FaultyEventStore(stores.eventStore, ({ method, stream }) =>
      world.events || (world.memory && method === 'append' && stream?.startsWith('sem-user/'))
        ? { kind: 'refused' }
        : undefined,
    ),
    readStore: failing(stores.readStore),
  }),
  outageIntervalMs: 20,
  now: () => world.now,
};

let app: JobApp;
let operator: Caller;
let tuff: Caller;
beforeAll(async () => {
  app = await JobApp.open(wiring);
  await callers();
  for (const service of ['event-store', 'read-store']) statesBefore.set(service, (await allStatesOf(service)).length);
});
// The event store comes back where a test says so: between two tests somebody may look, and end the outage.
afterEach(() => Object.assign(world, { memory: false, documents: false }));
afterAll(() => app.dispose());

const spoolFile = (): string => join(app.folder, 'failure-spool.jsonl');
const statesBefore = new Map<string, number>();
const allStatesOf = async (service: string): Promise<unknown[]> =>
  (await app.stream(`system-${service}`)).map(({ type, data }) => `${type} ${data['state'] as string}`);
/** Of this file's own outages: the first start of a run may have had one with a server. */
const statesOf = async (service: string): Promise<unknown[]> =>
  (await allStatesOf(service)).slice(statesBefore.get(service) ?? 0);
const failedWrites = async (query = ''): Promise<FailedWritesPage> =>
  (await operator.get<FailedWritesPage>(`/incidents/failed-writes${query}`)).body;
const ends = (service: string, count: number): Promise<unknown[]> =>
  eventually(async () => {
    const states = await statesOf(service).catch(() => []);
    return states.length >= count ? states : null;
  });

describe('while the event store is out of reach', () => {
  const KEY = 'outage-1';
  const seed = `cmd:${sha256(`user_tuff\nPUT\n/sem/${COLOR}\n${KEY}`).slice(0, 32)}`;

  beforeAll(async () => {
    expect((await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' })).status).toBe(200);
    expect((await tuff.ask('What is 2 + 3?', { job_seed: 'before-the-outage' })).status).toBe(200);
    // Lists follow what is stored; during the outage they stay where they are.
    await eventually(async () => {
      const { items } = (await tuff.get<{ readonly items: readonly unknown[] }>('/jobs')).body;
      return items.length === 1 ? items : null;
    }, 'the job in the list');
    // Who has not been here before cannot be told from whoever has the like of his name: that stands in the log.
    expect((await operator.get('/incidents')).status).toBe(200);
  });

  it('a write is refused, and its failure waits on disk: ids, types and keys, no value', async () => {
    world.events = true;
    const refused = await tuff.send<Body>('PUT', `/sem/${COLOR}`, { value: 'vermilion' }, { 'idempotency-key': KEY });
    expect(refused).toMatchObject({ status: 500, body: { error_code: 'SEM_WRITE_FAIL', user_message: WRITE_FAIL } });
    expect(statSync(spoolFile()).mode & 0o777).toBe(0o600);
    const spooled = readFileSync(spoolFile(), 'utf8');
    expect(spooled).not.toContain('vermilion');
    expect(
      spooled
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { event: Body }).event['type'])
        .sort(),
    ).toEqual(['MEMORY_WRITE_FAIL', 'RETRY_ATTEMPT', 'SERVICE_UNAVAILABLE']);
  });

  it('operators see the write by its key all the same', async () => {
    world.events = true;
    const page = await failedWrites(`?key=${encodeURIComponent(COLOR)}`);
    expect(page.items).toEqual([]);
    expect(page.waiting).toEqual([
      {
        key: COLOR,
        error_code: 'SEM_WRITE_FAIL',
        attempts: 2,
        fault: 'StoreUnavailableError',
        event_id: sha256(`${seed}:2:MEMORY_WRITE_FAIL`),
        stream: 'access-user_tuff',
      },
    ]);
  });

  it('a read answers what can still be known, else DATA_UNAVAILABLE; nothing is acknowledged', async () => {
    world.events = true;
    const unavailable = { status: 503, body: { error_code: 'DATA_UNAVAILABLE', user_message: NO_DATA } };
    expect(await tuff.get<Body>(`/sem/${COLOR}`)).toMatchObject(unavailable);
    expect(await tuff.get<Body>('/health/ready')).toMatchObject(unavailable);
    expect(await tuff.ask('What is 3 + 3?')).toMatchObject(unavailable);
    expect((await tuff.get<Body>('/jobs')).body['items']).toHaveLength(1);
    expect((await operator.get('/incidents')).status).toBe(200);
    expect((await operator.get<Body>('/modules')).body['items']).not.toEqual([]);
    expect((await tuff.get<Body>('/sem/resolve?text=my%20favorite%20color')).body['canonical_key']).toBe(COLOR);
    expect((await tuff.get('/health/live')).status).toBe(200);
  });

  it('a restart keeps what waits, and at the return each is appended once, under its own id', async () => {
    // The process ends in the middle of the outage, and another one begins once the store is back.
    world.events = true;
    await app.whileClosed(() => {
      expect(existsSync(spoolFile())).toBe(true);
      world.events = false;
    });
    await callers();
    expect(await ends('event-store', 2)).toEqual(['SERVICE_UNAVAILABLE down', 'SERVICE_UNAVAILABLE up']);
    const trail = (await app.stream('access-user_tuff')).filter(({ metadata }) => metadata.job_seed === seed);
    expect(trail.map(({ type, metadata }) => [type, metadata.event_id])).toEqual([
      ['RETRY_ATTEMPT', sha256(`${seed}:1:RETRY_ATTEMPT`)],
      ['MEMORY_WRITE_FAIL', sha256(`${seed}:2:MEMORY_WRITE_FAIL`)],
    ]);
    expect(existsSync(spoolFile())).toBe(false);
    const page = await eventually(async () => {
      const found = await failedWrites();
      return found.items.length > 0 ? found : null;
    });
    expect(page.waiting).toEqual([]);
    expect(page.items).toMatchObject([{ key: COLOR, error_code: 'SEM_WRITE_FAIL', stream: 'access-user_tuff' }]);
  });

  it('a refused write is never applied later', async () => {
    expect((await tuff.get<Body>(`/sem/${COLOR}`)).body['value']).toBe('blue');
    expect((await app.texts()).filter((text) => text.includes('vermilion'))).toEqual([]);
    expect((await app.stream(`sem-${COLOR}`)).map(({ data }) => data['value'])).toEqual(['blue']);
  });

  it('another outage is another pair, whatever the number of requests that met it', async () => {
    world.events = true;
    await Promise.all(Array.from({ length: 20 }, () => tuff.get(`/sem/${COLOR}`)));
    world.events = false;
    expect(await ends('event-store', 4)).toHaveLength(4);
    expect((await tuff.send('PUT', `/sem/${COLOR}`, { value: 'green' })).status).toBe(200);
    expect(await statesOf('event-store')).toHaveLength(4);
  });
});

describe('while memory takes no write, and the log takes the rest', () => {
  it('a job and a direct write fail alike, each on record in its own stream, and operators see both by the key', async () => {
    world.memory = true;
    const fail = { status: 500, body: { error_code: 'SEM_WRITE_FAIL', user_message: WRITE_FAIL } };
    expect(await tuff.send<Body>('PUT', `/sem/${COLOR}`, { value: 'red' })).toMatchObject(fail);
    const asked = await tuff.ask('Remember that my favorite color is red');
    expect(asked).toMatchObject(fail);
    world.memory = false;
    const job = `job-${asked.body.meta['job_id'] as string}`;
    const page = await eventually(async () => {
      const found = await failedWrites(`?key=${encodeURIComponent(COLOR)}`);
      return found.items.length === 3 ? found : null;
    });
    expect(page.items.map(({ stream, attempts }) => [stream, attempts])).toEqual([
      [job, 2],
      ['access-user_tuff', 2],
      ['access-user_tuff', 2],
    ]);
    expect((await tuff.get<Body>(`/sem/${COLOR}`)).body['value']).toBe('green');
  });
});

describe('while the read store is out of reach', () => {
  it('lists are DATA_UNAVAILABLE and what is read by its id is not; the outage is recorded at once', async () => {
    world.documents = true;
    expect(await tuff.get<Body>('/jobs')).toMatchObject({ status: 503, body: { error_code: 'DATA_UNAVAILABLE' } });
    expect((await tuff.get<Body>(`/sem/${COLOR}`)).body['value']).toBe('green');
    expect((await tuff.ask('What is 4 + 4?')).body.final_answer).toBe('4 + 4 = 8.');
    expect(await ends('read-store', 1)).toEqual(['SERVICE_UNAVAILABLE down']);
    world.documents = false;
    expect(await ends('read-store', 2)).toEqual(['SERVICE_UNAVAILABLE down', 'SERVICE_UNAVAILABLE up']);
    expect((await tuff.get('/jobs')).status).toBe(200);
  });

  it('for more than five minutes, it is one critical incident, with its outage as the cause', async () => {
    world.documents = true;
    expect((await tuff.get('/jobs')).status).toBe(503);
    await ends('read-store', 3);
    const down = (await app.stream('system-read-store')).at(-1)!;
    const incident = `inc-${sha256(`after:incidents:${down.metadata.event_id}:incident`).slice(0, 32)}`;
    world.now += 5 * MINUTE - 1000;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await app.stream(`incident-${incident}`)).toEqual([]);
    world.now += 2 * MINUTE;
    const opened = await eventually(async () => {
      const events = await app.stream(`incident-${incident}`);
      return events.length > 0 ? events : null;
    });
    expect(opened.map(({ type, data }) => [type, data['severity']])).toEqual([
      ['INCIDENT_CREATED', 'critical'],
      ['ADMIN_ALERT', 'critical'],
    ]);
    world.documents = false;
    await ends('read-store', 4);
    const row = await eventually(async () => {
      const { body } = await operator.get<ListPage<IncidentRow>>('/incidents?severity=critical');
      return body.items?.find(({ incident_id }) => incident_id === incident) ?? null;
    });
    expect(row.cause).toEqual({
      event_id: down.metadata.event_id,
      type: 'SERVICE_UNAVAILABLE',
      stream: 'system-read-store',
    });
  });

  it('when the process ends, the due time on record makes it an incident at the next start', async () => {
    world.documents = true;
    expect((await tuff.get('/jobs')).status).toBe(503);
    await ends('read-store', 5);
    const down = (await app.stream('system-read-store')).at(-1)!;
    const incident = `inc-${sha256(`after:incidents:${down.metadata.event_id}:incident`).slice(0, 32)}`;
    await app.whileClosed(() => {
      world.documents = false;
      world.now += 6 * MINUTE;
    });
    await callers();
    expect((await app.stream(`incident-${incident}`)).map(({ type }) => type)).toEqual([
      'INCIDENT_CREATED',
      'ADMIN_ALERT',
      'INCIDENT_CLOSED',
    ]);
    expect((await statesOf('read-store')).at(-1)).toBe('SERVICE_UNAVAILABLE up');
  });
});

async function callers(): Promise<void> {
  [operator, tuff] = await Promise.all([app.caller('olga', ['operator']), app.caller('tuff')]);
}

/** A read store whose calls are refused while the world says so. */
function failing(store: ReadStore): ReadStore {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const call = member.bind(target) as (...args: unknown[]) => unknown;
      if (name === 'close') return call;
      return (...args: unknown[]) =>
        world.documents ? Promise.reject(new ReadStoreUnavailableError('refused by the test')) : call(...args);
    },
  });
}
