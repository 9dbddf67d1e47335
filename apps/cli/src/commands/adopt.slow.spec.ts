import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { kidOf, MemoryEventStore, openSqliteSubjectKeys, START } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { ErasedKeys } from '../../../../libs/proof/src/erased-keys.js';
import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { newDataFolder } from '../../../../test/support/data-folder.js';
import { openApp } from '../../../api/src/main.open.js';
import { readConfig } from '../../../api/src/platform.config.js';
import { mace } from '../testing/mace.js';

const COLOR = 'user/profile/user_tuff/favorite_color';

let folder: string;
let before: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  folder = await newDataFolder('adopted');
  before = { ...process.env };
});
afterAll(() => {
  for (const name of ['MACE_EVENT_STORE', 'EVENTSTORE_URL'])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  rmSync(folder, { recursive: true, force: true });
});

/** A server with these events of another one, as its own backup puts them back. */
async function serverWith(source: MemoryEventStore | null, count: number): Promise<[EventStoreWire, MemoryEventStore]> {
  const store = new MemoryEventStore();
  const events = source ? (await source.readAll({ after: START, limit: 4096 })).events : [];
  for (const { stream, revision, id, type, text } of events.slice(0, count))
    await store.append(stream, revision === 0 ? 'none' : revision, [{ id, type, text }]);
  const wire = await EventStoreWire.start({ store });
  process.env['MACE_EVENT_STORE'] = 'eventstoredb';
  process.env['EVENTSTORE_URL'] = wire.url;
  return [wire, store];
}

const here = (...args: string[]) => mace('--data', folder, ...args);

describe('mace restore where the events lie in EventStoreDB', () => {
  it('takes what a backup of the database put back as a new log, and destroys again what was erased since', async () => {
    for (const name of readdirSync(folder)) if (name !== 'keys') rmSync(join(folder, name), { recursive: true });
    rmSync(join(folder, 'keys', 'checkpoints'), { recursive: true });
    const [first, newest] = await serverWith(null, 0);
    expect(await here('sem', 'put', COLOR, 'blue')).toMatchObject({ code: 0 });
    const backedUp = (await newest.readAll({ after: START, limit: 4096 })).events.length;
    expect(await here('ask', '12.5% of 80')).toMatchObject({ code: 0 });

    const [second] = await serverWith(newest, backedUp);
    await first.close();
    try {
      const refused = await here('sem', 'get', COLOR);
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringMatching(/older than its last checkpoint.*mace restore --adopt/),
      ]);
      const copied = await here('restore', '--from', folder);
      expect([copied.code, copied.err]).toEqual([1, expect.stringContaining('then give `mace restore --adopt`')]);
      expect(await here('restore')).toMatchObject({ code: 64 });

      const kid = await erasedSince();
      const adopted = await here('--json', 'restore', '--adopt');
      expect([adopted.code, adopted.err]).toEqual([0, '']);
      const { origin, previous_origin } = JSON.parse(adopted.out) as Record<string, string>;
      expect(origin).not.toBe(previous_origin);
      const read = await here('--json', 'sem', 'get', COLOR);
      expect(read.out).toContain('[erased]');
      expect(await here('integrity', 'verify')).toMatchObject({ code: 0 });
      await isOnRecord(origin!, kid, backedUp);
    } finally {
      await second.close();
    }
  });
});

/** One of the person's keys was destroyed after the backup; that is known beside the keys alone. */
async function erasedSince(): Promise<string> {
  const held = DataFolder.take(folder);
  const keys = await openSqliteSubjectKeys({ folder: held });
  const [kid] = (await keys.listFor('user_tuff')).map(kidOf);
  await keys.close();
  held.release();
  await new ErasedKeys(join(folder, 'keys'), readFileSync(join(folder, 'origin'), 'utf8').trim()).add([kid!]);
  return kid!;
}

async function isOnRecord(origin: string, kid: string, size: number): Promise<void> {
  const settings = { MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent' };
  const { app, platform } = await openApp(readConfig({ ...process.env, ...settings }));
  try {
    const { events } = await platform.events.load('system-log');
    expect(events.map(({ type, data }) => ({ type, ...data }))).toMatchObject([
      { type: 'LOG_RESTORED', origin, restored_size: size, returned_keys: [kid] },
    ]);
  } finally {
    await app.nest.close();
    await platform.close();
  }
}
