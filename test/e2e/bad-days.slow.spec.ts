import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { type EventStore, MemoryEventStore, START } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';

import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import { MongoWire } from '../fixtures/mongodb-wire/mongodb-wire.js';
import { eventually, until } from '../support/eventually.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';

/**
 * A server as a process of its own on EventStoreDB and MongoDB, doubles that are reached over sockets, under load on bad
 * days of theirs and of the clock's: what was acknowledged is there once, read models are as a fresh run makes them, and
 * the log says what happened once an outage.
 */

jest.setTimeout(300_000);

const WRITERS = 6;
const OUTAGE_MS = 10_000;
const SLOW_MS = 400;
const JUMP_MS = 1_800_000;

/** Lets a process's clock jump: each SIGUSR2 by half an hour, there and back. */
const JUMPING_CLOCK = `data:text/javascript,${encodeURIComponent(`
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  process.on('SIGUSR2', () => { ahead = ahead === 0 ? ${JUMP_MS} : 0; });`)}`;

interface Acknowledged {
  readonly stream: string;
  readonly event_id: string;
  readonly revision: number;
}
interface ProjectionView {
  readonly name: string;
  readonly state: string;
  readonly lag: { readonly seconds: number };
}
interface Rerun {
  readonly state: string;
  readonly result?: { readonly equal: boolean } | null;
}

let folder: string;
let store: EventStore;
let events: EventStoreWire;
let mongo: MongoWire;
let settings: Readonly<Record<string, string>>;
let server: ServedProcess;
let tokens: Readonly<Record<'user' | 'operator', string>>;
const acknowledged: Acknowledged[] = [];
const jobs: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-bad-days-'));
  store = new MemoryEventStore();
  [events, mongo] = await Promise.all([EventStoreWire.start({ store }), MongoWire.start()]);
  settings = {
    MACE_EVENT_STORE: 'eventstoredb',
    EVENTSTORE_URL: events.url,
    MACE_READ_STORE: 'mongodb',
    MONGODB_URL: mongo.url,
  };
  server = await ServedProcess.start(folder, { ...settings, NODE_OPTIONS: `--import=${JUMPING_CLOCK}` });
  tokens = { user: await token('user'), operator: await token('operator') };
});
afterAll(async () => {
  await server?.kill();
  await mongo.close();
  await events.close();
  rmSync(folder, { recursive: true, force: true });
});

function token(role: Role): Promise<string> {
  const order = { issuer: 'mace', audience: 'mace', userId: role, roles: [role], ttlSeconds: 7200, amr: ['otp'] };
  return signToken(new KeyRing(readKeyFile(keyFileIn(folder))), { ...order, now: Date.now() });
}

async function call<T>(role: 'user' | 'operator', method: string, path: string, body?: unknown) {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${tokens[role]}`, 'content-type': 'application/json', ...EACH_ITS_OWN },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
}

const ready = async (): Promise<number> =>
  (await fetch(`${server.url}/health/ready`, { headers: EACH_ITS_OWN })).status;

/** Writers who never rest, until `end` is called; what is answered with 200 counts as acknowledged. */
class Load {
  readonly refusals = new Map<string, number>();
  private isOver = false;
  private readonly writers = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));

  async end(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.writers);
  }

  /** So many more answers of 200, from now on. */
  async acknowledges(count: number): Promise<void> {
    const before = acknowledged.length + jobs.length;
    await until(() => acknowledged.length + jobs.length >= before + count, `${count} answers`);
  }

  private async write(writer: number): Promise<void> {
    for (let i = 0; !this.isOver; i++) {
      if (i % 5 === 4) await this.ask(writer);
      else await this.put(`user/profile/user_user/key_${writer}`, `value ${(number += 1)}`);
    }
  }

  private async put(key: string, value: string): Promise<void> {
    const { status, body } = await call<Acknowledged & { error_code: string }>('user', 'PUT', `/sem/${key}`, { value });
    if (status === 200) acknowledged.push({ ...body, stream: `sem-${key}` });
    else await this.refused(status, body.error_code);
  }

  private async ask(writer: number): Promise<void> {
    const order = { query_text: `${writer} + ${(number += 1)}` };
    const { status, body } = await call<{ job_id: string; error_code: string }>('user', 'POST', '/jobs', order);
    if (status === 200) jobs.push(body.job_id);
    else await this.refused(status, body.error_code);
  }

  private async refused(status: number, code: string): Promise<void> {
    const name = `${status} ${code}`;
    this.refusals.set(name, (this.refusals.get(name) ?? 0) + 1);
    // Who is refused does not insist at once.
    await sleep(50);
  }
}
let number = 0;

/** What the process has written to its log since, without times, each line with how often it stands there. */
function said(from: number): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of server.log().slice(from).split('\n')) {
    const text = line.replace(/^[\d:.]+ +/, '').replace(/ [a-z_]+=.*$/, '');
    if (text !== '') lines.set(text, (lines.get(text) ?? 0) + 1);
  }
  return lines;
}

async function underLoad(day: (load: Load) => Promise<void>): Promise<{ load: Load; lines: Map<string, number> }> {
  const from = server.log().length;
  const load = new Load();
  try {
    await load.acknowledges(10);
    await day(load);
    await load.acknowledges(10);
  } finally {
    await load.end();
  }
  await until(async () => (await ready()) === 200, 'readiness');
  return { load, lines: said(from) };
}

const namesOf = ({ refusals }: Load): string[] => [...refusals.keys()];

/** What clients are told while a store is away. */
const OF_OUTAGES = ['500 SEM_WRITE_FAIL', '503 DATA_UNAVAILABLE'];

/** The number of requests that failed in an outage, which comes a minute after its first one: perhaps on the next day. */
const OF_EARLIER = 'error more requests failed in the same way within a minute';

/** Where no client was refused anything, the log has nothing to tell but of the days before. */
function nothingIsTold(lines: Map<string, number>): void {
  expect([...lines.keys()].filter((line) => line !== OF_EARLIER)).toEqual([]);
}

/** However many requests failed: what happened, and one of each kind of them with its stack. */
function isToldBriefly(lines: Map<string, number>): void {
  const told = [...lines].filter(([line]) => !line.startsWith('    at '));
  for (const [line, times] of told) expect({ line, often: times > 4 }).toEqual({ line, often: false });
  expect(told.length).toBeLessThanOrEqual(6);
}

/** Nothing that was acknowledged is missing, and nothing stands there twice. */
async function everythingIsThereOnce(): Promise<void> {
  const places = new Map<string, string>();
  for (let after = START; ;) {
    const page = await store.readAll({ after, limit: 1000 });
    for (const { stream, revision, text } of page.events) {
      const { event_id } = (JSON.parse(text) as { metadata: { event_id: string } }).metadata;
      expect(places.get(event_id)).toBeUndefined();
      places.set(event_id, `${revision} of ${stream}`);
    }
    after = page.scannedTo;
    if (page.atHead) break;
  }
  for (const { stream, event_id, revision } of acknowledged)
    expect(places.get(event_id)).toBe(`${revision} of ${stream}`);
  const streams = new Set([...places.values()].map((place) => place.replace(/^.* of /, '')));
  for (const job of jobs) expect(streams).toContain(`job-${job}`);
}

async function readModelsAreAsFreshOnes(): Promise<void> {
  const list = async () => (await call<{ items: ProjectionView[] }>('operator', 'GET', '/projections')).body.items;
  let asleep: ProjectionView[] = [];
  await eventually(async () => {
    asleep = (await list()).filter(({ state }) => state !== 'live');
    return asleep.length === 0 ? true : null;
  }).catch(() => expect(asleep).toEqual([]));
  for (const { name } of await list()) {
    const path = `/projections/${name}/rerun`;
    const { status, body } = await call<{ rerun_id: string }>('operator', 'POST', path, {});
    expect({ name, status }).toEqual({ name, status: 202 });
    const done = await eventually(async () => {
      const found = (await call<Rerun>('operator', 'GET', `/projections/${name}/reruns/${body.rerun_id}`)).body;
      return found.state === 'running' ? null : found;
    }, `the rerun of ${name}`);
    expect({ name, done }).toMatchObject({ name, done: { result: { equal: true } } });
  }
}

describe('under load', () => {
  afterEach(everythingIsThereOnce);

  it(`an event store that is gone for ${OUTAGE_MS / 1000} s costs answers, and nothing else`, async () => {
    const { load, lines } = await underLoad(async () => {
      await events.stop();
      await until(async () => (await ready()) === 503, 'what /health/ready says');
      await sleep(OUTAGE_MS);
      await events.listen();
    });
    expect(namesOf(load)).toEqual(expect.arrayContaining(['500 SEM_WRITE_FAIL']));
    expect(OF_OUTAGES).toEqual(expect.arrayContaining(namesOf(load)));
    expect(lines.get('error a service is out of reach')).toBe(1);
    isToldBriefly(lines);
  });

  it('an event store that is slow slows answers, and fails none', async () => {
    const { load, lines } = await underLoad(async (going) => {
      const later = (): { kind: 'wait'; until: Promise<unknown> } => ({ kind: 'wait', until: sleep(SLOW_MS) });
      for (let i = 0; i < 5; i++) {
        events.misbehave('append', [later(), later(), later()]);
        events.misbehave('read', [later(), later()]);
        await going.acknowledges(2);
      }
    });
    expect(namesOf(load)).toEqual([]);
    nothingIsTold(lines);
  });

  it('appends whose connection is reset before their answer are written once', async () => {
    const { load, lines } = await underLoad(async (going) => {
      for (let i = 0; i < 5; i++) {
        events.misbehave('append', [{ kind: 'lose the answer' }]);
        await going.acknowledges(5);
        await events.settled();
      }
    });
    expect(OF_OUTAGES).toEqual(expect.arrayContaining(namesOf(load)));
    isToldBriefly(lines);
  });

  it('subscriptions that break off and deliver again leave read models as they should be', async () => {
    const { load, lines } = await underLoad(async (going) => {
      for (let i = 0; i < 4; i++) {
        events.reset();
        await events.settled();
        await going.acknowledges(5);
      }
    });
    expect(OF_OUTAGES).toEqual(expect.arrayContaining(namesOf(load)));
    isToldBriefly(lines);
    await readModelsAreAsFreshOnes();
  });

  it('a MongoDB that is gone for a while costs answers, and nothing else', async () => {
    const { load, lines } = await underLoad(async () => {
      await mongo.stop();
      await sleep(3000);
      await mongo.listen();
    });
    expect(OF_OUTAGES).toEqual(expect.arrayContaining(namesOf(load)));
    isToldBriefly(lines);
    await readModelsAreAsFreshOnes();
  });

  it('a clock that jumps by half an hour, there and back, changes nothing', async () => {
    const { load, lines } = await underLoad(async (going) => {
      for (let i = 0; i < 4; i++) {
        server.tell('SIGUSR2');
        await going.acknowledges(10);
      }
    });
    expect(namesOf(load)).toEqual([]);
    nothingIsTold(lines);
    await readModelsAreAsFreshOnes();
  });
});

it('after all of that it ends as told, and every job replays', async () => {
  expect(await server.stop()).toBe(0);
  expect(await everyServedJobReplays(folder, {}, settings)).toBeGreaterThanOrEqual(jobs.length);
});
