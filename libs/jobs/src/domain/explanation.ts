import type { DomainEvent, JsonObject } from '#lib/kernel';

import { dataOf, type JobResult } from './job-result.js';
import type { AgentOutput, EvidenceRecord } from './jobs.events.js';
import type { IdentifiedEvent } from './reflective-log.js';

/** One critic's vote, as recorded. */
interface CouncilVote {
  readonly council_agent_id: string;
  readonly approve: boolean;
  readonly note: string;
}

/** From an answer back to what it was decided on (spec: "Why this decision"); every part names its event. */
export interface Explanation {
  readonly job_id: string;
  readonly status: JobResult['status'];
  readonly final_answer: string | null;
  readonly final_confidence: number;
  readonly error_code: string | null;
  readonly classification: JsonObject | null;
  readonly routing: readonly RoutingStep[];
  readonly turns: readonly AgentTurn[];
  readonly council: readonly CouncilRound[];
  readonly snapshots: Readonly<Record<string, string>>;
}

export interface RoutingStep {
  readonly event_id: string;
  readonly iteration: number;
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly candidates: readonly { readonly agent_id: string; readonly final_score: number }[];
}

export interface AgentTurn {
  readonly event_id: string;
  readonly agent_id: string;
  /** answer, miss, declined, unavailable, timeout or exception. */
  readonly outcome: string;
  readonly text: string;
  readonly reasoning_trace: readonly string[];
  /** Versions of memory that were read: key, revision, value and time. */
  readonly evidence: readonly EvidenceRecord[];
}

export interface CouncilRound {
  readonly event_id: string;
  readonly outcome: string;
  readonly council_score: number;
  readonly votes: readonly (CouncilVote & { readonly event_id: string })[];
}

/** @param events the job's stream in plain */
export function explain(events: readonly IdentifiedEvent[], result: JobResult): Explanation {
  return {
    job_id: result.job_id,
    status: result.status,
    final_answer: result.final_answer,
    final_confidence: result.final_confidence,
    error_code: result.error?.error_code ?? null,
    classification: dataOf<JsonObject>(events, 'QCP_CLASSIFIED') ?? null,
    routing: events.filter((event) => event.type === 'ROUTER_DECISION').map(routingStep),
    turns: events.flatMap(agentTurn),
    council: councilRounds(events),
    snapshots: dataOf<{ snapshots: Record<string, string> }>(events, 'SNAPSHOTS_PINNED')?.snapshots ?? {},
  };
}

function routingStep({ event_id, data }: IdentifiedEvent): RoutingStep {
  const { iteration, agent_id, route_reason, route_trace } = data as unknown as RoutingStep & {
    route_trace: { candidates: RoutingStep['candidates'] };
  };
  return { event_id, iteration, agent_id, route_reason, candidates: route_trace.candidates };
}

const FAILED_TURNS: Readonly<Record<string, string>> = { AGENT_TIMEOUT: 'timeout', AGENT_EXCEPTION: 'exception' };

function agentTurn({ type, event_id, data }: IdentifiedEvent): AgentTurn[] {
  const { agent_id, outcome, text, reasoning_trace, evidence } = data as unknown as AgentOutput;
  if (type === 'AGENT_OUTPUT') return [{ event_id, agent_id, outcome, text, reasoning_trace, evidence }];
  const failure = FAILED_TURNS[type];
  if (failure === undefined) return [];
  return [{ event_id, agent_id, outcome: failure, text: '', reasoning_trace: [], evidence: [] }];
}

function councilRounds(events: readonly IdentifiedEvent[]): CouncilRound[] {
  const votes = new Map(events.filter(isVote).map((event) => [event.event_id, event.data]));
  return events
    .filter((event) => event.type === 'COUNCIL_DECISION')
    .map(({ event_id, data }) => ({
      event_id,
      outcome: data['outcome'] as string,
      council_score: data['council_score'] as number,
      votes: (data['votes'] as string[]).flatMap((id) => {
        const vote = votes.get(id);
        return vote ? [{ event_id: id, ...(vote as unknown as CouncilVote) }] : [];
      }),
    }));
}

function isVote(event: DomainEvent): boolean {
  return event.type === 'COUNCIL_VOTE';
}

/** The explanation as a page of text that a person can follow, one line a fact. */
export function explanationText(explanation: Explanation): string[] {
  const { job_id, status, final_answer, final_confidence, error_code, classification, snapshots } = explanation;
  return [
    `${job_id}: ${status}${error_code === null ? '' : ` (${error_code})`}`,
    `Answer: ${final_answer ?? 'none'}${final_answer === null ? '' : ` (confidence ${final_confidence})`}`,
    '',
    `Taken as: ${classification ? (classification['intent_tags'] as string[]).join(', ') : 'not classified'}`,
    ...explanation.routing.flatMap(routingLines),
    '',
    ...explanation.turns.flatMap(turnLines),
    ...explanation.council.flatMap(councilLines),
    '',
    'Decided on these snapshots:',
    ...Object.entries(snapshots).map(([kind, id]) => `  ${kind.padEnd(10)}  ${id}`),
  ];
}

function routingLines({ agent_id, route_reason, candidates, event_id }: RoutingStep): string[] {
  const scores = candidates.map(({ agent_id: id, final_score }) => `${id} ${final_score}`);
  const why = scores.length === 0 ? '' : ` among ${scores.join(', ')}`;
  return [`Routed to ${agent_id ?? 'nobody'} (${route_reason ?? 'no module serves it'})${why}  [${short(event_id)}]`];
}

function turnLines({ agent_id, outcome, text, reasoning_trace, evidence, event_id }: AgentTurn): string[] {
  return [
    `${agent_id} gave ${outcome}${text === '' ? '' : `: ${text}`}  [${short(event_id)}]`,
    ...reasoning_trace.map((step) => `  because it ${step}`),
    ...evidence.map(({ key, revision, timestamp }) => `  relying on ${key}, revision ${revision} of ${timestamp}`),
  ];
}

function councilLines({ outcome, council_score, votes, event_id }: CouncilRound): string[] {
  return [
    `The council's verdict: ${outcome}, score ${council_score}  [${short(event_id)}]`,
    ...votes.map(({ approve, council_agent_id, note }) => `  ${approve ? 'yes' : 'no '}  ${council_agent_id}: ${note}`),
  ];
}

function short(eventId: string): string {
  return eventId.slice(0, 12);
}
