import { join } from 'node:path';

import { openDatabase } from '#lib/sqlite';

/**
 * Changes the closed events.db of a folder as somebody does who holds it, and has made its tables anew so that each column
 * takes any value.
 */
export function changeLoosened(folder: string, sql: string): void {
  const db = openDatabase(join(folder, 'events.db'));
  try {
    db.exec(`
      DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_deleted;
      DROP TRIGGER streams_are_never_changed; DROP TRIGGER streams_are_never_deleted;
      ALTER TABLE events RENAME TO made_events; ALTER TABLE streams RENAME TO made_streams;
      CREATE TABLE events (position INTEGER PRIMARY KEY, stream, revision, id, type, recorded_at, text);
      CREATE TABLE streams (id INTEGER PRIMARY KEY, name);
      INSERT INTO events SELECT * FROM made_events; INSERT INTO streams SELECT * FROM made_streams;
      DROP TABLE made_events; DROP TABLE made_streams;
      CREATE INDEX by_revision ON events (stream, revision); CREATE INDEX by_name ON streams (name);
      ${sql}`);
  } finally {
    db.close();
  }
}

/** Values that no column of `events` holds, as SQL. */
export const ODD_VALUES = [
  'NULL',
  "'no number'",
  "x'00ff'",
  '-1',
  '4.5',
  '9e999',
  '9223372036854775807',
  '-9223372036854775808',
  "''",
  'hex(zeroblob(2000000))',
] as const;
