import type { JobResult } from '#lib/jobs';
import type { ErrorCode, JsonObject } from '#lib/kernel';

import { JSON_TYPE, TEXT } from './agent-card.js';

/** A job as a task of A2A, in the form of its JSON. */

/** The name under which a job keeps the context that its asker named. */
export const CONTEXT_TAG = 'a2a_context_id';

/** Why an agent will not do what is asked, and not cannot. */
const REFUSALS: readonly ErrorCode[] = ['PRIVACY_BLOCKED', 'PERMISSION_DENIED', 'UNAUTHENTICATED'];

/** @param contextId that the asker named; a job that was asked outside of any is a context of its own */
export function taskOf(job: JobResult, contextId: string = job.job_id): JsonObject {
  const { job_id: id, error, user_message } = job;
  const ids = { taskId: id, contextId };
  const told = error && {
    message: { ...ids, messageId: `${id}.status`, role: 'ROLE_AGENT', parts: [text(user_message ?? ''), data(error)] },
  };
  return {
    id,
    contextId,
    status: { state: stateOf(job), ...told },
    ...(job.status === 'completed' ? { artifacts: [artifactOf(job)] } : {}),
  } as JsonObject;
}

function stateOf({ status, error }: JobResult): string {
  if (status === 'running') return 'TASK_STATE_WORKING';
  if (status === 'completed') return 'TASK_STATE_COMPLETED';
  return error && REFUSALS.includes(error.error_code) ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED';
}

function artifactOf(job: JobResult): object {
  const { job_id, log_id, status: verdict, final_confidence: confidence, agent_id, replayable, notices } = job;
  const facts = { job_id, log_id, verdict, confidence, agent_id, replayable, notices };
  return { artifactId: log_id ?? job_id, name: 'answer', parts: [text(job.final_answer ?? ''), data(facts)] };
}

function text(value: string): object {
  return { text: value, mediaType: TEXT };
}

function data(value: object): object {
  return { data: value, mediaType: JSON_TYPE };
}
