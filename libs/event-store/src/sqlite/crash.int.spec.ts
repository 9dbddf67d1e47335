import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DeterministicRng } from '#lib/kernel';
import { DataFileError, DataFolder, openDatabase } from '#lib/sqlite';

import { type EventStore, type RecordedEvent, StoreUnavailableError } from '../port.js';
import { type Acknowledged, appendUntilKilled, asAcknowledged, expectSound } from '../testing/killed-writer.js';
import { newEvents, newStream } from '../testing/contract-support.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

/** Where writers are killed and files are damaged, from the seed of the run. */
const draw = new DeterministicRng(`crash ${process.env['MACE_TEST_SEED']}`);

let path: string;
beforeEach(() => (path = mkdtempSync(join(tmpdir(), 'mace-crash-'))));
afterEach(() => rmSync(path, { recursive: true }));

async function inStore<T>(at: string, work: (store: EventStore) => Promise<T>): Promise<T> {
  const folder = DataFolder.take(at);
  try {
    const store = await openSqliteEventStore({ folder });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    folder.release();
  }
}

function integrityOf(at: string): unknown {
  const db = openDatabase(join(at, 'events.db'));
  try {
    return db.prepare('PRAGMA integrity_check').all();
  } finally {
    db.close();
  }
}

describe('a store whose writer is killed', () => {
  it('20 times under 32 callers has every acknowledged event in its place, whole appends only, and is sound', async () => {
    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < 20; round++) {
      acknowledged.push(...(await appendUntilKilled(path, 1 + Math.floor(draw.next() * 600))));
    }
    const events = await inStore(path, expectSound);
    const stored = new Set(events.map(asAcknowledged));
    expect(acknowledged.filter((event) => !stored.has(event))).toEqual([]);
    expect(integrityOf(path)).toEqual([{ integrity_check: 'ok' }]);
    // And it goes on.
    await inStore(path, (store) => store.append(newStream(), 'none', newEvents(3)));
  });
});

describe('a store whose WAL was torn', () => {
  const copies = (): string => mkdtempSync(join(path, 'copy-'));
  const walOf = (at: string): string => join(at, 'events.db-wal');

  /** Opens a damaged copy: what it holds, or null where it refused clearly. */
  async function open(at: string): Promise<RecordedEvent[] | null> {
    try {
      const events = await inStore(at, expectSound);
      expect(integrityOf(at)).toEqual([{ integrity_check: 'ok' }]);
      return events;
    } catch (error) {
      if (error instanceof DataFileError || error instanceof StoreUnavailableError) return null;
      throw error;
    }
  }

  const damages: [string, (wal: string, at: number) => void][] = [
    ['cut off', (wal, at) => truncateSync(wal, at)],
    ['zeroed', (wal, at) => overwrite(wal, (bytes) => bytes.fill(0, at))],
    ['overwritten with noise', (wal, at) => overwrite(wal, (bytes) => bytes.fill(0xa5, at))],
    ['hit in one byte', (wal, at) => overwrite(wal, (bytes) => void (bytes[at]! ^= 0xff))],
  ];

  it.each(damages)('%s at any place opens with a prefix of what it held, never with garbage', async (_, damage) => {
    const original = join(path, 'original');
    // Few enough that nothing was moved out of the WAL yet.
    await appendUntilKilled(original, 300);
    cpSync(original, join(path, 'reference'), { recursive: true });
    const whole = await inStore(join(path, 'reference'), expectSound);
    expect(whole.length).toBeGreaterThanOrEqual(300);

    const size = statSync(walOf(original)).size;
    const places = [0, 16, 40, size - 1, ...Array.from({ length: 8 }, () => Math.floor(draw.next() * size))];
    for (const place of places) {
      const copy = copies();
      cpSync(original, copy, { recursive: true });
      damage(walOf(copy), place);
      const events = await open(copy);
      if (events) expect(events).toEqual(whole.slice(0, events.length));
    }
  });
});

function overwrite(file: string, change: (bytes: Buffer) => unknown): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}
