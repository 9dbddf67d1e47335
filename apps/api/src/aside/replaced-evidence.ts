import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { footprintOf, holdsOf } from '#lib/dsr';
import {
  type EventCodec,
  EventLog,
  IntegrityError,
  openFileArtifactStore,
  openSqliteEventStore,
} from '#lib/event-store';
import type { EventRegistry } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { isDamaged } from './replaced-keys.js';

/** What it takes to read a log that a restore replaced: it was signed with the same ring. */
export interface ReplacedLogReader {
  readonly codec: EventCodec;
  readonly registry: EventRegistry;
}

/**
 * Deletes a person's forensic evidence in a folder that a restore replaced: it is not under the person's own keys, and
 * what came after the copy is named in the replaced log alone. Of a log that cannot be read nothing says whose evidence
 * is whose: all of it goes. What a legal hold of either log names stays. Again is no error.
 * @param held evidence_refs that a legal hold names
 * @throws DataFolderInUseError, DataFileError
 */
export async function deleteReplacedEvidence(
  path: string,
  subject: string,
  held: ReadonlySet<string>,
  reader: ReplacedLogReader,
): Promise<void> {
  if (!existsSync(join(path, 'artifacts'))) return;
  const folder = DataFolder.take(path);
  try {
    const refs = await evidenceOf(folder, subject, reader);
    if (refs === null) return await emptied(join(path, 'artifacts'), held);
    const artifacts = await openFileArtifactStore({ folder });
    for (const ref of refs) if (!held.has(ref)) await artifacts.delete(ref);
    await artifacts.close();
  } finally {
    folder.release();
  }
}

/** Null where the log cannot be read. */
async function evidenceOf(
  folder: DataFolder,
  subject: string,
  { codec, registry }: ReplacedLogReader,
): Promise<readonly string[] | null> {
  if (!existsSync(join(folder.path, 'events.db'))) return null;
  try {
    const store = await openSqliteEventStore({ folder });
    try {
      const log = new EventLog(store, codec);
      const holds = await holdsOf(log);
      return (await footprintOf(log, registry, subject)).evidence.filter((ref) => !holds.has(ref));
    } finally {
      await store.close();
    }
  } catch (error) {
    if (isDamaged(error) || error instanceof IntegrityError) return null;
    throw error;
  }
}

async function emptied(artifacts: string, held: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(artifacts, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const name = entry.parentPath.slice(artifacts.length + 1) + entry.name;
    if (!held.has(name)) await rm(join(entry.parentPath, entry.name));
  }
}
