import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { COUNCIL_STREAM, type LateVote, lateVoteEvent } from './domain/late-votes.events.js';

const NOTHING: Fold<null> = { name: 'late-votes', initial: null, evolve: () => null };

/** Puts votes that came after their collection was closed on record, one after another, beside the jobs. */
export class LateVotes {
  private tail: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly log: EventLog,
    /** Told of a late vote that could not be recorded; it changes nothing else. */
    private readonly onFault: (error: unknown) => void,
  ) {}

  record(late: LateVote): void {
    if (this.closed) return;
    this.tail = this.tail.then(() => this.append(late)).catch(this.onFault);
  }

  /** Settles once everything recorded so far is stored; what comes later is not. */
  async close(): Promise<void> {
    this.closed = true;
    await this.tail;
  }

  private async append(late: LateVote): Promise<void> {
    const { job_id: jobId, candidate_event_id, council_agent_id } = late;
    const jobSeed = systemSeed('council', [candidate_event_id, council_agent_id].join(':'));
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed), jobId };
    try {
      await this.log.execute({
        stream: COUNCIL_STREAM,
        fold: NOTHING,
        provenance,
        decide: () => [lateVoteEvent(late)],
      });
    } catch (error) {
      // Asked again after a crash, a critic may be late again: one note of it is enough.
      if (!(error instanceof DuplicateEventError)) throw error;
    }
  }
}
