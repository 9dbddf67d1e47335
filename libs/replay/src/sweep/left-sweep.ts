import type { CommandContext } from '#lib/access';

import type { RecordedSweep } from './sweep-record.js';
import { recordedView, type SweepView } from './sweep-view.js';

/** The request that a sweep goes on for, as far as it is recorded, whoever asks again; no right is taken from it. */
export function askedAgain({ asked, request, requestDigest }: RecordedSweep, now: number): CommandContext {
  const { actor, job_seed: seed, trace_id: traceId } = asked;
  const principal = { id: request.actor_id, roles: [], elevated: false };
  return { principal, actor, seed, traceId, requestDigest: requestDigest ?? '', keyed: true, now };
}

/** What is recorded of a sweep from here on is numbered anew: its ids are those of nothing that was recorded before. */
export function seedFrom({ asked, lastRevision }: RecordedSweep): string {
  return `${asked.job_seed}:after ${lastRevision}`;
}

/** A sweep as it is when it is gone on with. @param isHeld whether a checkpoint covers its jobs now */
export function goingOn(recorded: RecordedSweep, isHeld: boolean): SweepView {
  const view = recordedView(recorded);
  return {
    ...view,
    state: 'running',
    ended_at: null,
    rate: 0,
    eta_seconds: null,
    authoritative: view.authoritative && isHeld,
    summary_event_id: null,
    reason: null,
  };
}
