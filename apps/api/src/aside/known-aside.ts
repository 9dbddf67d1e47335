import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { footprintOf } from '#lib/dsr';
import { EventLog, IntegrityError, openSqliteEventStore, openSqliteSubjectKeys } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import { foldersAside } from '#lib/proof';
import { DataFolder, DataFolderInUseError } from '#lib/sqlite';

import type { ReplacedLogReader } from './replaced-evidence.js';
import { isDamaged } from './replaced-keys.js';

/**
 * Whether a folder that a restore replaced holds a data key of a person, or says anything of them: who came after the copy
 * is in no stream of the log, and may ask for what is still there. Of a folder that cannot be read nobody can say that it
 * does not.
 * @throws MaceError DATA_UNAVAILABLE where somebody works on such a folder; what the stores throw
 */
export async function isKnownAside(dataDir: string, subject: string, reader: ReplacedLogReader): Promise<boolean> {
  for (const path of foldersAside(dataDir)) if (await isKnownIn(path, subject, reader)) return true;
  return false;
}

async function isKnownIn(path: string, subject: string, reader: ReplacedLogReader): Promise<boolean> {
  let folder: DataFolder | undefined;
  try {
    folder = DataFolder.take(path);
    return (await hasKey(folder, subject)) || (await isSpokenOf(folder, subject, reader));
  } catch (error) {
    if (error instanceof DataFolderInUseError)
      throw new MaceError('DATA_UNAVAILABLE', 'a folder that a restore replaced is being worked on; ask again');
    if (isDamaged(error) || error instanceof IntegrityError) return true;
    throw error;
  } finally {
    folder?.release();
  }
}

async function hasKey(folder: DataFolder, subject: string): Promise<boolean> {
  if (!existsSync(join(folder.path, 'subject-keys.db'))) return false;
  const keys = await openSqliteSubjectKeys({ folder });
  try {
    return (await keys.listFor(subject)).length > 0;
  } finally {
    await keys.close();
  }
}

async function isSpokenOf(
  folder: DataFolder,
  subject: string,
  { codec, registry }: ReplacedLogReader,
): Promise<boolean> {
  if (!existsSync(join(folder.path, 'events.db'))) return false;
  const store = await openSqliteEventStore({ folder });
  try {
    if ((await store.streamVersion(`principal-${subject}`)) > 0) return true;
    const { entries, evidence } = await footprintOf(new EventLog(store, codec), registry, subject);
    return entries.length + evidence.length > 0;
  } finally {
    await store.close();
  }
}
