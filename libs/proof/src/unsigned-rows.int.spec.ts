import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EventStore, openSqliteEventStore } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { DataFolder, openDatabase } from '#lib/sqlite';
import { parseCheckpoint, parseNote } from '#lib/verifier';

import { until } from '../../../test/support/eventually.js';
import type { UnsignedRow } from './log/unsigned-rows.js';
import type { MerkleLog } from './merkle-log.js';
import { keyFileOf, openFolder } from './testing/open-folder.js';
import { openMerkleLog } from './open-merkle-log.js';
import { EVENT_KEY, everything, fill, idOf, rootOf, signingKey, textOf } from './testing/proof-support.js';

/** Who can write to the event store, and holds no key, has no checkpoint signed over what he wrote. */

const ring = new KeyRing([signingKey(), EVENT_KEY]);
const FORGED = textOf('test-9', 'NOTED', 900).replace('"n":900', '"n":901');

let path: string;
let held: DataFolder;
let events: EventStore;
let log: MerkleLog;
let told: UnsignedRow[];

beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'mace-unsigned-'));
  told = [];
  await open();
});
afterEach(async () => {
  await close();
  rmSync(path, { recursive: true });
});

async function open(): Promise<void> {
  held = DataFolder.take(path);
  events = await openSqliteEventStore({ folder: held });
  const quiet = { onFault: () => undefined, onRebuild: () => undefined };
  log = await openMerkleLog({ events, folder: held, ring, keyFile: keyFileOf(path), now: Date.now, ...quiet });
  log.onUnsigned((row) => void told.push(row));
}

async function close(): Promise<void> {
  await log.close();
  await events.close();
  held.release();
}

/** As somebody does who can write to the file and holds no key: the last event of a stream of its own. */
async function insert(text = FORGED): Promise<string> {
  await close();
  const db = openDatabase(join(path, 'events.db'));
  try {
    db.exec("INSERT OR IGNORE INTO streams (name) VALUES ('test-9')");
    const { position } = db
      .prepare<{ position: number }>('SELECT coalesce(max(position), 0) + 1 AS position FROM events')
      .get()!;
    db.prepare(
      "INSERT INTO events (position, stream, revision, id, type, recorded_at, text) VALUES (?, (SELECT id FROM streams WHERE name = 'test-9'), 0, ?, 'NOTED', 1, ?)",
    ).run(position, Buffer.from(idOf(900), 'hex'), text);
    return String(position);
  } finally {
    db.close();
    await open();
  }
}

function rewrite(position: string, text: string): void {
  const db = openDatabase(join(path, 'events.db'));
  db.exec('DROP TRIGGER events_are_never_changed');
  db.prepare('UPDATE events SET text = ? WHERE position = ?').run(text, Number(position));
  db.close();
}

const signedSize = (): number => parseCheckpoint(parseNote(log.latest()!.note).text)!.size;

it('signs up to a row that nobody signed and no further, and says which row it is', async () => {
  await fill(events, 5);
  const forged = await insert();
  await fill(events, 3, 5);
  await until(() => told.length === 1, 'the row is told');
  await until(() => signedSize() === 5, 'a checkpoint over what stands before it');
  expect(told).toEqual([{ stream: 'test-9', revision: 0, position: forged, reason: 'its signature does not verify' }]);
  expect(log.unready).toMatch(
    /^event 0 of test-9 \(position 6\) is not what was signed: its signature does not verify/,
  );
  await expect(log.covering(await events.head(), 20_000)).rejects.toThrow(/position 9 yet: event 0 of test-9/);
  expect((await log.covering('5', 20_000)).size).toBe(5);
});

it('finds events behind it by their ids, and proves what stands before it', async () => {
  await fill(events, 2);
  await insert();
  await fill(events, 1, 2);
  await until(() => told.length === 1, 'the row is told');
  expect(await log.find(idOf(2))).toMatchObject({ stream: 'test-2', revision: 0 });
  expect((await log.proofOf(idOf(1)))?.checkpoint.size).toBe(2);
});

it('signs nothing over it after a restart either, also where its leaf was there already', async () => {
  await fill(events, 2);
  await insert();
  await fill(events, 1, 2);
  await until(() => told.length === 1, 'the row is told');
  await close();
  told = [];
  await open();
  await fill(events, 1, 3);
  await until(() => told.length === 1, 'the row is told');
  expect([signedSize(), log.state().ready_for_bundles]).toEqual([2, false]);
});

it.each([
  '',
  'x',
  'null',
  '{"data":{},"metadata":{},"stream":"test-9","type":"NOTED"}',
  textOf('test-1', 'NOTED', 900),
])('signs nothing over a row whose text is %j', async (text) => {
  await fill(events, 2);
  await insert(text);
  await fill(events, 1, 2);
  await until(() => told.length === 1, 'the row is told');
  expect(signedSize()).toBe(2);
});

it('signs on once the row is what was signed, as a walk or a start finds', async () => {
  await fill(events, 2);
  const at = await insert();
  await fill(events, 1, 2);
  await until(() => told.length === 1, 'the row is told');
  rewrite(at, textOf('test-9', 'NOTED', 900));
  const record = await log.comparable(await events.head(), 20_000);
  expect([record?.size, record?.root]).toEqual([4, rootOf(await everything(events))]);
  expect(log.problem).toBeNull();
});

it('looks again and stops again where the row is still there', async () => {
  await fill(events, 2);
  await insert();
  await fill(events, 1, 2);
  await until(() => told.length === 1, 'the row is told');
  expect(await log.comparable(await events.head(), 20_000)).toBeNull();
  expect([signedSize(), told.length]).toEqual([2, 1]);
  expect(log.problem).toMatch(/^event 0 of test-9/);
});

it('does not ask of what the process appended itself whether it is signed', async () => {
  await events.append('unsigned', 'none', [{ id: idOf(77), type: 'NOTED', text: 'of the process itself' }]);
  expect((await log.covering(await events.head(), 20_000)).size).toBe(1);
});

it('keeps a folder readable whose leaves end before its events', async () => {
  await fill(events, 300);
  await log.covering(await events.head(), 20_000);
  await close();
  const again = await openFolder(path, ring);
  expect(again.log.state().leaves).toBe(300);
  await again.close();
  await open();
});
