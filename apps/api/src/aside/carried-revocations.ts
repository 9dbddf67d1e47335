import { type EventCodec, type EventLog, type Fold, type LoggedEvent } from '#lib/event-store';
import { GrowingMap } from '#lib/kernel';

import type { Logger } from '../edge/log.js';
import { carriedBy, readReplaced } from './replaced-log.js';

/** What a person or an admin took back for good; none of it has personal fields. */
const TAKEN_BACK = ['PII_CONSENT_REVOKE', 'TOKEN_REVOKED', 'PRINCIPAL_REMOVED'];

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
  await readReplaced(
    dataDir,
    { codec, types: TAKEN_BACK },
    async (streams) => {
      for (const event of streams.flat()) if (TAKEN_BACK.includes(event.type)) carried += await carry(into, event);
    },
    (reason, folder) =>
      log.error({ reason, folder }, 'revocations after the copy may be lost: this log cannot be read'),
  );
  if (carried > 0) log.warn({ revocations: carried }, 'what was revoked after the copy was made stays revoked');
  return carried;
}

/** @returns 1 where it was carried, 0 where the log has it */
async function carry(into: EventLog, event: LoggedEvent): Promise<number> {
  const { stream, type, data, metadata } = event;
  const provenance = carriedBy(event);
  const { events } = await into.execute({
    stream,
    fold: KNOWN,
    provenance,
    decide: (known) => (known.has(metadata.event_id) || known.has(provenance.jobSeed) ? [] : [{ type, data }]),
  });
  return events.length;
}
