import { retiredKeys } from '#lib/access';
import { comparePositions, type EventLog, IntegrityError, type Position, type RecordedEvent } from '#lib/event-store';
import { GENESIS_HASH, MaceError, sha256Hex } from '#lib/kernel';
import type { EventProof } from '#lib/proof';

/**
 * Refuses the proof of an event that no key of the ring has signed at that place, or one that had been retired before: the
 * tree is over whatever the store holds, and a third party has nothing but the proof to go by.
 * @throws MaceError INTEGRITY_FAILURE with the event's place
 */
export async function refuseUnsigned(
  log: EventLog,
  { event_id, stream, revision }: Pick<EventProof, 'event_id' | 'stream' | 'revision'>,
): Promise<void> {
  const from = Math.max(0, revision - 1);
  const { events } = await log.store.readStream(stream, { from, limit: revision - from + 1 });
  const [before, event] = revision === 0 ? [null, events[0]] : events;
  try {
    if (event?.id !== event_id) throw new IntegrityError(stream, revision, 'it is gone from its stream');
    const { metadata } = log.codec.open(event, before ? sha256Hex(before.text) : GENESIS_HASH).event;
    await refuseRetired(log, event, metadata.kid);
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    const place = `event ${revision} of ${stream}${event ? ` (position ${event.position})` : ''}`;
    throw new MaceError('INTEGRITY_FAILURE', `${place} is not what was signed: ${error.reason}`, { stream, revision });
  }
}

/** @throws IntegrityError */
async function refuseRetired(log: EventLog, event: RecordedEvent, kid: string): Promise<void> {
  const since = (await retiredKeys(log, 'event-hmac'))[kid];
  if (since !== undefined && comparePositions(event.position, since as Position) > 0)
    throw new IntegrityError(event.stream, event.revision, `key ${kid} was retired before, and signs no more`);
}
