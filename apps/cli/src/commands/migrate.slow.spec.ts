import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFileIn } from '#lib/access';
import {
  kidOf,
  openEventStoreDb,
  openMongoSubjectKeys,
  openSqliteEventStore,
  openSqliteSubjectKeys,
  MemoryEventStore,
  type RecordedEvent,
  START,
} from '#lib/event-store';
import { TrustReactor } from '#lib/selfrep';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { MongoWire } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { inside, own } from '../../../../test/support/inside-server.js';
import { JobApp } from '../../../../test/support/job-app.js';
import { tamper } from '../../../../test/support/tampering.js';
import { openApp } from '../../../api/src/main.open.js';
import { readConfig } from '../../../api/src/platform.config.js';
import { child } from '../testing/child.js';
import { answerOf, mace } from '../testing/mace.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const ORDER = ['migrate', '--from', 'embedded', '--to', 'eventstoredb'] as const;

let scratch: string;
/** As it was left by a server of the embedded store. */
let original: string;
let job: string;
let folder: string;
let events: MemoryEventStore;
let wire: EventStoreWire;
let settings: Readonly<Record<string, string>>;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mace-migrate-'));
  original = join(scratch, 'original');
  const app = await JobApp.open();
  const tuff = await app.caller('tuff');
  expect((await tuff.send('PUT', `/sem/${COLOR}`, { value: 'blue' })).status).toBe(200);
  const asked = await tuff.ask('12.5% of 80');
  expect(asked.status).toBe(200);
  job = asked.body.job_id;
  const { app: opened, platform } = app.parts;
  await opened.nest.get(TrustReactor, { strict: false }).waitFor(await platform.eventStore.head(), 30_000);
  await app.close();
  cpSync(app.folder, original, { recursive: true });
  rmSync(app.folder, { recursive: true });
});
beforeEach(async () => {
  folder = mkdtempSync(join(scratch, 'case-'));
  cpSync(original, folder, { recursive: true });
  events = new MemoryEventStore();
  wire = await EventStoreWire.start({ store: events });
  settings = { EVENTSTORE_URL: wire.url };
});
afterEach(() => wire.close());
afterAll(() => rmSync(scratch, { recursive: true }));

/** As the adapter reads it. */
async function inTarget(): Promise<readonly RecordedEvent[]> {
  const store = await openEventStoreDb({ url: wire.url });
  try {
    return (await store.readAll({ after: START, limit: 4096 })).events;
  } finally {
    await store.close();
  }
}

async function inSource(): Promise<readonly RecordedEvent[]> {
  const held = DataFolder.take(original);
  const store = await openSqliteEventStore({ folder: held });
  try {
    return (await store.readAll({ after: START, limit: 4096 })).events;
  } finally {
    await store.close();
    held.release();
  }
}

/** What an event is, wherever it lies. */
const contentOf = ({ stream, revision, id, type, text }: RecordedEvent) => ({ stream, revision, id, type, text });

/** Commands of a process that has these settings. */
async function under<T>(more: Readonly<Record<string, string>>, use: () => Promise<T>): Promise<T> {
  const given = { ...settings, ...more };
  Object.assign(process.env, given);
  try {
    return await use();
  } finally {
    for (const name of Object.keys(given)) delete process.env[name];
  }
}
const here = (...args: string[]) => mace('--data', folder, ...args);

/** Ends the process from within, around the n-th call of a method of what is built, as a power cut would. */
function deathAt(file: string, kind: string, method: string, n: number, when: 'before' | 'after'): string {
  return `
    ${own(kind, file)}
    const real = ${kind}.prototype.${method};
    let left = ${n};
    ${kind}.prototype.${method} = async function (...args) {
      const isLast = --left === 0;
      if (isLast && '${when}' === 'before') process.kill(process.pid, 'SIGKILL');
      const done = await real.apply(this, args);
      if (isLast) process.kill(process.pid, 'SIGKILL');
      return done;
    };
  `;
}
const APPENDER = ['libs/event-store/src/eventstoredb/appender.js', 'Appender', 'append'] as const;
const RECORDER = ['libs/event-store/src/event-log.js', 'EventLog', 'execute'] as const;
/** As the folder's files are being moved: the n-th renaming of one. */
const deathAtMove = (n: number): string => `
  const fs = (await import('node:fs')).default;
  const { syncBuiltinESMExports } = await import('node:module');
  const real = fs.renameSync;
  let left = ${n};
  fs.renameSync = (...args) => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); return real(...args); };
  syncBuiltinESMExports();
`;
const killed = async (death: string): Promise<void> =>
  expect(await child(['--data', folder, ...ORDER], { ...settings, ...inside(death) })).toMatchObject({
    signal: 'SIGKILL',
  });

const apt = (all: readonly RecordedEvent[]): number => all.filter(({ type }) => type === 'APT_EVENT').length;

/** APT_EVENTs say by positions how far trust is, and those of the source are none of the target. */
async function trustFollows(moved: readonly RecordedEvent[]): Promise<void> {
  expect(apt(moved)).toBeGreaterThan(0);
  const served = { ...settings, MACE_EVENT_STORE: 'eventstoredb', MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' };
  const { app, platform } = await openApp(readConfig(served));
  try {
    await app.nest.get(TrustReactor, { strict: false }).waitFor(moved.at(-1)!.position, 30_000);
    expect(apt(await inTarget())).toBe(apt(moved));
  } finally {
    await app.nest.close();
    await platform.close();
  }
}

/** On another machine, which has the keys, a key folder of its own, and so no checkpoint to hold the log against. */
async function refusedElsewhere(): Promise<void> {
  const machine = mkdtempSync(join(scratch, 'machine-'));
  const keys = join(machine, 'ring.json');
  cpSync(keyFileIn(original), keys);
  const events = (await inTarget()).length;
  await under({ MACE_EVENT_STORE: 'eventstoredb', MACE_KEYS_FILE: keys }, async () => {
    for (const args of [
      ['sem', 'get', COLOR],
      ['restore', '--adopt'],
    ]) {
      const refused = await mace('--data', join(machine, 'data'), ...args);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Give the same `mace migrate` again')]);
    }
  });
  expect(await inTarget()).toHaveLength(events);
}

describe('mace migrate', () => {
  it('holds the folder from before it verifies the log until its files are put aside', async () => {
    const taken = jest.spyOn(DataFolder, 'take');
    const released = jest.spyOn(DataFolder.prototype, 'release');
    const begun = taken.mock.calls.length;
    expect(await under({}, () => here(...ORDER))).toMatchObject({ code: 0 });
    expect([taken.mock.calls.length - begun, released.mock.calls.length]).toEqual([1, 1]);
    expect(readdirSync(folder).some((name) => name.startsWith('replaced-'))).toBe(true);
  });

  it('killed in the middle goes on without gap or repetition, and MACE serves the same log from there', async () => {
    const source = await inSource();
    await killed(deathAt(...APPENDER, 5, 'after'));
    const begun = (await inTarget()).map(contentOf);
    expect(begun.length).toBeGreaterThan(4);
    expect(begun).toEqual(source.slice(0, begun.length).map(contentOf));
    await killed(deathAt(...APPENDER, 3, 'before'));
    // Nothing is half: until the end it is served from where it was.
    expect(await here('sem', 'get', COLOR)).toMatchObject({ code: 0, out: expect.stringContaining('blue') });
    rmSync(folder, { recursive: true });
    cpSync(original, folder, { recursive: true });
    for (const when of ['before', 'after'] as const) {
      await killed(deathAt(...RECORDER, 1, when));
      // The target may be whole by now and be served: a log served from here as well would go two ways.
      expect(await here('sem', 'get', COLOR)).toMatchObject({ code: 1 });
    }
    await killed(deathAtMove(2));
    const refused = await here('sem', 'get', COLOR);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('give the same `mace migrate` again')]);
    expect(await under({}, () => here(...ORDER))).toMatchObject({ code: 0 });
    const moved = await inTarget();
    expect(moved.slice(0, -1).map(contentOf)).toEqual(source.map(contentOf));
    expect(moved.at(-1)).toMatchObject({ stream: 'system-log', type: 'LOG_MIGRATED' });

    await trustFollows(moved);
    await under({ MACE_EVENT_STORE: 'eventstoredb' }, async () => {
      expect(await here('sem', 'get', COLOR)).toMatchObject({ code: 0, out: expect.stringContaining('blue') });
      const replayed = await here('replay', job);
      expect([replayed.code, replayed.out]).toEqual([0, expect.stringContaining('MATCH')]);
      const walked = await here('integrity', 'verify');
      expect([walked.code, walked.out]).toEqual([0, expect.stringMatching(/^SOUND/)]);
    });
    // MACE has gone on there: what the walk recorded is in no source.
    const copy = join(scratch, 'again');
    cpSync(original, copy, { recursive: true });
    const again = await under({}, () => mace('--data', copy, ...ORDER));
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('the target has more than the source')]);
    const aside = readdirSync(folder).find((name) => name.startsWith('replaced-'))!;
    expect(readdirSync(join(folder, aside))).toEqual(expect.arrayContaining(['events.db', 'proof.db']));
    // The events are elsewhere now: the embedded store has none, and is not taken for an empty log.
    const embedded = await here('sem', 'get', COLOR);
    expect([embedded.code, embedded.err]).toEqual([1, expect.stringContaining('older than its last checkpoint')]);
  });

  it.each([
    ['in the middle', deathAt(...APPENDER, 5, 'after')],
    ['before its end is on record', deathAt(...RECORDER, 1, 'before')],
  ])('killed %s leaves a target on which no process starts, whichever key folder it has', async (_, death) => {
    await killed(death);
    await refusedElsewhere();
  });

  it('rehearsed says what it would move, and moves nothing', async () => {
    const rehearsed = await under({}, () => answerOf('--data', folder, ...ORDER, '--dry-run'));
    expect(rehearsed).toEqual({ sound: true, events_there: 0 });
    expect(await inTarget()).toEqual([]);
    expect(existsSync(join(folder, 'events.db'))).toBe(true);
  });

  it('refuses a target that holds anything else', async () => {
    await events.append('somebody-1', 'none', [{ id: 'a'.repeat(64), type: 'ELSE', text: '{}' }]);
    const refused = await under({}, () => here(...ORDER));
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('holds something else than this log')]);
    expect(await inTarget()).toHaveLength(1);
    expect(existsSync(join(folder, 'events.db'))).toBe(true);
  });

  it('copies nothing of a log that does not verify, and names what does not', async () => {
    tamper(folder, `sem-${COLOR}`, 'SEM_PUT', '"data":{', '"data":{"a":1,');
    const refused = await under({}, () => here(...ORDER));
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/does not verify: stream sem-user\/profile\/user_tuff\/favorite_color, revision 0: /),
    ]);
    expect(await inTarget()).toEqual([]);
  });

  it('ends with 69 where the target does not answer, and with 64 where none is named', async () => {
    await wire.close();
    const away = await under({ MACE_EVENT_STORE_WAIT_S: '0' }, () => here(...ORDER));
    expect([away.code, away.err]).toEqual([69, expect.stringContaining('no event store at')]);
    settings = {};
    expect(await under({}, () => here(...ORDER))).toMatchObject({ code: 64 });
    expect(await under({}, () => here('migrate', '--from', 'eventstoredb', '--to', 'embedded'))).toMatchObject({
      code: 64,
    });
  });

  it('takes data keys, their tombstones, refusals and artifacts to MongoDB where the settings name it', async () => {
    const held = DataFolder.take(folder);
    const keys = await openSqliteSubjectKeys({ folder: held });
    await keys.create('user_gone', {
      kid: 'user_gone.1.00000001',
      wrapped: 'd3JhcHBlZA',
      wrappedBy: 'data-key-wrapping.fixture',
    });
    await keys.refuse('user_gone');
    await keys.destroy('user_gone.1.00000001');
    const kids = (await keys.listFor('user_tuff')).map(kidOf);
    await keys.close();
    held.release();
    const mongo = await MongoWire.start();
    const url = mongo.url;
    const more = { MACE_READ_STORE: 'mongodb', MONGODB_URL: url };
    try {
      expect(kids.length).toBeGreaterThan(0);
      const moved = await under(more, () => answerOf<{ data_keys: number; aside: string }>('--data', folder, ...ORDER));
      const { length } = await inSource();
      expect(moved).toMatchObject({ events: length, copied: length, root: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(moved.data_keys).toBe(kids.length + 1);
      const target = await openMongoSubjectKeys({ url, waitMs: 1000 });
      expect(await target.get('user_gone.1.00000001')).toMatchObject({ state: 'destroyed', subject: 'user_gone' });
      expect((await target.create('user_gone', { kid: 'new', wrapped: 'd3JhcHBlZA', wrappedBy: 'w' })).state).toBe(
        'refused',
      );
      expect((await target.listFor('user_tuff')).map(kidOf)).toEqual(kids);
      await target.close();
      expect(existsSync(join(folder, 'subject-keys.db'))).toBe(false);
      expect(existsSync(join(folder, moved.aside, 'subject-keys.db'))).toBe(true);
      await under({ ...more, MACE_EVENT_STORE: 'eventstoredb' }, async () => {
        expect(await here('sem', 'get', COLOR)).toMatchObject({ code: 0, out: expect.stringContaining('blue') });
      });
    } finally {
      await mongo.close();
    }
  });
});
