import type { DomainEvent, ErrorCode, ErrorEnvelope, EventDefinition, Json, JsonObject } from '#lib/kernel';

/** Events of `job-{job_id}`, in the order of spec/decisions.md "The job". Personal fields belong to `user_id`. */

export interface JobAccepted {
  readonly job_id: string;
  readonly query_id: string;
  readonly user_id: string;
  readonly source: 'user_request' | 'api' | 'system';
  /** Real time at which the job was taken, ISO 8601: an input of replay. */
  readonly created_at: string;
  readonly priority: number;
  /** False where nothing but a keyed hash is kept of what outside engines say: the job cannot be replayed then. */
  readonly persist_agent_outputs: boolean;
  /** What the detector found; where a finding blocks, query_text is redacted before anything is recorded. */
  readonly pii_findings: readonly PiiFinding[];
  readonly blocked: boolean;
  /** Consents of the user under which what was found blocks nothing; absent where nothing was found, or it blocks. */
  readonly consent_ids?: readonly string[];
  readonly query_text: string;
  readonly query_text_hash: string;
  readonly context_tags: Readonly<Record<string, string>>;
  /** Present where the job writes by another right than its user's own. */
  readonly asked_by?: AskedBy;
}

/**
 * The admin who asked for another person's job, or the agent that asked for its own: what the job writes, it writes by
 * their right (spec/memory.md, "SEM").
 */
export interface AskedBy {
  readonly id: string;
  /** Those of their roles that writing depends on. */
  readonly roles: readonly ('user' | 'agent' | 'admin')[];
  /** Whether a second factor had been shown when the job was taken: an input of replay, which needs no token. */
  readonly elevated: boolean;
}

export interface PiiFinding {
  readonly pii_type: string;
  readonly category: string;
  readonly pii_hash: string;
}

export type AgentOutcome = 'answer' | 'miss' | 'declined' | 'unavailable';

export interface EvidenceRecord {
  readonly key: string;
  readonly revision: number;
  readonly value: Json;
  readonly timestamp: string;
  readonly consents?: readonly string[];
}

export interface AgentOutput {
  readonly iteration: number;
  readonly attempt: number;
  readonly agent_id: string;
  readonly node_id: string;
  readonly user_id: string;
  readonly outcome: AgentOutcome;
  readonly confidence: number;
  readonly tokens: number;
  /** Measured, recorded and never compared by a replay that runs the agent again. */
  readonly time_ms: number;
  /** At most 16,000 characters; empty unless the outcome is an answer. */
  readonly text: string;
  readonly reasoning_trace: readonly string[];
  readonly evidence: readonly EvidenceRecord[];
  /** A write the asking user asked for; null where none. */
  readonly memory_write: { readonly key: string; readonly value: Json } | null;
  /** Why there is no answer: the key that was missed, or a reason in words. */
  readonly detail: string;
  /** All that is kept of what an outside engine said, where the job asked for no more: keyed, so that no guess confirms it. */
  readonly output_hash?: string;
  /** Language engines that were asked and gave nothing; absent where none failed. */
  readonly failures?: readonly { readonly provider: string; readonly kind: string; readonly status?: number }[];
  /** Of a module that answers elsewhere; absent in versions before 3. */
  readonly call?: Call;
}

/** At which revision of its module an agent was called, and what came back over the wire. */
export interface Call {
  readonly endpoint_revision: number;
  readonly status?: number;
  readonly bytes?: number;
  readonly signed?: true;
}

/** In place of an AGENT_OUTPUT: every engine of the list was asked, and the last is out of service. */
export interface LlmServiceDown {
  readonly iteration: number;
  readonly attempt: number;
  readonly agent_id: string;
  /** The module whose turn it was. */
  readonly node_id: string;
  /** 1 where the second try of the turn failed too: that is no failure of its own. */
  readonly retry?: 1;
  /** In the order in which they were asked; `status` is HTTP's, null where none came. */
  readonly attempts: readonly { readonly provider: string; readonly class: string; readonly status: number | null }[];
  readonly time_ms: number;
  /** As in AGENT_OUTPUT; absent in version 1. */
  readonly call?: Call;
}

export interface ReflectiveLogWritten {
  readonly log_id: string;
  readonly job_id: string;
  readonly query_id: string;
  readonly user_id: string;
  readonly source: string;
  readonly status: 'completed' | 'blocked' | 'failed';
  /** Code of `error`, and `created_at` of JOB_ACCEPTED: what lists and counts need in plain. Absent in version 1. */
  readonly error_code?: ErrorCode | null;
  readonly created_at?: string;
  readonly agents_invoked: readonly string[];
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly depth: number;
  readonly final_confidence: number;
  readonly repair_loops: number;
  readonly cache_hit: boolean;
  readonly runtime_metrics: JsonObject;
  readonly system_version: string;
  readonly snapshots: Readonly<Record<string, string>>;
  /** One entry an iteration: the events that decided it. */
  readonly iteration_trace: readonly JsonObject[];
  readonly event_refs: readonly string[];
  readonly replayable: boolean;
  readonly missing_artifacts: readonly string[];
  readonly query_text_hash: string;
  readonly sem_snapshot_hash: string;
  readonly agent_outputs: readonly ContentRef[];
  readonly council_votes: readonly ContentRef[];
  readonly final_answer: string | null;
  readonly notices: readonly ErrorEnvelope[];
  readonly error: ErrorEnvelope | null;
}

/** A recorded object by the id of its event and the hash of its plain canonical content. */
export interface ContentRef {
  readonly event_id: string;
  readonly hash: string;
}

const ofUser = (data: JsonObject): string => data['user_id'] as string;

export const jobEvents: readonly EventDefinition[] = [
  {
    type: 'JOB_ACCEPTED',
    version: 1,
    plain: [
      'job_id',
      'query_id',
      'user_id',
      'source',
      'created_at',
      'priority',
      'persist_agent_outputs',
      'pii_findings',
      'blocked',
      'consent_ids',
      'asked_by',
    ],
    personal: ['query_text', 'query_text_hash', 'context_tags'],
    personalTogether: true,
    subject: ofUser,
  },
  {
    type: 'SNAPSHOTS_PINNED',
    version: 1,
    plain: ['engine_version', 'system_version', 'detector_version', 'snapshots'],
  },
  { type: 'QCP_CLASSIFIED', version: 1, plain: ['intent_tags', 'depth_level', 'urgency', 'features'] },
  {
    type: 'ROUTER_DECISION',
    version: 1,
    plain: [
      'iteration',
      'user_id',
      'agent_id',
      'node_id',
      'route_reason',
      'depth',
      'token_budget',
      'excluded',
      'route_trace',
    ],
    personal: ['query_hash'],
    subject: ofUser,
  },
  {
    type: 'AGENT_INVOKED',
    version: 1,
    plain: ['iteration', 'attempt', 'agent_id', 'node_id', 'user_id', 'depth', 'token_budget'],
    personal: ['suggested_changes'],
    subject: ofUser,
  },
  {
    type: 'AGENT_OUTPUT',
    version: 3,
    plain: [
      'call',
      'failures',
      'iteration',
      'attempt',
      'agent_id',
      'node_id',
      'user_id',
      'outcome',
      'confidence',
      'tokens',
      'time_ms',
      // Keyed: no guess confirms it without the key of this house. Absent in version 1, which kept every output.
      'output_hash',
    ],
    upcasters: { 1: (data) => data, 2: (data) => data },
    personal: ['text', 'reasoning_trace', 'evidence', 'memory_write', 'detail'],
    personalTogether: true,
    subject: ofUser,
  },
  /** A language engine refused the key, or there is none. */
  { type: 'AUTH_ERROR', version: 1, plain: ['iteration', 'agent_id', 'provider'] },
  {
    type: 'LLM_SERVICE_DOWN',
    version: 2,
    plain: ['iteration', 'attempt', 'agent_id', 'node_id', 'retry', 'attempts', 'time_ms', 'call'],
    upcasters: { 1: (data) => data },
  },
  {
    type: 'AGENT_TIMEOUT',
    version: 2,
    plain: ['iteration', 'attempt', 'agent_id', 'node_id', 'timeout_ms', 'call'],
    upcasters: { 1: (data) => data },
  },
  {
    type: 'AGENT_EXCEPTION',
    version: 3,
    // `retry` is 1 where the second try of a turn crashed: what failed first is the turn's failure. A message may quote
    // what somebody typed, and is evidence as the stack is.
    plain: ['iteration', 'attempt', 'agent_id', 'node_id', 'user_id', 'retry', 'error_class', 'evidence_ref', 'call'],
    upcasters: { 1: (data) => data, 2: (data) => data },
    personal: ['reason'],
    subject: ofUser,
  },
  {
    type: 'router_miss',
    version: 1,
    plain: ['iteration', 'user_id', 'intent_tags'],
    personal: ['query_hash'],
    subject: ofUser,
  },
  { type: 'sem_miss', version: 1, plain: ['query_id', 'user_id'], personal: ['key'], subject: ofUser },
  {
    type: 'MEMORY_WRITE_REQUESTED',
    version: 1,
    plain: ['user_id', 'key', 'timestamp', 'key_revision'],
    personal: ['value'],
    subject: ofUser,
  },
  {
    type: 'MEMORY_WRITE_RESULT',
    version: 1,
    plain: ['ok', 'applied', 'revision', 'event_id', 'error_code', 'attempts', 'fault', 'flagged'],
  },
  /** What is recorded before an answer goes to the Negotiation Room; nothing where no outside critic has a seat. */
  {
    type: 'OUTSIDE_CRITICS_ASKED',
    version: 1,
    plain: ['iteration', 'candidate_event_id', 'artifact_id', 'critics', 'window_s'],
  },
  {
    type: 'COUNCIL_VOTE',
    version: 1,
    plain: ['iteration', 'user_id', 'council_agent_id', 'candidate_event_id', 'scores', 'approve', 'confidence'],
    personal: ['suggested_changes', 'note'],
    personalTogether: true,
    subject: ofUser,
  },
  {
    type: 'COUNCIL_DECISION',
    version: 1,
    plain: [
      'iteration',
      'candidate_event_id',
      'outcome',
      'council_score',
      'approvals',
      'rejections',
      'votes',
      'final_confidence',
      'repair_loops',
      'votes_received',
      'votes_expected',
      'quorum_threshold',
      'quorum_met',
      'collection_timeout_reached',
      'unavailable_critics',
      'unavailable_reasons',
      'abstained',
      'weights',
    ],
  },
  /** What a tie, or too low a score, was resolved by: most_trusted_agent, verification_agent or human_review. */
  { type: 'COUNCIL_DEADLOCK', version: 1, plain: ['iteration', 'resolution', 'node_id'] },
  {
    type: 'REFLECTIVE_LOG_WRITTEN',
    version: 2,
    upcasters: { 1: (data) => data },
    plain: [
      'error_code',
      'created_at',
      'log_id',
      'job_id',
      'query_id',
      'user_id',
      'source',
      'status',
      'agents_invoked',
      'agent_id',
      'route_reason',
      'depth',
      'final_confidence',
      'repair_loops',
      'cache_hit',
      'runtime_metrics',
      'system_version',
      'snapshots',
      'iteration_trace',
      'event_refs',
      'replayable',
      'missing_artifacts',
    ],
    personal: [
      'query_text_hash',
      'sem_snapshot_hash',
      'agent_outputs',
      'council_votes',
      'final_answer',
      'notices',
      'error',
    ],
    personalTogether: true,
    subject: ofUser,
  },
  { type: 'JOB_SEALED', version: 1, plain: ['count', 'last_hash'], chainHashField: 'last_hash' },
];

export function jobStream(jobId: string): string {
  return `job-${jobId}`;
}

/** A domain event from typed data; the engine's only cast between its types and JSON. */
export function jobEvent(type: string, data: object): DomainEvent {
  return { type, data: data as JsonObject };
}
