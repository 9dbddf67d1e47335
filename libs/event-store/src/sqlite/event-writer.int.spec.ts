import { join } from 'node:path';

import { type DatabaseSync, openStoreFile } from '#lib/sqlite';

import { temporaryPlace } from '../testing/temporary-folder.js';
import type { AppendToWrite } from './append-messages.js';
import { EVENT_LOG } from './event-schema.js';
import { EventWriter } from './event-writer.js';

let dispose: () => Promise<void>;
let other: DatabaseSync;
let open: (quotaBytes?: number) => EventWriter;

beforeEach(() => {
  const place = temporaryPlace();
  const path = join(place.folder.path, 'events.db');
  const writers: EventWriter[] = [];
  other = openStoreFile(path, EVENT_LOG);
  open = (quotaBytes) => {
    const writer = new EventWriter(openStoreFile(path, EVENT_LOG), path, quotaBytes ?? null);
    writers.push(writer);
    return writer;
  };
  dispose = async () => {
    other.close();
    for (const writer of writers) writer.close();
    await place.dispose();
  };
});
afterEach(() => dispose());

const idOf = (name: string): string => Buffer.from(name).toString('hex').padEnd(64, '0');

function append(stream: string, names: readonly string[], expected: AppendToWrite['expected'] = 'none'): AppendToWrite {
  const events = names.map((name) => ({ id: idOf(name), type: 'SAID', text: Buffer.from(`"${name}"`) }));
  return { stream, expected, bytes: 9, events };
}

const stored = (): unknown[] =>
  other
    .prepare('SELECT text FROM events ORDER BY position')
    .all()
    .map(({ text }) => text);

describe('what the writer of events is told ahead of its batch', () => {
  it('is seen by nobody before the batch is committed, and is answered with the rest of it in order', () => {
    const writer = open();
    const [a, b, c] = [append('s1', ['a']), append('s2', ['b', 'c']), append('s1', ['d'], 1)];
    writer.begin([a]);
    writer.begin([b]);
    expect(stored()).toEqual([]);
    const answers = writer.answer([a, b, c]);
    expect(answers).toMatchObject([
      { outcome: 'appended', version: 1, position: 1 },
      { outcome: 'appended', version: 2, position: 3 },
      { outcome: 'appended', version: 2, position: 4 },
    ]);
    expect(new Set(answers.map((answer) => 'recordedAt' in answer && answer.recordedAt)).size).toBe(1);
    expect(stored()).toEqual(['"a"', '"b"', '"c"', '"d"']);
  });

  it('is refused there as it would be at the end: a conflict, and a repetition of what is stored', () => {
    const writer = open();
    writer.answer([append('s1', ['a'])]);
    const batch = [append('s1', ['b']), append('s1', ['a']), append('s1', ['c'], 1)];
    writer.begin(batch.slice(0, 2));
    expect(writer.answer(batch)).toMatchObject([
      { outcome: 'conflict', version: 1 },
      { outcome: 'repeated', version: 1, position: 1 },
      { outcome: 'appended', version: 2, position: 2 },
    ]);
  });

  it('takes nobody else with it where it names an event twice', () => {
    const writer = open();
    const batch = [append('s1', ['a']), append('s2', ['b', 'b']), append('s3', ['c']), append('s4', ['d'])];
    writer.begin(batch.slice(0, 2));
    writer.begin([batch[2]!]);
    expect(writer.answer(batch)).toMatchObject([
      { outcome: 'appended', position: 1 },
      { outcome: 'duplicate', id: idOf('b') },
      { outcome: 'appended', position: 2 },
      { outcome: 'appended', position: 3 },
    ]);
    expect(stored()).toEqual(['"a"', '"c"', '"d"']);
    // The next batch may begin again.
    const next = [append('s5', ['e'])];
    writer.begin(next);
    expect(writer.answer(next)).toMatchObject([{ outcome: 'appended', position: 4 }]);
  });

  it('is gone once its batch is abandoned, and the next stands where it would have stood', () => {
    const writer = open();
    writer.begin([append('s1', ['a'])]);
    writer.abandon();
    const next = [append('s1', ['b']), append('s2', ['c'])];
    writer.begin([next[0]!]);
    expect(writer.answer(next)).toMatchObject([
      { outcome: 'appended', version: 1, position: 1 },
      { outcome: 'appended', version: 1, position: 2 },
    ]);
    expect(stored()).toEqual(['"b"', '"c"']);
  });

  it('is gone where the rest of its batch cannot be written, and can be written again', () => {
    const writer = open();
    const batch = [append('s1', ['a']), append('s2', ['b'])];
    other.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON events WHEN new.text = '"b"' BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    writer.begin([batch[0]!]);
    expect(() => writer.answer(batch)).toThrow('broken');
    expect(stored()).toEqual([]);
    other.exec('DROP TRIGGER broken');
    writer.begin([batch[0]!]);
    expect(writer.answer(batch)).toMatchObject([{ position: 1 }, { position: 2 }]);
  });

  it('is held to the quota as the whole batch is', () => {
    const writer = open(1);
    const batch = [append('s1', ['a']), append('s2', ['b'])];
    writer.begin([batch[0]!]);
    expect(writer.answer(batch)).toMatchObject([{ outcome: 'full' }, { outcome: 'full' }]);
    expect(stored()).toEqual([]);
  });
});
