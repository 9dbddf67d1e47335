import type { ForensicStore } from '#lib/audit';
import { dsrStream, isOfLegalHold } from '#lib/dsr';
import type { EventCodec, EventLog, Fold, LoggedEvent, SubjectCiphers, SubjectKeyStore } from '#lib/event-store';
import { GrowingMap, type JsonObject } from '#lib/kernel';
import { erasureFault, type ErasedRequest } from '#lib/proof';

import type { Logger } from '../edge/log.js';
import { carriedBy, readReplaced, type ReplacedStream } from './replaced-log.js';

/** Up to here a request is taken over; from here on the erasure itself goes on in the restored log. */
const REQUEST = ['DSR_REQUEST', 'DSR_DELETE_REQUEST', 'DSR_APPROVED', 'ERASURE_REQUESTED'];
const HOLDS = ['LEGAL_HOLD_PLACED', 'LEGAL_HOLD_LIFTED'];
const DESTROYED = 'SUBJECT_KEYS_DESTROYED';
const PURGED = 'FORENSIC_ERASED';
const KEPT = 'FORENSIC_KEPT';

/** What an erasure is carried into. */
export interface RestoredLog {
  readonly events: EventLog;
  readonly codec: EventCodec;
  /** Path of the data folder. */
  readonly dataDir: string;
  readonly keys: Pick<SubjectKeyStore, 'get' | 'destroy'>;
  readonly ciphers: Pick<SubjectCiphers, 'forget'>;
  readonly evidence: Pick<ForensicStore, 'erase'>;
  readonly log: Logger;
}

/** What a stream says already: a request each thing once, of each hold that it was placed and that it was lifted. */
const SAID: Fold<GrowingMap<string, true>> = {
  name: 'carried-erasures',
  initial: GrowingMap.empty(),
  evolve: (said, event) => said.with(sayingOf(event), true),
};

/**
 * Destroys again what deletions have destroyed after the copy was made, as the logs that restores replaced say: data keys
 * and forensic evidence now, before anything is served. Their approved requests and the legal holds come into the restored
 * log, where the erasure then goes on by itself and ends in a certificate that is true of this log. Again is no error.
 * @throws what the stores throw
 */
export async function carryErasures(restored: RestoredLog): Promise<void> {
  const { dataDir, codec, log } = restored;
  const requests = new Set<string>();
  await readReplaced(
    dataDir,
    { codec, types: ['DSR_APPROVED', ...HOLDS, DESTROYED, PURGED] },
    async (streams) => {
      for (const stream of streams) for (const event of stream) await carryHold(restored, event);
      for (const stream of streams) if (await carryRequest(restored, stream)) requests.add(stream[0]!.stream);
      for (const stream of streams) await destroyedIn(restored, stream);
    },
    (reason, folder) => log.error({ reason, folder }, 'deletions after the copy may be lost: this log cannot be read'),
  );
  if (requests.size > 0)
    log.warn({ requests: [...requests] }, 'deletions that were approved after the copy was made are carried out again');
}

/** Deletions that were carried out, and that the log does not hold: an admin has to file them again. */
export async function missingRequests(
  events: Pick<EventLog, 'load'>,
  done: readonly ErasedRequest[],
): Promise<readonly ErasedRequest[]> {
  const missing: ErasedRequest[] = [];
  for (const request of done) {
    const stream = (await events.load(dsrStream(request.dsrId))).events;
    if (!stream.some(({ type }) => type === 'DSR_APPROVED')) missing.push(request);
  }
  return missing;
}

async function carryHold({ events, log }: RestoredLog, event: LoggedEvent): Promise<void> {
  if (!HOLDS.includes(event.type)) return;
  if (isOfLegalHold(event)) return void (await append(events, event, event.data));
  // Whoever signs can write anything there; a start that failed of it would keep everything else from being carried.
  const { stream, revision } = event;
  log.error({ stream, revision }, 'a legal hold of a form in which none is placed is not carried: place it again');
}

/** @returns whether something of it was carried */
async function carryRequest({ events }: RestoredLog, stream: ReplacedStream): Promise<boolean> {
  const isDeletion = stream[0]?.type === 'DSR_REQUEST' && stream[0].data['kind'] === 'delete';
  if (!isDeletion || !stream.some(({ type }) => type === 'DSR_APPROVED')) return false;
  let carried = false;
  for (const event of stream) {
    if (!REQUEST.includes(event.type)) continue;
    // The reason is under the person's key of that log, in a form that opens nowhere else.
    const { reason: _, ...data } = event.data;
    carried = (await append(events, event, data)) || carried;
  }
  return carried;
}

/** What a stream says that was destroyed, where it is one in which that may stand. */
async function destroyedIn(restored: RestoredLog, stream: ReplacedStream): Promise<void> {
  for (const [i, event] of stream.entries()) {
    if (event.type !== DESTROYED && event.type !== PURGED) continue;
    const reason = erasureFault(event.stream, stream.slice(0, i + 1));
    if (reason === null) await destroyed(restored, event, stream);
    else restored.log.error({ reason, stream: event.stream, revision: i }, 'nothing is destroyed again by this event');
  }
}

async function destroyed(
  { events, keys, ciphers, evidence }: RestoredLog,
  { type, data }: LoggedEvent,
  stream: ReplacedStream,
): Promise<void> {
  if (type === PURGED) {
    // Evidence from after the copy has no trail here, and that it is deleted is said in a trail that has begun.
    const kept = stream.find((event) => event.type === KEPT)!;
    await append(events, kept, keptDataOf(kept));
    await evidence.erase(data['evidence_ref'] as string, (data['dsr_id'] as string | undefined) ?? null);
  }
  if (type !== DESTROYED) return;
  for (const kid of data['kids'] as readonly string[]) {
    const record = await keys.get(kid);
    if (record !== null && record.state !== 'destroyed') await keys.destroy(kid);
  }
  ciphers.forget(data['user_id'] as string);
}

/** What a trail begins with, whatever else its event holds. */
function keptDataOf({ data: { evidence_ref, event_type, kid, job_id, user_id } }: LoggedEvent): JsonObject {
  const texts = Object.entries({ evidence_ref, event_type, kid, job_id, user_id });
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

async function append(into: EventLog, event: LoggedEvent, data: JsonObject): Promise<boolean> {
  const { type, stream, metadata } = event;
  const { request_digest: requestDigest } = metadata;
  const { events } = await into.execute({
    stream,
    fold: SAID,
    provenance: { ...carriedBy(event), ...(requestDigest === undefined ? {} : { requestDigest }) },
    decide: (said) => (said.has(sayingOf(event)) ? [] : [{ type, data }]),
  });
  return events.length > 0;
}

function sayingOf({ type, data }: Pick<LoggedEvent, 'type' | 'data'>): string {
  return HOLDS.includes(type) ? `${type} ${data['hold_id'] as string}` : type;
}
