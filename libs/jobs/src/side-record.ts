import { DuplicateEventError, type EventLog, NO_STATE } from '#lib/event-store';
import { type DomainEvent, eventId, systemSeed, traceId } from '#lib/kernel';

/** Where notes of one kind stand, and what makes each of them one of a kind. */
export interface SideRecordForm<T> {
  readonly stream: string;
  /** Names the seed, with what `identity` gives. */
  readonly namespace: string;
  /** The same for a note that is made again, after a crash for instance: it is kept once. */
  identity(note: T): readonly (string | number)[];
  event(note: T): DomainEvent;
}

/** The event_id under which a note of that form stands, if it stands anywhere. */
export function noteId<T>(form: SideRecordForm<T>, note: T): string {
  return eventId(noteSeed(form, note), 0, form.event(note).type);
}

function noteSeed<T>(form: SideRecordForm<T>, note: T): string {
  return systemSeed(form.namespace, form.identity(note).join(':'));
}

/** Puts what came too late for its job on record, one note after another, beside the jobs that no longer wait for it. */
export class SideRecord<T extends { readonly job_id: string }> {
  private tail: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly log: EventLog,
    /** Told of a note that could not be recorded; it changes nothing else. */
    private readonly onFault: (error: unknown) => void,
    private readonly form: SideRecordForm<T>,
  ) {}

  record(note: T): void {
    if (this.closed) return;
    this.tail = this.tail.then(() => this.append(note)).catch(this.onFault);
  }

  /** Settles once everything recorded so far is stored; what comes later is not. */
  async close(): Promise<void> {
    this.closed = true;
    await this.tail;
  }

  private async append(note: T): Promise<void> {
    const { stream } = this.form;
    const jobSeed = noteSeed(this.form, note);
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed), jobId: note.job_id };
    try {
      await this.log.execute({ stream, fold: NO_STATE, provenance, decide: () => [this.form.event(note)] });
    } catch (error) {
      // It was noted once before, and stands there.
      if (!(error instanceof DuplicateEventError)) throw error;
    }
  }
}
