import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DamagedFileError, DataFileError, DataFolder, openDatabase } from '#lib/sqlite';

import type { RecordedEvent } from '../port.js';
import { mustAppend, newEvents } from '../testing/contract-support.js';
import { changeLoosened, ODD_VALUES } from '../testing/loosened-events.js';
import { openEventLogReader } from './event-log-reader.js';
import { openSqliteEventStore } from './sqlite-event-store.js';
import { openStreamReader } from './stream-reader.js';

/** Of three events, the second is changed. */
const CHANGED = 2;
const COLUMNS = ['stream', 'revision', 'id', 'type', 'recorded_at', 'text'] as const;
const CELLS = COLUMNS.flatMap((column) => ODD_VALUES.map((value) => [column, value] as const));

let sound: string;
let folder: string;
const events = newEvents(3);

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), 'mace-sound-'));
  const held = DataFolder.take(sound);
  const store = await openSqliteEventStore({ folder: held });
  await mustAppend(store, 'said', 'none', events);
  await store.close();
  held.release();
});
afterAll(() => rmSync(sound, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-changed-'));
  cpSync(join(sound, 'events.db'), join(folder, 'events.db'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Read = () => Promise<readonly RecordedEvent[]> | readonly RecordedEvent[];

/** What was read, or the damage of which reading tells; everything else is thrown. */
async function told(read: Read): Promise<readonly RecordedEvent[] | DataFileError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DataFileError) return error;
    throw error;
  }
}

describe('a row of events.db with a column as no release writes it', () => {
  it.each(CELLS)('is read as an event, or told as damage: %s = %s', async (column, value) => {
    changeLoosened(folder, `UPDATE events SET ${column} = ${value} WHERE position = ${CHANGED}`);
    const [streams, log] = [openStreamReader(folder), openEventLogReader(folder)];
    try {
      const reads: readonly Read[] = [
        async () => (await streams.readAll({ after: '0' as never, limit: 10 })).events,
        async () => (await streams.readStream('said')).events,
        async () => (await streams.readStream('said', { backwards: true })).events,
        () => streams.readWhole(['said'], 1_000_000).get('said') ?? [],
        () => log.range(0, 3),
      ];
      for (const read of reads) {
        const found = await told(read);
        if (found instanceof DataFileError) {
          expect(found).toBeInstanceOf(DamagedFileError);
          expect(found.message).toMatch(/events\.db is damaged: .*restore the event log from a backup/);
        } else for (const event of found) expectForm(event);
      }
      expect(log.range(CHANGED, 3)).toMatchObject([{ position: '3' }]);
    } finally {
      streams.close();
      log.close();
    }
  });

  it('is not read as what was signed where something stands behind the end of its text', () => {
    changeLoosened(folder, "UPDATE events SET text = text || char(0) || 'and more' WHERE position = 2");
    const log = openEventLogReader(folder);
    const [first, changed] = log.range(0, 2);
    log.close();
    expect(first!.text).toBe(events[0].text);
    expect(changed!.text).not.toBe(events[1]!.text);
  });
});

/** As everybody takes an event that a store gives. */
function expectForm({ stream, type, id, text, position, revision, recordedAt }: RecordedEvent): void {
  for (const member of [stream, type, id, text, position]) expect(typeof member).toBe('string');
  expect([Number.isSafeInteger(revision), typeof recordedAt]).toEqual([true, 'number']);
}

it.each([
  ['-1', 'has an event at position -1, before the first'],
  ['0', 'has an event at position 0, before the first'],
  ['9000000000000000', 'has an event at position 9000000000000000, and 4 in all'],
  ['9223372036854775807', 'is damaged: Value is too large'],
])(
  'events.db with a row at position %s is not opened: nobody would read it, or come to its end',
  async (at, problem) => {
    const db = openDatabase(join(folder, 'events.db'));
    db.exec(
      `INSERT INTO events SELECT ${at}, stream, 3, x'00', type, recorded_at, text FROM events WHERE position = 3`,
    );
    db.close();
    const held = DataFolder.take(folder);
    try {
      const opening = openSqliteEventStore({ folder: held });
      await expect(opening).rejects.toMatchObject({
        name: 'DamagedFileError',
        message: expect.stringContaining(problem) as string,
      });
    } finally {
      held.release();
    }
  },
);
