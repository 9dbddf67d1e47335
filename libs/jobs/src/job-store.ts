import { type EventLog, isErased, type LoggedEvent } from '#lib/event-store';
import type { EventMetadata } from '#lib/kernel';

import { checkJobForms } from './domain/job-forms.js';
import { type JobResult, jobResult } from './domain/job-result.js';
import { jobStream } from './domain/jobs.events.js';
import { readable } from './domain/readable.js';
import type { IdentifiedEvent } from './domain/reflective-log.js';
import type { NumberedEvent } from './engine/recorder.js';
import type { JobHistory } from './job-runner.js';

/** A job as its stream tells it, verified, in plain. */
export interface StoredJob {
  readonly history: JobHistory;
  readonly events: readonly LoggedEvent[];
  /** Metadata of JOB_ACCEPTED: whose job it is, under which seed and request. */
  readonly origin: EventMetadata;
  readonly sealed: boolean;
  readonly result: JobResult;
}

/** @throws IntegrityError where the stream's chain or a signature does not hold */
export async function loadJob(log: EventLog, jobId: string): Promise<StoredJob | null> {
  return storedJob(log, await log.load(jobStream(jobId), { personal: 'plain' }));
}

/**
 * As loadJob, for whoever shows what a job holds.
 * @throws JobFormError where an event has a form that no job writes; IntegrityError
 */
export async function loadReadableJob(log: EventLog, jobId: string): Promise<StoredJob | null> {
  const stream = jobStream(jobId);
  const loaded = await log.load(stream, { personal: 'plain' });
  checkJobForms(stream, loaded.events);
  return storedJob(log, loaded);
}

function storedJob(log: EventLog, { head, events }: Awaited<ReturnType<EventLog['load']>>): StoredJob | null {
  const origin = events[0]?.metadata;
  if (!origin) return null;
  const numbered = events.map((event): NumberedEvent => ({
    type: event.type,
    data: log.codec.withoutSeal(event),
    sequenceIndex: event.metadata.sequence_index,
  }));
  return {
    history: { head, events: numbered },
    events,
    origin,
    sealed: events.at(-1)?.type === 'JOB_SEALED',
    result: jobResult(readable(events), origin.job_seed, origin.trace_id),
  };
}

/** True where a personal field of the job can never be read again. */
export function holdsErased(job: StoredJob): boolean {
  return job.events.some((event) => Object.values(event.data).some(isErased));
}

export function identified(job: StoredJob): IdentifiedEvent[] {
  return job.events.map((event) => ({ type: event.type, data: event.data, event_id: event.metadata.event_id }));
}
