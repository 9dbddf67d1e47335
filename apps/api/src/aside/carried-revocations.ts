import { existsSync } from 'node:fs';
import { join } from 'node:path';

import {
  type EventCodec,
  EventLog,
  type Fold,
  IntegrityError,
  type LoggedEvent,
  openSqliteEventStore,
  START,
} from '#lib/event-store';
import { GrowingMap, systemSeed, traceId } from '#lib/kernel';
import { foldersAside } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import type { Logger } from '../edge/log.js';
import { isDamaged } from './replaced-keys.js';

/** What a person or an admin took back for good; none of it has personal fields. */
const TAKEN_BACK = ['PII_CONSENT_REVOKE', 'TOKEN_REVOKED', 'PRINCIPAL_REMOVED'];
const SYSTEM = { id: 'system', role: 'system' } as const;
const PAGE = 1000;

/** Ids of the events that stand in a stream, and the seeds under which they were made. */
const KNOWN: Fold<GrowingMap<string, true>> = {
  name: 'carried-revocations',
  initial: GrowingMap.empty(),
  evolve: (known, { metadata }) => known.with(metadata.event_id, true).with(metadata.job_seed, true),
};

/**
 * Brings into a restored log what was taken back after the copy was made, from the logs that restores replaced: a consent
 * or a token that was revoked stays so (spec/privacy.md, "What happens"). Each event is verified where it stands, and
 * stands in the restored log as one of its own. Again is no error.
 * @returns how many were carried
 */
export async function carryRevocations(
  into: EventLog,
  dataDir: string,
  codec: EventCodec,
  log: Logger,
): Promise<number> {
  let carried = 0;
  for (const path of foldersAside(dataDir)) {
    if (!existsSync(join(path, 'events.db'))) continue;
    try {
      for (const event of await takenBackIn(path, codec)) carried += await carry(into, event);
    } catch (error) {
      if (!isDamaged(error) && !(error instanceof IntegrityError)) throw error;
      const { message } = error as Error;
      log.error({ reason: message, folder: path }, 'revocations after the copy may be lost: this log cannot be read');
    }
  }
  if (carried > 0) log.warn({ revocations: carried }, 'what was revoked after the copy was made stays revoked');
  return carried;
}

async function takenBackIn(path: string, codec: EventCodec): Promise<readonly LoggedEvent[]> {
  const folder = DataFolder.take(path);
  try {
    const store = await openSqliteEventStore({ folder });
    try {
      const replaced = new EventLog(store, codec);
      const streams = new Set<string>();
      for (let after = START; ;) {
        const page = await store.readAll({ after, limit: PAGE, types: TAKEN_BACK });
        for (const { stream } of page.events) streams.add(stream);
        if (page.atHead) break;
        after = page.scannedTo;
      }
      const found: LoggedEvent[] = [];
      for (const stream of streams) {
        const { events } = await replaced.load(stream);
        found.push(...events.filter(({ type }) => TAKEN_BACK.includes(type)));
      }
      return found;
    } finally {
      await store.close();
    }
  } finally {
    folder.release();
  }
}

/** @returns 1 where it was carried, 0 where the log has it */
async function carry(into: EventLog, { stream, type, data, metadata }: LoggedEvent): Promise<number> {
  const jobSeed = systemSeed('restored', metadata.event_id);
  const { events } = await into.execute({
    stream,
    fold: KNOWN,
    provenance: { jobSeed, sequenceIndex: 0, actor: SYSTEM, traceId: traceId(jobSeed) },
    decide: (known) => (known.has(metadata.event_id) || known.has(jobSeed) ? [] : [{ type, data }]),
  });
  return events.length;
}
