import type { EventLog } from '#lib/event-store';
import { jobStream } from '#lib/jobs';
import { jobId } from '#lib/kernel';
import type { IsOthersJob } from '#lib/privacy';

/** Whose job runs under a seed, by what was signed of it: one look at the log, whether or not there is such a job. */
export function othersJobsIn(log: EventLog): IsOthersJob {
  return async (person, jobSeed) => {
    const [first] = (await log.store.readStream(jobStream(jobId(jobSeed)), { limit: 1 })).events;
    return first !== undefined && log.codec.signedAlone(first)?.data['user_id'] !== person;
  };
}
