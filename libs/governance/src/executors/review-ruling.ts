import { type EventLog, IntegrityError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { HUMAN_REVIEW_ACTION } from '../domain/action-kinds.js';
import type { ActionExecutor } from './executor.js';

const JOB_ID = /^job:[0-9a-f]{32}$/;

/** A person's review of a job: the ruling itself is what was asked for, of something that is there. */
export function reviewExecutor(log: Pick<EventLog, 'load'>): ActionExecutor {
  return {
    action: HUMAN_REVIEW_ACTION,
    async check({ job_id: id, artifact_id }) {
      if (id === undefined && artifact_id === undefined) {
        throw new MaceError('INVALID_INPUT', 'payload: job_id or artifact_id, which says what is to be reviewed');
      }
      if (id === undefined) return;
      if (typeof id !== 'string' || !JOB_ID.test(id)) {
        throw new MaceError('INVALID_INPUT', `payload.job_id: ${JOB_ID.source}`);
      }
      if (!(await isThere(log, `job-${id}`))) throw new MaceError('NOT_FOUND', `payload.job_id: no job ${id}`);
    },
    // No job goes away again: what was there when people were asked is there still.
    execute: () => Promise.resolve({ events: 0, result: {} }),
  };
}

async function isThere(log: Pick<EventLog, 'load'>, stream: string): Promise<boolean> {
  try {
    return (await log.load(stream)).events.length > 0;
  } catch (error) {
    // A record that was tampered with is all the more for people to look at.
    if (error instanceof IntegrityError) return true;
    throw error;
  }
}
