import { type EventLog, IntegrityError } from '#lib/event-store';
import { JobFormError, loadReadableJob, type StoredJob } from '#lib/jobs';
import { CanonicalJsonError } from '#lib/kernel';

/** A record whose events are signed and chained, and do not have the form that jobs write. */
export class MalformedRecordError extends Error {
  constructor(cause: Error) {
    super(`the record does not have the form that jobs write (${cause.name})`, { cause });
    this.name = 'MalformedRecordError';
  }
}

/**
 * Looks into a record that was verified: who holds the keys can sign anything, and what cannot be read is for that reason
 * not what a job recorded.
 * @throws MalformedRecordError
 */
export async function lookingInto<T>(look: () => T | Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const isForm = error instanceof TypeError || error instanceof RangeError || error instanceof CanonicalJsonError;
    throw isForm ? new MalformedRecordError(error) : error;
  }
}

/** A job's record; null where there is none, or it does not verify or cannot be read. */
export async function recordOrNull(log: EventLog, jobId: string): Promise<StoredJob | null> {
  try {
    return await lookingInto(() => loadReadableJob(log, jobId));
  } catch (error) {
    if (error instanceof IntegrityError || error instanceof MalformedRecordError || error instanceof JobFormError)
      return null;
    throw error;
  }
}
