import type { DomainEvent, JsonObject } from '#lib/kernel';

import { type CountedFailure, incidentEvent, type Severity } from './incidents.events.js';

/** Failures of one kind that are an incident only where they come often (spec/failures.md). */
export interface FailureCounter {
  /** The event that counts one, in its own stream, so that the count survives restarts. */
  readonly type: 'QUORUM_FAILED' | 'MEMORY_FAILING';
  readonly stream: string;
  /** More than this many within the window make an incident. */
  readonly allowed: number;
  readonly windowMs: number;
  readonly severity: Severity;
}

/** Decisions without their quorum: of a council on a request or an answer, and of critics in the Negotiation Room. */
export const QUORUM_FAILURES: FailureCounter = {
  type: 'QUORUM_FAILED',
  stream: 'system-quorum',
  allowed: 5,
  windowMs: 10 * 60_000,
  severity: 'error',
};

/** Writes that memory did not take, though it had room. */
export const MEMORY_FAILURES: FailureCounter = {
  type: 'MEMORY_FAILING',
  stream: 'system-memory',
  allowed: 2,
  windowMs: 60_000,
  severity: 'error',
};

export interface FailureCount {
  /** Those within the window before the newest, oldest first. */
  readonly recent: readonly CountedFailure[];
  /** The failure with which they became too many; kept while no window passes without one. */
  readonly raised: CountedFailure | null;
}

export const noFailures: FailureCount = { recent: [], raised: null };

/** How the events of a counter's stream become its count. */
export function evolveCount({ type: counted, allowed, windowMs }: FailureCounter) {
  return (
    { recent, raised }: FailureCount,
    { type, data }: { readonly type: string; readonly data: JsonObject },
  ): FailureCount => {
    if (type !== counted) return { recent, raised };
    const failure = data as unknown as CountedFailure;
    const now = [...recent, failure].filter(within(windowMs, failure));
    if (raised !== null && now.length > 1) return { recent: now, raised };
    return { recent: now, raised: now.length > allowed ? failure : null };
  };
}

/** Of those that are too many already, so many a window say that they go on. */
const SIGNS_OF_LIFE = 4;

/** Nothing where it was counted before, or where so many have come that it would say nothing new. */
export function countFailure(
  { type, windowMs }: FailureCounter,
  { recent, raised }: FailureCount,
  failure: CountedFailure,
): readonly DomainEvent[] {
  const isKnown = recent.some(({ cause_event_id }) => cause_event_id === failure.cause_event_id);
  const newest = recent.at(-1);
  const isTold = raised !== null && newest !== undefined && within(windowMs / SIGNS_OF_LIFE, failure)(newest);
  return isKnown || isTold ? [] : [incidentEvent(type, failure)];
}

/** Whether those that became too many with a failure are over. @param now milliseconds since the Unix epoch */
export function isPast(
  { windowMs }: FailureCounter,
  { recent, raised }: FailureCount,
  causeEventId: string,
  now: number,
): boolean {
  if (raised?.cause_event_id !== causeEventId) return true;
  return now - Date.parse(recent.at(-1)!.at) > windowMs;
}

function within(windowMs: number, { at }: CountedFailure): (one: CountedFailure) => boolean {
  const since = Date.parse(at) - windowMs;
  return (one) => Date.parse(one.at) > since;
}

/** What may tell of such failures. */
export const COUNTED_TYPES: readonly string[] = [
  'ACTION_REJECTED',
  'NEGOTIATION_DECIDED',
  'SENIOR_CRITICS_ASKED',
  'COUNCIL_DECISION',
  'MEMORY_WRITE_FAIL',
];

/** By what a type of COUNTED_TYPES is counted. */
export function countedType(type: string): FailureCounter {
  return type === 'MEMORY_WRITE_FAIL' ? MEMORY_FAILURES : QUORUM_FAILURES;
}

/** By what an event is counted, and when it was, where it says so itself; null where it tells of something else. */
export function countedIn(
  type: string,
  data: JsonObject,
): { readonly counter: FailureCounter; readonly at: string | null } | null {
  const at = (data['decided_at'] as string | undefined) ?? null;
  if (type === 'ACTION_REJECTED') return data['reason'] === 'no_quorum' ? { counter: QUORUM_FAILURES, at } : null;
  // A negotiation whose first quorum failed was counted when senior critics were asked.
  const { escalation } = (data['options'] ?? {}) as {
    readonly escalation?: { readonly before: { quorum_met?: boolean } };
  };
  if (type === 'NEGOTIATION_DECIDED' && escalation?.before.quorum_met === false) return null;
  if (type === 'NEGOTIATION_DECIDED' || type === 'COUNCIL_DECISION')
    return data['quorum_met'] === false ? { counter: QUORUM_FAILURES, at } : null;
  // Critics were away also where senior ones decide in the end.
  if (type === 'SENIOR_CRITICS_ASKED') {
    const { quorum_met } = data['before'] as { readonly quorum_met?: boolean };
    return quorum_met === false ? { counter: QUORUM_FAILURES, at: data['opened_at'] as string } : null;
  }
  // What was refused for its content or its writer is no failure of memory, and a shortage of room has its own incident.
  if (type !== 'MEMORY_WRITE_FAIL' || data['error_code'] !== 'SEM_WRITE_FAIL') return null;
  return { counter: MEMORY_FAILURES, at };
}
