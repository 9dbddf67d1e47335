import type { Json, JsonObject } from '#lib/kernel';

import { dataOf, type JobResult } from './job-result.js';
import type { AgentOutput, EvidenceRecord, JobAccepted, LlmServiceDown } from './jobs.events.js';
import type { IdentifiedEvent } from './reflective-log.js';
import type { Review } from './review.js';

/** From an answer back to what it was decided on (spec: "Why this decision"); every part names its event. */
export interface Explanation {
  readonly job_id: string;
  readonly status: JobResult['status'];
  readonly asked_by: string;
  readonly asked_at: string;
  readonly question: string;
  readonly final_answer: string | null;
  readonly final_confidence: number;
  readonly error_code: string | null;
  /** What the person was told. */
  readonly user_message: string | null;
  /** Why there is no answer. */
  readonly reason: string | null;
  readonly classification: JsonObject | null;
  readonly routing: readonly RoutingStep[];
  readonly turns: readonly AgentTurn[];
  readonly writes: readonly MemoryWrite[];
  readonly council: readonly CouncilRound[];
  /** Failures on the way to an answer. */
  readonly notices: readonly { readonly error_code: string; readonly reason: string }[];
  /** What people ruled on it since. */
  readonly review: Review | null;
  readonly snapshots: Readonly<Record<string, string>>;
}

/** A module that was scored; the trace holds what the score is made of. */
export interface Candidate {
  readonly agent_id: string;
  readonly final_score: number;
  readonly status: string;
  readonly apt: number;
  readonly availability: number;
}

export interface RoutingStep {
  readonly event_id: string;
  readonly iteration: number;
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly candidates: readonly Candidate[];
  readonly left_out: readonly { readonly node_id: string; readonly reason: string }[];
}

export interface AgentTurn {
  readonly event_id: string;
  readonly agent_id: string;
  readonly attempt: number;
  /** answer, miss, declined, unavailable, timeout, exception or violation. */
  readonly outcome: string;
  readonly text: string;
  readonly confidence: number;
  /** Why there was no answer: the key that was missed, or a reason in words. */
  readonly detail: string;
  /** What kind of fault kept an agent from answering, which says nothing of what was said; null where it was none. */
  readonly error_class: string | null;
  readonly reasoning_trace: readonly string[];
  /** Versions of memory that were read: key, revision, value and time. */
  readonly evidence: readonly EvidenceRecord[];
}

/** A change of memory that the person asked for, as it went. */
export interface MemoryWrite {
  readonly event_id: string;
  readonly key: string;
  readonly value: Json;
  /** Null where the job did not come to know. */
  readonly ok: boolean | null;
  readonly revision: number | null;
  readonly attempts: number;
  readonly error_code: string | null;
}

/** One critic's vote, as recorded. */
export interface CriticVote {
  readonly event_id: string;
  readonly council_agent_id: string;
  readonly approve: boolean;
  readonly scores: Readonly<Record<string, number>>;
  readonly note: string;
  readonly suggested_changes: string;
}

/** As COUNCIL_DECISION records it (libs/council, `AnswerDecision`). */
export interface CouncilTally {
  readonly approvals: number;
  readonly rejections: number;
  readonly votes_received: number;
  readonly votes_expected: number;
  readonly quorum_threshold: number;
  readonly quorum_met: boolean;
  readonly unavailable_critics: readonly string[];
  /** Critics whose abstention was counted as a refusal. */
  readonly abstained: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
}

export interface CouncilRound {
  readonly event_id: string;
  /** The answer that was voted on. */
  readonly candidate_event_id: string;
  readonly outcome: string;
  readonly council_score: number;
  /** What `council_score` must reach, by the governance snapshot; null where that is missing. */
  readonly score_threshold: number | null;
  readonly final_confidence: number;
  /** As it was counted and recorded, by the weights of the critics; what a count of `votes` must come to. */
  readonly tally: CouncilTally;
  readonly votes: readonly CriticVote[];
}

/**
 * @param events the job's stream in plain, or as its reader may see it
 * @param scoreThreshold of the governance snapshot that it pinned
 */
export function explain(
  events: readonly IdentifiedEvent[],
  result: JobResult,
  review: Review | null,
  scoreThreshold: number | null,
): Explanation {
  const { user_id, created_at, query_text } = dataOf<JobAccepted>(events, 'JOB_ACCEPTED')!;
  const votes = new Map(
    events.filter(({ type }) => type === 'COUNCIL_VOTE').map((event) => [event.event_id, event] as const),
  );
  return {
    job_id: result.job_id,
    status: result.status,
    asked_by: user_id,
    asked_at: created_at,
    question: query_text,
    final_answer: result.final_answer,
    final_confidence: result.final_confidence,
    error_code: result.error?.error_code ?? null,
    user_message: result.user_message,
    reason: result.error?.developer_message ?? null,
    classification: dataOf<JsonObject>(events, 'QCP_CLASSIFIED') ?? null,
    routing: events.filter((event) => event.type === 'ROUTER_DECISION').map(routingStep),
    turns: events.flatMap(agentTurn),
    writes: events.flatMap((event, i) => (event.type === 'MEMORY_WRITE_REQUESTED' ? [memoryWrite(events, i)] : [])),
    council: events
      .filter((event) => event.type === 'COUNCIL_DECISION')
      .map((event) => ({ ...councilRound(votes, event), score_threshold: scoreThreshold })),
    notices: result.notices.map(({ error_code, developer_message }) => ({ error_code, reason: developer_message })),
    review,
    snapshots: dataOf<{ snapshots: Record<string, string> }>(events, 'SNAPSHOTS_PINNED')?.snapshots ?? {},
  };
}

function routingStep({ event_id, data }: IdentifiedEvent): RoutingStep {
  const { iteration, agent_id, route_reason, route_trace } = data as unknown as RoutingStep & {
    route_trace: { candidates?: RoutingStep['candidates']; excluded?: RoutingStep['left_out'] };
  };
  const { candidates = [], excluded: left_out = [] } = route_trace;
  return { event_id, iteration, agent_id, route_reason, candidates, left_out };
}

const FAILED_TURNS: Readonly<Record<string, string>> = {
  AGENT_TIMEOUT: 'timeout',
  LLM_SERVICE_DOWN: 'unavailable',
  AGENT_EXCEPTION: 'exception',
  POLICY_VIOLATION: 'violation',
};

function agentTurn({ type, event_id, data }: IdentifiedEvent): AgentTurn[] {
  if (type === 'AGENT_OUTPUT') {
    const { agent_id, attempt, outcome, text, confidence, detail, reasoning_trace, evidence } =
      data as unknown as AgentOutput;
    const said = { text, confidence, detail, reasoning_trace, evidence };
    return [{ event_id, agent_id, attempt, outcome, error_class: null, ...said }];
  }
  const outcome = FAILED_TURNS[type];
  if (outcome === undefined) return [];
  const {
    agent_id,
    attempt,
    reason,
    timeout_ms,
    action,
    error_class = null,
  } = data as unknown as AgentOutput & Record<string, string>;
  const detail = reason ?? action ?? engineDetail(data) ?? `no answer within ${timeout_ms} ms`;
  const nothing = { text: '', confidence: 0, reasoning_trace: [], evidence: [] };
  return [{ event_id, agent_id, attempt, outcome, detail, error_class, ...nothing }];
}

function engineDetail({ attempts }: JsonObject): string | null {
  if (attempts === undefined) return null;
  const asked = (attempts as unknown as LlmServiceDown['attempts']).map(
    ({ provider, class: kind, status }) => `${provider} (${status === null ? kind : `${kind} ${status}`})`,
  );
  return `no language engine answered: ${asked.join(', ')}`;
}

function memoryWrite(events: readonly IdentifiedEvent[], index: number): MemoryWrite {
  const { event_id, data } = events[index]!;
  const found = events.find(({ type }, i) => i > index && type === 'MEMORY_WRITE_RESULT')?.data;
  const written = { ok: null, revision: null, attempts: 0, error_code: null, ...found };
  const { ok, revision, attempts, error_code } = written;
  return { event_id, key: data['key'] as string, value: data['value']!, ok, revision, attempts, error_code };
}

/** @param cast every vote of the job, by the id of its event */
function councilRound(
  cast: ReadonlyMap<string, IdentifiedEvent>,
  { event_id, data }: IdentifiedEvent,
): Omit<CouncilRound, 'score_threshold'> {
  const { approvals, rejections, votes_received, votes_expected, quorum_threshold, quorum_met, ...rest } =
    data as unknown as CouncilTally;
  const { unavailable_critics, abstained, weights } = rest;
  return {
    event_id,
    candidate_event_id: data['candidate_event_id'] as string,
    outcome: data['outcome'] as string,
    council_score: data['council_score'] as number,
    final_confidence: data['final_confidence'] as number,
    tally: {
      approvals,
      rejections,
      votes_received,
      votes_expected,
      quorum_threshold,
      quorum_met,
      unavailable_critics,
      abstained,
      weights,
    },
    votes: [...new Set(data['votes'] as readonly string[])].flatMap((id) => cast.get(id) ?? []).map(criticVote),
  };
}

function criticVote({ event_id, data }: IdentifiedEvent): CriticVote {
  const { council_agent_id, approve, scores, note, suggested_changes } = data as unknown as CriticVote;
  return { event_id, council_agent_id, approve, scores, note, suggested_changes };
}
