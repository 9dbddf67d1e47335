import { type EventLog, IntegrityError, type LoggedEvent } from '#lib/event-store';

import { consentsIn } from './domain/consented.js';
import { jobStream } from './domain/jobs.events.js';

type OfJob = Pick<LoggedEvent, 'stream' | 'data' | 'metadata'>;

/** The job that an event is of or about, whatever stream it is in; null where it names none. */
function jobOf({ stream, data, metadata }: OfJob): string | null {
  if (stream.startsWith(jobStream(''))) return stream.slice(jobStream('').length);
  const named = data['job_id'];
  return typeof named === 'string' ? named : (metadata.job_id ?? null);
}

/**
 * The consents that the job of an event stands on; none for an event of no job, null where the job's record does not
 * verify, so that nothing says which they are.
 */
export async function consentsOfJob(log: EventLog, event: OfJob): Promise<readonly string[] | null> {
  const jobId = jobOf(event);
  if (jobId === null) return [];
  try {
    const { events } = await log.load(jobStream(jobId));
    const telling = events.filter(({ type }) => type === 'JOB_ACCEPTED' || type === 'AGENT_OUTPUT');
    return consentsIn(await Promise.all(telling.map((one) => log.codec.reveal(one))));
  } catch (error) {
    if (error instanceof IntegrityError) return null;
    throw error;
  }
}
