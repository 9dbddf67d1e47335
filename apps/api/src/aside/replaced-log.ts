import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  type EventCodec,
  EventLog,
  IntegrityError,
  type LoggedEvent,
  openSqliteEventStore,
  START,
} from '#lib/event-store';
import { type Provenance, systemSeed, traceId } from '#lib/kernel';
import { foldersAside } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import { isDamaged } from './replaced-keys.js';

/** A stream of a log that a restore replaced, each event verified. */
export type ReplacedStream = readonly LoggedEvent[];

const PAGE = 1000;

/**
 * Reads from the logs that restores replaced every stream that holds an event of one of these types, whole.
 * @param take given the streams of one log at a time
 * @param onUnreadable told of a log that cannot be read, and of each stream in one that is not what was signed
 * @throws DataFolderInUseError, DataFileError
 */
export async function readReplaced(
  dataDir: string,
  { codec, types }: { readonly codec: EventCodec; readonly types: readonly string[] },
  take: (streams: readonly ReplacedStream[]) => Promise<void>,
  onUnreadable: (reason: string, path: string) => void,
): Promise<void> {
  for (const path of foldersAside(dataDir)) {
    if (!existsSync(join(path, 'events.db'))) continue;
    const streams = await streamsIn(path, codec, types, (reason) => onUnreadable(reason, path));
    await take(streams);
  }
}

/** Of what is carried into the log that was restored: by the event that it was, so that it is carried once. */
export function carriedBy({ metadata: { event_id } }: LoggedEvent): Provenance {
  const jobSeed = systemSeed('restored', event_id);
  return { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
}

async function streamsIn(
  path: string,
  codec: EventCodec,
  types: readonly string[],
  onUnreadable: (reason: string) => void,
): Promise<readonly ReplacedStream[]> {
  const folder = DataFolder.take(path);
  const found: ReplacedStream[] = [];
  try {
    const store = await openSqliteEventStore({ folder });
    try {
      const log = new EventLog(store, codec);
      const names = new Set<string>();
      for (let after = START; ;) {
        const page = await store.readAll({ after, limit: PAGE, types });
        for (const { stream } of page.events) names.add(stream);
        if (page.atHead) break;
        after = page.scannedTo;
      }
      for (const name of names) {
        try {
          found.push((await log.load(name)).events);
        } catch (error) {
          if (!(error instanceof IntegrityError)) throw error;
          onUnreadable(error.message);
        }
      }
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isDamaged(error) && !(error instanceof IntegrityError)) throw error;
    onUnreadable((error as Error).message);
  } finally {
    folder.release();
  }
  return found;
}
