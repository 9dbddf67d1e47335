import { closeSync, fsyncSync, openSync } from 'node:fs';

import { openStoreFileForReading, describingFileErrors, type StoreFileFormat } from './store-file.js';

/**
 * Writes one state of a file of ours, of one moment, to a new file, while others go on writing to it: what was committed
 * before this began, and nothing of what was deleted or overwritten. Durable once it returns. Holds this thread up for as
 * long as it takes.
 * @param to a path where nothing stands
 * @throws DataFileError where the file cannot be read; what SQLite and the system raise where the copy cannot be written
 */
export function copyStoreFile(path: string, format: StoreFileFormat, to: string): void {
  const db = openStoreFileForReading(path, format);
  try {
    db.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
  } finally {
    db.close();
  }
  const file = openSync(to, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A number that a query of one row and one column gives, asked of a file nobody works on. @throws DataFileError */
export function numberIn(path: string, format: StoreFileFormat, query: string): number {
  return describingFileErrors(path, format.name, () => {
    const db = openStoreFileForReading(path, format);
    try {
      let found = 0;
      // By a function and no prepared statement: closing lets go of the file at once.
      db.function('mace_number', (value) => {
        found = Number(value);
        return null;
      });
      db.exec(`SELECT mace_number((${query}))`);
      return found;
    } finally {
      db.close();
    }
  });
}
