import { type Actor, type EventMetadata, systemSeed, timestampSeeded, traceId } from '#lib/kernel';

/** Who stores snapshots: nobody asks for one, and no command makes one. */
export const SNAPSHOT_ACTOR: Actor = { id: 'system', role: 'system' };

/** The seed of a snapshot's one event. @param occurrence drawn once a snapshot */
export function snapshotSeed(occurrence: string): string {
  return systemSeed('snapshots', occurrence);
}

/**
 * What the envelope of a stored snapshot says that no snapshot's does, in words; null where nothing. A snapshot's id and
 * signature hold its body alone: who stored it, when and because of what is held by nothing else.
 */
export function provenanceFault(metadata: EventMetadata): string | null {
  const { job_seed, actor, trace_id, $correlationId } = metadata;
  const { id, role } = SNAPSHOT_ACTOR;
  const wrong =
    (!(actor.id === id && actor.role === role) && 'actor') ||
    (!job_seed.startsWith(snapshotSeed('')) && 'job_seed') ||
    (metadata.sequence_index !== 0 && 'sequence_index') ||
    (metadata.timestamp_seeded !== timestampSeeded(job_seed, 0) && 'timestamp_seeded') ||
    ((trace_id !== traceId(job_seed) || $correlationId !== trace_id) && 'trace_id') ||
    (['$causationId', 'job_id', 'request_digest'] as const).find((name) => metadata[name] !== undefined);
  return wrong === undefined ? null : `its ${wrong} is not that of a snapshot`;
}
