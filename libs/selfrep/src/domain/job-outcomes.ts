import type { JsonObject } from '#lib/kernel';

import { isBeyond } from './positions.js';
import type { Incoming } from './trust.js';

/** A job's event as far as trust is concerned. */
export interface JobEvent {
  readonly type: string;
  readonly data: JsonObject;
  readonly stream: string;
  readonly position: string;
  readonly event_id: string;
  readonly timestamp: string;
}

/** What a job's event says of one module. */
export interface JobOutcome {
  readonly node_id: string;
  readonly position: string;
  readonly incoming: Incoming;
}

/** Types of events in jobs, and beside their logs, that say something of a module. */
export const JOB_TYPES = [
  'AGENT_OUTPUT',
  'AGENT_TIMEOUT',
  'AGENT_EXCEPTION',
  'LLM_SERVICE_DOWN',
  'COUNCIL_DECISION',
  'GROUND_TRUTH_LABEL',
] as const;

/** The bounds of this house kept the agent from being asked: no failure of its own (docs/agents.md). */
const NOT_ASKED: ReadonlySet<unknown> = new Set(['RemoteBusy', 'RemotePaused']);

/** Which module an answer came from, by the id of its AGENT_OUTPUT. */
export type AuthorOf = (candidateEventId: string) => string | undefined;

/**
 * An answer is an AGENT_SUCCESS, timeouts, exceptions and engines out of service are themselves (but not how the second
 * try of a turn failed, which was counted: spec/decisions.md "Failures inside a job"), a council's decision on an answer is a
 * COUNCIL_APPROVAL of its module. A deadlock is neither, and a miss or a refusal to answer is no answer.
 */
export function outcomeOf(event: JobEvent, authorOf: AuthorOf): JobOutcome | null {
  const { type, data, position, event_id, timestamp } = event;
  const common = { event_id, timestamp };
  const of = (node_id: unknown, incoming: Incoming): JobOutcome | null =>
    typeof node_id === 'string' ? { node_id, position, incoming } : null;
  if (type === 'AGENT_TIMEOUT' || type === 'AGENT_EXCEPTION' || type === 'LLM_SERVICE_DOWN') {
    if (data['retry'] !== undefined || NOT_ASKED.has(data['error_class'])) return null;
    return of(data['node_id'], { event_type: type, ...common });
  }
  if (type === 'GROUND_TRUTH_LABEL') {
    return of(data['node_id'], { event_type: type, correct: data['correct'] === true, ...common });
  }
  if (type === 'AGENT_OUTPUT') {
    return data['outcome'] === 'answer' ? of(data['node_id'], { event_type: 'AGENT_SUCCESS', ...common }) : null;
  }
  const { outcome, candidate_event_id } = data;
  if (outcome !== 'approved' && outcome !== 'rejected') return null;
  const approve = outcome === 'approved';
  return of(authorOf(candidate_event_id as string), { event_type: 'COUNCIL_APPROVAL', approve, ...common });
}

/** The outcomes of each module that its trust does not contain yet, in their order. */
export function unseen(outcomes: readonly JobOutcome[], through: string): readonly JobOutcome[] {
  return outcomes.filter(({ position }) => isBeyond(position, through));
}
