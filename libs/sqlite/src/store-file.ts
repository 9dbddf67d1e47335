import { dirname } from 'node:path';

import { type DatabaseSync, openDatabase } from './driver.js';
import { IOERR_WRITE, isStorageFull, isUniqueViolation, sqliteCode, whyNoRoom } from './errors.js';
import { schemaFault } from './schema.js';

/** "MACE" in ASCII, in SQLite's header: tells our files from another program's. */
const APPLICATION_ID = 0x4d414345;

export interface StoreFileFormat {
  /** What a person calls the content: "the event log". */
  readonly name: string;
  /** SQL that brings a file from version i to i + 1; a file's format version is the number of those it has had. */
  readonly migrations: readonly string[];
  /** Set when the file is made; default 4096. */
  readonly pageSize?: number;
}

/** A data file that cannot be used; the message names the path, what is wrong with it and what to do. */
export class DataFileError extends Error {
  constructor(
    readonly path: string,
    readonly problem: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${path} ${problem}. ${remedy}`, options);
    this.name = 'DataFileError';
  }
}

/** The file is none of ours any more: its bytes were changed, cut off or lost. */
export class DamagedFileError extends DataFileError {
  constructor(path: string, problem: string, remedy: string, options?: ErrorOptions) {
    super(path, problem, remedy, options);
    this.name = 'DamagedFileError';
  }
}

/** The file was written by a newer MACE than this one. Nothing was changed. */
export class NewerFormatError extends DataFileError {
  constructor(
    path: string,
    readonly found: number,
    readonly supported: number,
  ) {
    super(
      path,
      `has format version ${found}; this MACE knows versions up to ${supported}`,
      'Start the newer MACE that wrote it, or use another data folder.',
    );
    this.name = 'NewerFormatError';
  }
}

/**
 * Opens a file of ours for writing, makes it where it is missing and brings an older one up to date: WAL, every commit
 * durable (synchronous FULL). What cannot be used is refused before the first write.
 * @throws DataFileError, NewerFormatError
 */
export function openStoreFile(path: string, format: StoreFileFormat): DatabaseSync {
  return describingFileErrors(path, format.name, () => {
    const db = openDatabase(path);
    try {
      prepare(db, path, format);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** Ends a writer: everything into the main file, nothing left in the WAL unless somebody still reads it. */
export function closeStoreFile(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // On a full disk everything committed stays in the WAL, where the next start finds it.
    if (!isStorageFull(error)) throw error;
  } finally {
    db.close();
  }
}

/** A second connection, for reading only, to a file that `openStoreFile` has prepared. @throws DataFileError */
export function openStoreFileForReading(path: string, format: StoreFileFormat): DatabaseSync {
  return describingFileErrors(path, format.name, () => {
    const db = openDatabase(path, { readOnly: true });
    readHeader(db);
    return db;
  });
}

/** Does something with a file; what SQLite raises is said as `describeFileError` does. */
export function describingFileErrors<T>(path: string, name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw describeFileError(path, name, error);
  }
}

/** The same error, said so that a person can act; errors that are not SQLite's come back as they are. */
export function describeFileError(path: string, name: string, error: unknown): unknown {
  const options = { cause: error };
  if (isStorageFull(error)) {
    const [problem, remedy] =
      sqliteCode(error) === IOERR_WRITE
        ? [
            `cannot be written: ${whyNoRoom(error)}`,
            'Look at the free space, then at the disk; once it can be written, what runs goes on by itself, and what did not start has to be started again.',
          ]
        : [
            'cannot be written because the disk is full',
            'Make room; what runs goes on by itself then, and what did not start has to be started again.',
          ];
    return new DataFileError(path, problem, remedy, options);
  }
  const primary = (sqliteCode(error) ?? 0) & 0xff;
  switch (primary) {
    case 5: // BUSY
      return new DataFileError(
        path,
        'is locked by another program',
        'End whatever has it open, then start again.',
        options,
      );
    case 8: // READONLY
    case 14: // CANTOPEN
    case 23: // AUTH, and EACCES of some systems
      return new DataFileError(
        path,
        'cannot be opened for writing',
        `Make the folder ${dirname(path)} and the files in it writable for this user, or choose another data folder.`,
        options,
      );
    case 11: // CORRUPT
      return new DamagedFileError(path, `is damaged: ${messageOf(error)}`, restoreRemedy(name), options);
    case 26: // NOTADB
      return new DamagedFileError(
        path,
        `is not an SQLite database, so not ${name}`,
        'Move it away, or choose another data folder.',
        options,
      );
    case 10: // IOERR
      return new DataFileError(
        path,
        `cannot be read or written: ${messageOf(error)}`,
        'Look at the disk and its free space, then start again.',
        options,
      );
    default:
      return error;
  }
}

function prepare(db: DatabaseSync, path: string, { name, migrations, pageSize = 4096 }: StoreFileFormat): void {
  const { version, owner, isEmpty } = readHeader(db);
  if (!isEmpty && owner !== APPLICATION_ID) {
    throw new DataFileError(
      path,
      `is a database of another program, not ${name}`,
      'Move it away, or choose another data folder.',
    );
  }
  if (version > migrations.length) throw new NewerFormatError(path, version, migrations.length);
  if (version < (isEmpty ? 0 : 1)) throw damaged(path, name, `says that its format version is ${version}`);

  if (isEmpty) db.exec(`PRAGMA page_size = ${pageSize}`);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  if (version < migrations.length) {
    for (const migration of migrations.slice(version)) db.exec(migration);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  }
  const fault = madeAsItShould(db, migrations);
  if (fault !== null) throw damaged(path, name, fault);
  // Written even when it is the same: BEGIN IMMEDIATE succeeds on a file that cannot be written, and only a write tells.
  db.exec(`PRAGMA user_version = ${migrations.length}`);
  db.exec('COMMIT');
}

/** Null where it is made as it should, or is again now. */
function madeAsItShould(db: DatabaseSync, migrations: readonly string[]): string | null {
  try {
    return schemaFault(db, migrations);
  } catch (error) {
    if (isUniqueViolation(error)) return 'lacks an index, and holds what the index does not allow';
    throw error;
  }
}

function damaged(path: string, name: string, problem: string): DamagedFileError {
  return new DamagedFileError(path, problem, restoreRemedy(name));
}

function restoreRemedy(name: string): string {
  return `Keep a copy of it, then restore ${name} from a backup.`;
}

interface Header {
  readonly version: number;
  readonly owner: number;
  readonly isEmpty: boolean;
}

/** Reads by a function and no prepared statement, so that closing the connection lets go of the file at once. */
function readHeader(db: DatabaseSync): Header {
  let header: Header | undefined;
  db.function('mace_header', (version, owner, objects) => {
    header = { version: Number(version), owner: Number(owner), isEmpty: objects === 0 };
    return null;
  });
  db.exec(`SELECT mace_header(user_version, application_id, (SELECT count(*) FROM sqlite_schema))
    FROM pragma_user_version, pragma_application_id`);
  if (!header) throw new Error('SQLite gave no header');
  return header;
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}
