import { MaceError } from '#lib/kernel';

import { dataFaultOf } from '../data-fault.js';
import type { ReplayResult } from '../domain/replay.events.js';
import type { ReplayFinding } from '../replay-job.js';
import { isUnchecked } from '../replay-records.js';
import type { Decided, SweepState } from './sweep.js';
import type { SweepView } from './sweep-view.js';

/** What came of the replay of one job. */
export type Outcome = Pick<ReplayResult, 'verdict' | 'error_code' | 'steps'>;

/** Null where it is no match. */
export function matchOf({ verdict, steps }: Outcome): Decided | null {
  if (verdict !== 'MATCH' && verdict !== 'MATCH_WITH_ERASED_INPUTS') return null;
  return { match: verdict, authoritative: !steps.some(isUnchecked) };
}

/** A refusal is an outcome of the job too, and so is what keeps its data from being read. @throws whatever says nothing of the job */
export async function outcomeOf(replay: () => Promise<ReplayFinding | ReplayResult>): Promise<Outcome> {
  try {
    return await replay();
  } catch (error) {
    const error_code = error instanceof MaceError ? error.code : dataFaultOf(error)?.error_code;
    if (error_code === undefined) throw error;
    return { verdict: null, error_code, steps: [] };
  }
}

/** How a sweep is seen that has come so far. @param ms since it began */
export function shown(view: SweepView, state: SweepState, ms: number): SweepView {
  const { processed, position, counts, unmatched, unmatchedTotal, authoritative } = state;
  const perSecond = ms > 0 ? (processed / ms) * 1000 : 0;
  const left = view.total - processed;
  return {
    ...view,
    processed,
    position,
    counts,
    unmatched,
    unmatched_total: unmatchedTotal,
    authoritative: view.authoritative && authoritative,
    rate: Math.round(perSecond),
    eta_seconds: perSecond > 0 ? Math.ceil(Math.max(0, left) / perSecond) : null,
  };
}
