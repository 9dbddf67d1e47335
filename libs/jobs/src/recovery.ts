import { MaceError } from '#lib/kernel';

import type { JobDesk } from './job-desk.js';
import { JobAbandonedError } from './job-runner.js';

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
  const left: { job_id: string; reason: string }[] = [];
  for (const job_id of await unfinished.list()) {
    if (desk.isClosing) break;
    try {
      const stored = await desk.load(job_id);
      if (!stored || stored.sealed) continue;
      await (
        await desk.resume(stored)
      ).result;
      finished++;
    } catch (error) {
      if (error instanceof JobAbandonedError) break;
      left.push({ job_id, reason: reasonOf(error) });
    }
  }
  return { finished, left };
}

function reasonOf(error: unknown): string {
  if (error instanceof MaceError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
