import type { DomainEvent, JsonObject } from '#lib/kernel';

import { incidentEvent, type QuorumFailed } from './incidents.events.js';

/** More than this many within the window make an incident (spec/failures.md). */
export const QUORUM_FAILURES_ALLOWED = 5;
export const QUORUM_WINDOW_MS = 10 * 60 * 1000;

export const QUORUM_STREAM = 'system-quorum';

export interface QuorumFailures {
  /** Those of the last ten minutes before the newest, oldest first. */
  readonly recent: readonly QuorumFailed[];
  /** The failure with which they became too many; it is not said again within the window. */
  readonly raised: QuorumFailed | null;
}

export const initialQuorumFailures: QuorumFailures = { recent: [], raised: null };

export function evolveQuorumFailures(
  { recent, raised }: QuorumFailures,
  { type, data }: { readonly type: string; readonly data: JsonObject },
): QuorumFailures {
  if (type !== 'QUORUM_FAILED') return { recent, raised };
  const failure = data as unknown as QuorumFailed;
  const since = Date.parse(failure.at) - QUORUM_WINDOW_MS;
  const isWithin = ({ at }: QuorumFailed): boolean => Date.parse(at) > since;
  const now = [...recent, failure].filter(isWithin);
  const isRaised = raised !== null && isWithin(raised);
  return { recent: now, raised: !isRaised && now.length > QUORUM_FAILURES_ALLOWED ? failure : raised };
}

/** Nothing where it was counted before. */
export function countQuorumFailure({ recent }: QuorumFailures, failure: QuorumFailed): readonly DomainEvent[] {
  const isKnown = recent.some(({ cause_event_id }) => cause_event_id === failure.cause_event_id);
  return isKnown ? [] : [incidentEvent('QUORUM_FAILED', failure)];
}

/** Decisions that may lack their quorum: of the council on a request, and of critics in the Negotiation Room. */
export const QUORUM_TYPES: readonly string[] = ['ACTION_REJECTED', 'NEGOTIATION_DECIDED'];

/** When something was decided, or closed undecided, without its quorum; null where an event tells of something else. */
export function quorumFailureIn(type: string, data: JsonObject): string | null {
  const isFailure =
    (type === 'ACTION_REJECTED' && data['reason'] === 'no_quorum') ||
    (type === 'NEGOTIATION_DECIDED' && data['quorum_met'] === false);
  return isFailure ? (data['decided_at'] as string) : null;
}
