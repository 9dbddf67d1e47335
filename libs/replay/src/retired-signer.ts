import { retiredKeys } from '#lib/access';
import type { EventLog } from '#lib/event-store';
import { chunksIn, type SnapshotSet, snapshotStream } from '#lib/governance';
import type { StoredJob } from '#lib/jobs';

/** The first event of a job that was signed with a key retired before it, in words; null where there is none. */
export async function retiredSigner(log: EventLog, { events }: StoredJob): Promise<string | null> {
  const retired = await retiredKeys(log, 'event-hmac');
  const index = events.findIndex(({ metadata: { kid }, position }) => {
    return Object.hasOwn(retired, kid) && BigInt(position) > BigInt(retired[kid]!);
  });
  const event = events[index];
  return event
    ? `event ${index} (${event.type}): key ${event.metadata.kid} was retired before, and signs no more`
    : null;
}

/** The first of a job's snapshots, and of the parts of one, that was signed with a key retired before it; null where none was. */
export async function retiredSnapshotSigner(log: EventLog, set: SnapshotSet): Promise<string | null> {
  const [ofEvents, ofSnapshots] = [await retiredKeys(log, 'event-hmac'), await retiredKeys(log, 'snapshot-hmac')];
  // Mostly no key was rotated: then nothing need be read again.
  if (Object.keys(ofEvents).length + Object.keys(ofSnapshots).length === 0) return null;
  const ids = Object.values(set).flatMap(({ snapshot_id, body }) => [snapshot_id, ...chunksIn(body)]);
  for (const id of new Set(ids)) {
    const [recorded] = (await log.store.readStream(snapshotStream(id), { limit: 1 })).events;
    if (!recorded) continue;
    const { metadata, data } = log.codec.decode(recorded);
    const since = (retired: Readonly<Record<string, string>>, kid: string): boolean =>
      Object.hasOwn(retired, kid) && BigInt(recorded.position) > BigInt(retired[kid]!);
    const own = data['kid'] as string;
    const kid = since(ofEvents, metadata.kid) ? metadata.kid : since(ofSnapshots, own) ? own : null;
    if (kid !== null) return `snapshot ${id}: key ${kid} was retired before, and signs no more`;
  }
  return null;
}
