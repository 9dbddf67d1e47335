import { DifferentBodyError, DuplicateEventError, IntegrityError } from '#lib/event-store';
import { reactionSeed } from '#lib/kernel';
import type { ProjectedEvent, Reaction } from '#lib/projections';

import type { BesideLog } from './beside-log.js';
import type { LogIndex } from './reflective-logs.js';

const REACTION = 'log-quarantine';
const REPORTS = 'system-integrity';

/** What a quarantine needs of its cause. */
export type ReportedFailure = Pick<ProjectedEvent, 'stream' | 'data'> & {
  readonly metadata: Pick<ProjectedEvent['metadata'], 'event_id' | 'trace_id'>;
};

/**
 * Quarantines the log of a job of which an admin reports an integrity failure, until an admin's check finds it sound
 * (spec/decisions.md, "ReflectiveLog"). What a check finds by itself is quarantined by that check.
 * @param onUnreadable told of a log beside which nothing can be put, because what stands there does not verify; it is
 * neither read nor replayed for that alone
 */
export function quarantineReaction(
  beside: Pick<BesideLog, 'quarantineFor'>,
  index: Pick<LogIndex, 'ofJob'>,
  onUnreadable: (logId: string, error: IntegrityError) => void,
): Reaction & { react(event: ReportedFailure): Promise<void> } {
  return {
    name: REACTION,
    types: ['INTEGRITY_FAILURE'],
    async react({ stream, data, metadata }: ReportedFailure): Promise<void> {
      const { job_id, stream: damaged } = data;
      if (stream !== REPORTS || damaged !== undefined || typeof job_id !== 'string') return;
      const log_id = (await index.ofJob(job_id))?.log_id ?? null;
      // A job that still runs has no log yet; the snapshots that it pinned are halted all the same.
      if (log_id === null) return;
      const { event_id, trace_id } = metadata;
      const provenance = {
        jobSeed: reactionSeed(REACTION, event_id),
        sequenceIndex: 0,
        actor: { id: 'system', role: 'system' },
        traceId: trace_id,
        causationId: event_id,
      };
      try {
        await beside.quarantineFor(log_id, job_id, provenance, { revision: 0, reason: 'reported by an admin' });
      } catch (error) {
        if (error instanceof IntegrityError) return onUnreadable(log_id, error);
        // Quarantined by this very report, and released since.
        if (!(error instanceof DuplicateEventError || error instanceof DifferentBodyError)) throw error;
      }
    },
  };
}
