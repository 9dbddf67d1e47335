import { join } from 'node:path';

import { copyStoreFile, numberIn } from '#lib/sqlite';

import { EVENT_LOG } from './event-schema.js';
import { SUBJECT_KEYS } from './subject-key-schema.js';

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
}
