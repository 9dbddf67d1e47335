import { join } from 'node:path';

import { openDatabase } from '#lib/sqlite';

import { EVENTS_FILE, rowsOfType } from './event-store-for-tests.js';

/** Changes a stored row of a closed data folder as somebody does who holds the file: its rules are dropped first. */
export function tamper(folder: string, stream: string, type: string, from: string, to: string): void {
  const database = openDatabase(join(folder, EVENTS_FILE));
  try {
    database.exec('DROP TRIGGER events_are_never_changed');
    database.exec(
      `UPDATE events SET text = replace(text, '${from}', '${to}')
       WHERE ${rowsOfType(type)} AND stream = (SELECT id FROM streams WHERE name = '${stream}')`,
    );
    database.exec(
      `CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
       BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END`,
    );
  } finally {
    database.close();
  }
}
