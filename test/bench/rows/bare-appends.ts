import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { EventToAppend } from '#lib/event-store';
import { openStoreFile } from '#lib/sqlite';

import { EVENT_LOG } from '../../../libs/event-store/src/sqlite/event-schema.js';
import { timed } from '../harness/callers.js';

export interface BareRow {
  readonly stream: string;
  readonly event: Pick<EventToAppend, 'id' | 'type' | 'text'>;
}

const GROUP = 64;

/**
 * The baseline of durable appends: the bare SQLite driver puts rows that are ready into the same tables, 64 a
 * transaction, each transaction durable (WAL, synchronous FULL) before the next begins. One thread, nothing else.
 * @returns rows a second
 */
export async function bareAppends(
  folder: string,
  rows: readonly BareRow[],
  { group = GROUP, synchronous = 'FULL' }: { group?: number; synchronous?: 'FULL' | 'OFF' } = {},
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const db = openStoreFile(join(folder, 'events.db'), EVENT_LOG);
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  const insertStream = db.prepare('INSERT INTO streams (id, name) VALUES (?, ?)');
  const insert = db.prepare(
    'INSERT INTO events (position, stream, revision, id, type, recorded_at, text) VALUES (?, ?, ?, unhex(?), ?, ?, ?)',
  );
  const known = db.prepare<{ id: number; version: number }>(
    'SELECT id, (SELECT max(revision) + 1 FROM events WHERE stream = streams.id) AS version FROM streams WHERE name = ?',
  );
  let lastStream = db.prepare<{ last: number }>('SELECT coalesce(max(id), 0) AS last FROM streams').get()!.last;
  const isNew = lastStream === 0;
  const streams = new Map<string, { id: number; version: number }>();
  let position = db.prepare<{ last: number }>('SELECT coalesce(max(position), 0) AS last FROM events').get()!.last;
  const write = ({ stream: name, event }: BareRow, now: number): void => {
    let stream = streams.get(name);
    if (!stream) {
      const stored = isNew ? undefined : known.get(name);
      stream = stored ? { ...stored } : { id: ++lastStream, version: 0 };
      streams.set(name, stream);
      if (!stored) insertStream.run(stream.id, name);
    }
    insert.run(++position, stream.id, stream.version++, event.id, event.type, now, event.text);
  };
  try {
    return await timed(rows.length, () => {
      for (let from = 0; from < rows.length; from += group) {
        const now = Date.now();
        db.exec('BEGIN IMMEDIATE');
        for (const row of rows.slice(from, from + group)) write(row, now);
        db.exec('COMMIT');
      }
    });
  } finally {
    db.close();
  }
}
