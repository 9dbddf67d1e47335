import { MaceError } from '#lib/kernel';

import type { JobDesk } from './job-desk.js';
import { JobAbandonedError, wasOvertaken } from './job-runner.js';

/** Each time another run wrote first, what it wrote is where to go on from; with every event it comes nearer to the seal. */
const MAX_LOOKS = 8;
/** Jobs taken further at the same time: they mostly wait, for a language engine or the store, and each has a turn of it. */
const AT_ONCE = 8;

/** Jobs that lists show as unfinished. */
export interface UnfinishedJobs {
  list(): Promise<readonly string[]>;
}

export interface RecoveryReport {
  readonly finished: number;
  /** Jobs that could not be taken to their seal, with the reason in words. */
  readonly left: readonly { readonly job_id: string; readonly reason: string }[];
}

/**
 * Takes every job that an earlier process left behind to its seal, from what its stream holds; where the desk closes
 * meanwhile, the rest is the next start's.
 */
export async function finishLeftJobs(desk: JobDesk, unfinished: UnfinishedJobs): Promise<RecoveryReport> {
  let finished = 0;
  let isAbandoned = false;
  const left: { job_id: string; reason: string }[] = [];
  const waiting = (await unfinished.list()).values();
  const take = async (): Promise<void> => {
    for (const job_id of waiting) {
      if (desk.isClosing || isAbandoned) return;
      try {
        if (await finishOne(desk, job_id)) finished++;
      } catch (error) {
        if (error instanceof JobAbandonedError) isAbandoned = true;
        else left.push({ job_id, reason: reasonOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return { finished, left };
}

/** False where it was finished already, or by another run meanwhile. */
async function finishOne(desk: JobDesk, jobId: string): Promise<boolean> {
  for (let looks = 1; ; looks++) {
    const stored = await desk.load(jobId);
    if (!stored || stored.sealed) return false;
    try {
      const { result } = await desk.resume(stored);
      await result;
      return true;
    } catch (error) {
      if (!wasOvertaken(error) || looks === MAX_LOOKS) throw error;
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof MaceError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
