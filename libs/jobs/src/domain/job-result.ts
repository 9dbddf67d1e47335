import type { DomainEvent, ErrorEnvelope, JsonObject } from '#lib/kernel';

import type { JobAccepted, ReflectiveLogWritten } from './jobs.events.js';

/** What POST /jobs and GET /jobs/{job_id} answer (spec/api.md "Job result"). */
export interface JobResult {
  readonly job_id: string;
  readonly job_seed: string;
  readonly created_at: string;
  readonly status: 'running' | 'completed' | 'blocked' | 'failed';
  /** What a person is shown; null while the job runs. */
  readonly user_message: string | null;
  readonly final_answer: string | null;
  readonly final_confidence: number;
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly depth: number;
  readonly notices: readonly ErrorEnvelope[];
  readonly error?: ErrorEnvelope;
  readonly replayable: boolean;
  readonly log_id: string | null;
  readonly snapshots: Readonly<Record<string, string>>;
  readonly trace_id: string;
}

/** A job as its stream tells it, events in plain; the same object whether the job just ran or is read years later. */
export function jobResult(events: readonly DomainEvent[], jobSeed: string, traceId: string): JobResult {
  const accepted = dataOf<JobAccepted>(events, 'JOB_ACCEPTED');
  if (!accepted) throw new Error('a job without JOB_ACCEPTED has no result');
  const log = dataOf<ReflectiveLogWritten>(events, 'REFLECTIVE_LOG_WRITTEN');
  const { job_id, created_at } = accepted;
  if (!log || !events.some((event) => event.type === 'JOB_SEALED'))
    return { job_id, job_seed: jobSeed, created_at, trace_id: traceId, ...RUNNING };
  const links = { job_id, log_id: log.log_id };
  const notices = log.notices.map((notice) => withLinks(notice, links));
  const error = log.error ? withLinks(log.error, links) : null;
  return {
    job_id,
    job_seed: jobSeed,
    created_at,
    trace_id: traceId,
    status: log.status,
    user_message: error?.user_message ?? notices[0]?.user_message ?? log.final_answer,
    // A job that was erased says `[erased]`; that it had no answer is not erased with it.
    final_answer: log.status === 'completed' ? log.final_answer : null,
    final_confidence: log.final_confidence,
    agent_id: log.agent_id,
    route_reason: log.route_reason,
    depth: log.depth,
    notices,
    ...(error ? { error } : {}),
    replayable: log.replayable,
    log_id: log.log_id,
    snapshots: log.snapshots,
  };
}

const RUNNING = {
  status: 'running',
  user_message: null,
  final_answer: null,
  final_confidence: 0,
  agent_id: null,
  route_reason: null,
  depth: 0,
  notices: [],
  replayable: false,
  log_id: null,
  snapshots: {},
} as const;

export function dataOf<T>(events: readonly DomainEvent[], type: string): T | undefined {
  return events.find((event) => event.type === type)?.data as T | undefined;
}

function withLinks(envelope: ErrorEnvelope, links: JsonObject): ErrorEnvelope {
  return { ...envelope, meta: { ...envelope.meta, ...links } };
}
