import { join } from 'node:path';

import { copyStoreFile, numberIn, openDatabase } from '#lib/sqlite';

import { EVENT_LOG } from './event-schema.js';
import { CLOSED, SUBJECT_KEYS } from './subject-key-schema.js';

/**
 * One state of events.db of a data folder as a file of its own, while a server goes on appending.
 * @returns how many events it holds
 * @throws DataFileError, and what SQLite raises where the copy cannot be written
 */
export function copyEventLog(folder: string, to: string): number {
  copyStoreFile(join(folder, 'events.db'), EVENT_LOG, to);
  return numberIn(to, EVENT_LOG, 'SELECT count(*) FROM events');
}

/** The same of people's wrapped data keys: of those that were destroyed it holds no trace. */
export function copySubjectKeys(folder: string, to: string): void {
  copyStoreFile(join(folder, 'subject-keys.db'), SUBJECT_KEYS, to);
  // A file that an earlier release has made says nothing of its WAL.
  if (numberIn(to, SUBJECT_KEYS, "SELECT count(*) FROM sqlite_schema WHERE name = 'written'") === 0) return;
  const db = openDatabase(to);
  try {
    db.exec(CLOSED);
  } finally {
    db.close();
  }
}
