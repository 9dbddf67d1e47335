import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { kidOf, openSqliteSubjectKeys, type SubjectKeyStore } from '#lib/event-store';
import { DamagedFileError, DataFolder, sqliteCode } from '#lib/sqlite';

const KEYS = 'subject-keys.db';
const PRIMARY_CODE = 0xff;
/** SQLite's CORRUPT and NOTADB. */
const DAMAGED = [11, 26];

/** Which data keys are to go: those that are named, and all of a person. */
export interface Doomed {
  readonly kids: readonly string[];
  readonly subject?: string;
}

/** What became of the keys in a folder that a restore replaced. */
export interface DestroyedKeys {
  /** Keys that were asked for, those that were destroyed before included; null where no key file is there (any more). */
  readonly found: number | null;
  /** How many of them could still have been opened until now. */
  readonly destroyed: number;
}

/**
 * Destroys data keys in a folder that a restore replaced, as in the data folder itself: overwritten, in the file and its
 * WAL. Of a key file that is damaged nobody can say what it holds: it goes as a whole. Again is no error.
 * @throws DataFolderInUseError, DataFileError where somebody works on the folder, or the file cannot be written
 */
export async function destroyReplacedKeys(path: string, doomed: Doomed): Promise<DestroyedKeys> {
  if (!existsSync(join(path, KEYS))) return { found: null, destroyed: 0 };
  const folder = DataFolder.take(path);
  try {
    return await withKeys(folder, (keys) => destroyAll(keys, doomed));
  } catch (error) {
    if (!isDamaged(error)) throw error;
    for (const name of [KEYS, `${KEYS}-wal`, `${KEYS}-shm`]) await overwrite(join(path, name));
    return { found: null, destroyed: 0 };
  } finally {
    folder.release();
  }
}

async function withKeys<T>(folder: DataFolder, work: (keys: SubjectKeyStore) => Promise<T>): Promise<T> {
  const keys = await openSqliteSubjectKeys({ folder });
  try {
    return await work(keys);
  } finally {
    await keys.close();
  }
}

async function destroyAll(keys: SubjectKeyStore, { kids, subject }: Doomed): Promise<DestroyedKeys> {
  const own = subject === undefined ? [] : (await keys.listFor(subject)).map(kidOf);
  let [found, destroyed] = [0, 0];
  for (const kid of new Set([...kids, ...own])) {
    const record = await keys.get(kid);
    if (record === null) continue;
    found++;
    if (record.state === 'destroyed') continue;
    await keys.destroy(kid);
    destroyed++;
  }
  return { found, destroyed };
}

/** The file is none of ours any more; that it is in use, or must not be written, is another thing. */
export function isDamaged(error: unknown): boolean {
  return error instanceof DamagedFileError || DAMAGED.includes((sqliteCode(error) ?? 0) & PRIMARY_CODE);
}

async function overwrite(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const file = await open(path, 'r+');
  try {
    await file.write(Buffer.alloc((await file.stat()).size), 0, undefined, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await rm(path, { force: true });
}
