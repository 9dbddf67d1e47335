import { DuplicateEventError, type EventLog, type Fold } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { AGENTS_STREAM, type LateAnswer, lateAnswerEvent } from './domain/late-answers.events.js';

const NOTHING: Fold<null> = { name: 'late-answers', initial: null, evolve: () => null };

/** Puts answers that came too late on record, one after another, beside the jobs that no longer wait for them. */
export class LateAnswers {
  private tail: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly log: EventLog,
    /** Told of a late answer that could not be recorded; it changes nothing else. */
    private readonly onFault: (error: unknown) => void,
  ) {}

  record(answer: LateAnswer): void {
    if (this.closed) return;
    this.tail = this.tail.then(() => this.append(answer)).catch(this.onFault);
  }

  /** Settles once everything recorded so far is stored; what comes later is not. */
  async close(): Promise<void> {
    this.closed = true;
    await this.tail;
  }

  private async append(answer: LateAnswer): Promise<void> {
    const { job_id, iteration, attempt, retry } = answer;
    const jobSeed = systemSeed('agents', [job_id, iteration, attempt, retry].join(':'));
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed), jobId: job_id };
    try {
      await this.log.execute({
        stream: AGENTS_STREAM,
        fold: NOTHING,
        provenance,
        decide: () => [lateAnswerEvent(answer)],
      });
    } catch (error) {
      // A turn that was taken again after a crash was late once before, and stands there.
      if (!(error instanceof DuplicateEventError)) throw error;
    }
  }
}
