import { type EventLog, IntegrityError } from '#lib/event-store';
import { reactionSeed, type JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import { SNAPSHOT_KINDS } from './domain/snapshot.js';
import { concerned, HALTING_TYPES, type HaltingType } from './domain/snapshot-halt.js';
import type { SnapshotHalts } from './snapshot-halts.js';

const REACTION = 'snapshot-halts';

/** What a halt needs of its cause. */
export type HaltingEvent = Pick<ProjectedEvent, 'type' | 'stream' | 'data'> & {
  readonly metadata: Pick<ProjectedEvent['metadata'], 'event_id' | 'trace_id'>;
};

/**
 * Puts FORCE_HALT_REPLAY on the snapshots that an integrity failure or a security incident concerns (spec/replay.md),
 * whoever reported or found it; once each, also where a crash came between the two.
 * @param onUnreadable told of a job whose snapshots cannot be told, because its own record does not verify, and of a
 * snapshot whose flags do not
 */
export function haltReaction(
  log: EventLog,
  halts: SnapshotHalts,
  onUnreadable: (id: string, error: IntegrityError) => void,
): Reaction & { react(event: HaltingEvent): Promise<void> } {
  return {
    name: REACTION,
    types: HALTING_TYPES,
    async react({ type, stream, data, metadata }: HaltingEvent): Promise<void> {
      const { event_id, trace_id } = metadata;
      const which = concerned(type, stream, data);
      if (which === null) return;
      const ids = 'snapshot' in which ? [which.snapshot] : await pinned(which.job);
      const jobSeed = reactionSeed(REACTION, event_id);
      const cause = { cause_event_id: event_id, cause_type: type as HaltingType, cause_stream: stream };
      for (const [sequenceIndex, snapshot_id] of ids.entries()) {
        const actor = { id: 'system', role: 'system' };
        const provenance = { jobSeed, sequenceIndex, actor, traceId: trace_id, causationId: event_id };
        try {
          // A check that finds the same damage again adds nothing: the snapshot is verified before it is cleared.
          if ('snapshot' in which && (await halts.of(snapshot_id))) continue;
          await halts.haltBecause({ snapshot_id, ...cause }, provenance);
        } catch (error) {
          // A flag on it is not what was signed: whoever asks whether it is halted is refused. The others must not wait.
          if (!(error instanceof IntegrityError)) throw error;
          onUnreadable(snapshot_id, error);
        }
      }
    },
  };

  /** What a job pinned, by its own signed event, whatever the rest of its record is worth. */
  async function pinned(jobId: string): Promise<readonly string[]> {
    const [recorded] = (await log.store.readStream(`job-${jobId}`, { from: 1, limit: 1 })).events;
    if (recorded?.type !== 'SNAPSHOTS_PINNED') return [];
    try {
      const ids = log.codec.openAlone(recorded).data['snapshots'] as JsonObject;
      return SNAPSHOT_KINDS.flatMap((kind) => (typeof ids[kind] === 'string' ? [ids[kind]] : []));
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      onUnreadable(jobId, error);
      return [];
    }
  }
}
