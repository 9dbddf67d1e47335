import type { EventLog } from '#lib/event-store';
import { canonicalize, errorEnvelope, eventId, logId, sha256Hex, timestampSeeded, type JsonObject } from '#lib/kernel';

import { dataOf } from './domain/job-result.js';
import { ERASED_TEXT, isErased } from './domain/readable.js';
import { artifactName } from './domain/missing.js';
import { jobEvent, type ContentRef, type JobAccepted, type ReflectiveLogWritten } from './domain/jobs.events.js';
import type { NumberedEvent } from './engine/recorder.js';
import type { StoredJob } from './job-store.js';

/** Why a job that was left cannot be finished. */
export interface Unfinishable {
  /** In words without content. */
  readonly reason: string;
  /** Name of the artifact that its replay would miss. */
  readonly missing: string;
}

/**
 * Closes a job as failed whose record cannot be continued: its log and its seal, from what its stream holds, and nothing
 * else is asked or decided (spec/decisions.md "The job"). Such a job says of itself that it cannot be replayed.
 * @returns every event of the job
 * @throws VersionConflictError, DifferentBodyError where another process took the job further
 */
export async function closeAsFailed(
  log: EventLog,
  job: StoredJob,
  { reason, missing }: Unfinishable,
): Promise<readonly NumberedEvent[]> {
  const { head, events } = job.history;
  const last = events.at(-1)!;
  const { job_seed: jobSeed, actor, trace_id: traceId, job_id: jobId } = job.origin;
  // A write that was asked for may stand in its key's stream, under the index after the request's.
  const sequenceIndex = last.sequenceIndex + (last.type === 'MEMORY_WRITE_REQUESTED' ? 2 : 1);
  const written = jobEvent(
    'REFLECTIVE_LOG_WRITTEN',
    logOf(job, { reason, missing }, timestampSeeded(jobSeed, sequenceIndex)),
  );
  const closing = [written, jobEvent('JOB_SEALED', { count: events.length + 1 })];
  await log.append(head, closing, {
    jobSeed,
    sequenceIndex,
    actor,
    traceId,
    jobId: jobId!,
    causationId: eventId(jobSeed, last.sequenceIndex, last.type),
  });
  return [...events, ...closing.map((event, i) => ({ ...event, sequenceIndex: sequenceIndex + i }))];
}

function logOf(
  { history: { events }, origin }: StoredJob,
  { reason, missing }: Unfinishable,
  timestamp: string,
): ReflectiveLogWritten {
  const accepted = dataOf<JobAccepted>(events, 'JOB_ACCEPTED')!;
  const pinned = dataOf<JsonObject>(events, 'SNAPSHOTS_PINNED');
  const decisions = events.filter(({ type }) => type === 'ROUTER_DECISION');
  const decided = decisions.at(-1)?.data as Partial<ReflectiveLogWritten> | undefined;
  const refs = (type: string): ContentRef[] =>
    events.filter((event) => event.type === type).map((event) => refOf(event, origin.job_seed));
  const [outputs, votes] = [refs('AGENT_OUTPUT'), refs('COUNCIL_VOTE')];
  const unkept = events
    .filter(({ data }) => data['output_hash'] !== undefined)
    .map((event) => artifactName('agent_output', refOf(event, origin.job_seed).event_id));
  const { job_id, query_id, user_id, source, created_at, query_text_hash } = accepted;
  return {
    log_id: logId(query_id, timestamp, origin.job_seed),
    job_id,
    query_id,
    user_id,
    source,
    status: 'failed',
    error_code: 'AGENT_ERROR',
    created_at,
    final_answer: null,
    final_confidence: 0,
    agents_invoked: events.filter(({ type }) => type === 'AGENT_INVOKED').map(({ data }) => data['agent_id'] as string),
    agent_id: decided?.agent_id ?? null,
    route_reason: decided?.route_reason ?? null,
    depth: decided?.depth ?? 0,
    repair_loops: 0,
    cache_hit: false,
    runtime_metrics: { total_time_ms: 0, per_agent_time_ms: {}, tokens_used: 0 },
    system_version: (pinned?.['system_version'] ?? '') as string,
    snapshots: (pinned?.['snapshots'] ?? {}) as Record<string, string>,
    iteration_trace: decisions.map((event) => ({
      iteration: event.data['iteration']!,
      router_event: refOf(event, origin.job_seed).event_id,
      agent_id: event.data['agent_id']!,
    })),
    event_refs: [...outputs, ...votes].map((ref) => ref.event_id),
    replayable: false,
    missing_artifacts: [...new Set([...unkept, missing])],
    // What is written now is not erased: it only says that the hash was.
    query_text_hash: isErased(query_text_hash) ? ERASED_TEXT : query_text_hash,
    sem_snapshot_hash: sha256Hex(canonicalize([])),
    agent_outputs: outputs,
    council_votes: votes,
    notices: [],
    error: errorEnvelope('AGENT_ERROR', `the job was left unfinished and could not be continued: ${reason}`, {
      query_id,
      timestamp: created_at,
      trace_id: origin.trace_id,
    }),
  };
}

function refOf(event: NumberedEvent, jobSeed: string): ContentRef {
  return {
    event_id: eventId(jobSeed, event.sequenceIndex, event.type),
    hash: sha256Hex(canonicalize(event.data)),
  };
}
