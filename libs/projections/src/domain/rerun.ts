import { type AskedBody, type DomainEvent, refuseOtherBody } from '#lib/kernel';

import { type DecisionEvent } from './decision-event.js';
import { RERUN_BEGUN, type RerunBegun, rerunBegun, type RerunEnded, rerunEnded } from './rerun.events.js';

/** A rerun as its stream tells it; how far it is, only its process knows. */
export interface RerunFacts extends RerunBegun {
  readonly requested_by: string;
  readonly request_digest: string | null;
  /** Null while it runs, and where its process ended before it did. */
  readonly ended: RerunEnded | null;
}

export function evolveRerun(state: RerunFacts | null, { type, data, metadata }: DecisionEvent): RerunFacts | null {
  if (type !== RERUN_BEGUN) return state && { ...state, ended: data as unknown as RerunEnded };
  return {
    ...(data as unknown as RerunBegun),
    requested_by: metadata.actor.id,
    request_digest: metadata.request_digest ?? null,
    ended: null,
  };
}

/** Nothing where it was asked for before. @throws MaceError IDEMPOTENCY_KEY_REUSED */
export function beginRerun(state: RerunFacts | null, order: RerunBegun, asked: AskedBody): readonly DomainEvent[] {
  if (!state) return [rerunBegun(order)];
  refuseOtherBody(state.request_digest, asked);
  return [];
}

/** Nothing where its end is on record: two processes may have gone on with it. */
export function endRerun(state: RerunFacts | null, ended: RerunEnded): readonly DomainEvent[] {
  return state?.ended === null ? [rerunEnded(ended)] : [];
}
