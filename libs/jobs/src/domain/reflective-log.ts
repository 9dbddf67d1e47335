import { canonicalize, sha256Hex, type DomainEvent, type JsonObject } from '#lib/kernel';

import type { Amendment, AuditTag, GroundTruth } from './amendments.events.js';
import { dataOf } from './job-result.js';
import type { AgentOutput, JobAccepted, ReflectiveLogWritten } from './jobs.events.js';
import { isErased } from './readable.js';

/** An event of the job's stream in plain, with what a log refers to it by. */
export interface IdentifiedEvent extends DomainEvent {
  readonly event_id: string;
}

/** Fields that are written once and never change (seed 001, ReflectiveLog A; spec/decisions.md "ReflectiveLog"). */
export const IMMUTABLE_FIELDS = [
  'log_id',
  'created_at',
  'source',
  'query_id',
  'query_text_hash',
  'qcp_summary',
  'agents_invoked',
  'agent_outputs',
  'council_votes',
  'final_answer',
  'final_confidence',
  'repair_loops',
  'cache_hit',
  'sem_snapshot_hash',
  'runtime_metrics',
  'system_version',
  'signature',
  'job_id',
  'job_seed',
  'snapshots',
  'iteration_trace',
  'event_refs',
  'replayable',
  'missing_artifacts',
] as const;

export type ReflectiveLog = { readonly [F in (typeof IMMUTABLE_FIELDS)[number]]: unknown } & {
  readonly log_id: string;
  readonly job_id: string;
  readonly agent_outputs: readonly JsonObject[];
  readonly council_votes: readonly JsonObject[];
};

/** A log with what was said of it later. */
export interface LogView extends ReflectiveLog {
  readonly amendments: readonly Amendment[];
  readonly user_feedback: readonly JsonObject[];
  readonly ground_truth_label: readonly GroundTruth[];
  readonly audit_tags: readonly AuditTag[];
}

/**
 * The seed's full record, assembled from the job's events; null while the job has no log.
 * @param events as readers are shown them (`readable`)
 */
export function assembleLog(
  events: readonly IdentifiedEvent[],
  signature: string,
  jobSeed: string,
): ReflectiveLog | null {
  const accepted = dataOf<JobAccepted>(events, 'JOB_ACCEPTED');
  const log = dataOf<ReflectiveLogWritten>(events, 'REFLECTIVE_LOG_WRITTEN');
  if (!accepted || !log) return null;
  const qcp = dataOf<JsonObject>(events, 'QCP_CLASSIFIED');
  return {
    log_id: log.log_id,
    created_at: accepted.created_at,
    source: log.source,
    query_id: log.query_id,
    query_text_hash: log.query_text_hash,
    qcp_summary: qcp
      ? { depth_level: qcp['depth_level'], intent_tags: qcp['intent_tags'], urgency: qcp['urgency'] }
      : null,
    agents_invoked: log.agents_invoked,
    agent_outputs: referred(events, log.event_refs, 'AGENT_OUTPUT').map(outputView),
    council_votes: referred(events, log.event_refs, 'COUNCIL_VOTE').map(voteView),
    final_answer: log.final_answer,
    final_confidence: log.final_confidence,
    repair_loops: log.repair_loops,
    cache_hit: log.cache_hit,
    sem_snapshot_hash: log.sem_snapshot_hash,
    runtime_metrics: log.runtime_metrics,
    system_version: log.system_version,
    signature,
    job_id: log.job_id,
    job_seed: jobSeed,
    snapshots: log.snapshots,
    iteration_trace: log.iteration_trace,
    event_refs: log.event_refs,
    replayable: log.replayable,
    missing_artifacts: log.missing_artifacts,
  };
}

/** Why a log's own references do not hold, or null: each names an event of the job by id and content hash. */
export function logFault(events: readonly IdentifiedEvent[]): string | null {
  const log = dataOf<ReflectiveLogWritten>(events, 'REFLECTIVE_LOG_WRITTEN');
  if (!log) return 'the job has no log';
  const byId = new Map(events.map((event) => [event.event_id, event]));
  const lost = log.event_refs.find((id) => !byId.has(id));
  if (lost !== undefined) return `it refers to event ${lost}, which the job does not hold`;
  // The hashes of what was said are personal; with the job they are erased, and its events stand by their own.
  if (isErased(log.agent_outputs)) return null;
  for (const ref of [...log.agent_outputs, ...log.council_votes]) {
    const event = byId.get(ref.event_id);
    if (!event) return `it refers to event ${ref.event_id}, which the job does not hold`;
    if (sha256Hex(canonicalize(event.data)) !== ref.hash) return `event ${ref.event_id} is not what it refers to`;
  }
  return null;
}

/** By id alone: the hashes that go with the ids are personal, and gone with an erased job. */
function referred(events: readonly IdentifiedEvent[], ids: readonly string[], type: string): IdentifiedEvent[] {
  const wanted = new Set(ids);
  return events.filter((event) => event.type === type && wanted.has(event.event_id));
}

function outputView(event: IdentifiedEvent): JsonObject {
  const output = event.data as unknown as AgentOutput;
  return {
    event_id: event.event_id,
    agent_id: output.agent_id,
    text: output.text,
    confidence: output.confidence,
    reasoning_trace: output.reasoning_trace,
    tokens: output.tokens,
    time_ms: output.time_ms,
    evidence: output.evidence as unknown as JsonObject[],
  };
}

function voteView(event: IdentifiedEvent): JsonObject {
  const { council_agent_id, scores, approve, suggested_changes, note, confidence } = event.data;
  return {
    event_id: event.event_id,
    council_agent_id,
    scores,
    approve,
    suggested_changes,
    note,
    confidence,
  } as JsonObject;
}

/** The agent's output that became the final answer; null where there is none. */
export function answerOf(events: readonly IdentifiedEvent[]): AgentOutput | null {
  const log = dataOf<ReflectiveLogWritten>(events, 'REFLECTIVE_LOG_WRITTEN');
  return log?.status === 'completed' ? ((lastAnswerOf(events)?.data ?? null) as AgentOutput | null) : null;
}

/** The AGENT_OUTPUT of the final answer, or else of the last one that the critics saw; null where nobody answered. */
export function lastAnswerOf(events: readonly IdentifiedEvent[]): IdentifiedEvent | null {
  const log = dataOf<ReflectiveLogWritten>(events, 'REFLECTIVE_LOG_WRITTEN');
  const answers = events.filter(({ type, data }) => type === 'AGENT_OUTPUT' && data['outcome'] === 'answer');
  if (log?.status !== 'completed') return answers.at(-1) ?? null;
  // The agent that was routed to may have been corrected by another; after an erasure only its name is left to go by.
  const said = answers.findLast(({ data }) => data['text'] === log.final_answer);
  return said ?? answers.findLast(({ data }) => data['agent_id'] === log.agent_id) ?? null;
}
