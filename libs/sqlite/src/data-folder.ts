import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';

import { type DatabaseSync, openDatabase } from './driver.js';
import { sqliteCode } from './errors.js';
import { DataFileError, describeFileError } from './store-file.js';

/** Who works on a data folder, for the person who is refused. */
export interface FolderHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  readonly command: string;
}

/** Another process, or another part of this one, works on the folder. */
export class DataFolderInUseError extends Error {
  constructor(
    readonly path: string,
    /** Null where the holder has not written its name yet. */
    readonly holder: FolderHolder | null,
  ) {
    const who = holder
      ? `process ${holder.pid} on ${holder.host} (${holder.command}), since ${holder.since}`
      : 'a process that has not left its name yet';
    super(`the data folder ${path} is in use by ${who}. Stop it first, or choose another data folder.`);
    this.name = 'DataFolderInUseError';
  }
}

const BUSY = 5;

/**
 * The right to write in a data folder. Whoever opens a store in a folder needs one, so that two writers cannot be.
 *
 * The lock is SQLite's exclusive lock on lock.db: the operating system's, gone with the process however it ends.
 * holder.json only says who it is. Nobody may open lock.db by other means in this process: closing any descriptor of a
 * file drops all locks the process has on it (POSIX).
 */
export class DataFolder {
  private constructor(
    /** Absolute. */
    readonly path: string,
    private readonly lock: DatabaseSync,
  ) {}

  /** Makes the folder where it is missing. @throws DataFolderInUseError, DataFileError */
  static take(path: string): DataFolder {
    const folder = resolve(path);
    const lock = openLock(folder);
    try {
      lock.exec('BEGIN EXCLUSIVE');
      writeFileSync(holderFile(folder), JSON.stringify(thisProcess()));
      return new DataFolder(folder, lock);
    } catch (error) {
      lock.close();
      if (((sqliteCode(error) ?? 0) & 0xff) === BUSY) throw new DataFolderInUseError(folder, readHolder(folder));
      throw notWritable(folder, error);
    }
  }

  get isHeld(): boolean {
    return this.lock.isOpen;
  }

  /** After every store in the folder is closed. Again is no error. */
  release(): void {
    if (!this.isHeld) return;
    rmSync(holderFile(this.path), { force: true });
    this.lock.close();
  }
}

function openLock(folder: string): DatabaseSync {
  try {
    // Whichever command makes it: it holds people's data and the keys to it.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openDatabase(join(folder, 'lock.db'), { busyTimeoutMs: 0 });
  } catch (error) {
    throw notWritable(folder, error);
  }
}

function notWritable(folder: string, error: unknown): unknown {
  if (sqliteCode(error) !== undefined)
    return describeFileError(join(folder, 'lock.db'), 'the lock of the data folder', error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new DataFileError(
    folder,
    `cannot be used as a data folder: ${message}`,
    'Make it a folder that this user can write, or choose another.',
    { cause: error },
  );
}

const holderFile = (folder: string): string => join(folder, 'holder.json');

function thisProcess(): FolderHolder {
  return {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
    command: process.argv.slice(0, 3).join(' '),
  };
}

function readHolder(folder: string): FolderHolder | null {
  try {
    return JSON.parse(readFileSync(holderFile(folder), 'utf8')) as FolderHolder;
  } catch {
    // Missing or half written: the lock itself was taken a moment ago.
    return null;
  }
}
