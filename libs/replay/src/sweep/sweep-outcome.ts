import { MaceError } from '#lib/kernel';

import { dataFaultOf } from '../data-fault.js';
import type { ReplayResult } from '../domain/replay.events.js';
import { LISTED_JOBS } from '../domain/sweep.events.js';
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

/**
 * How a sweep is seen that has come so far.
 * @param begun what it began with here: nothing, or what an earlier process came to @param ms since it began here
 */
export function shown(begun: SweepView, state: SweepState, ms: number): SweepView {
  const { position, unmatchedTotal, authoritative } = state;
  const perSecond = ms > 0 ? (state.processed / ms) * 1000 : 0;
  const processed = begun.processed + state.processed;
  const left = begun.total - processed;
  return {
    ...begun,
    processed,
    position,
    counts: summed(begun.counts, state.counts),
    unmatched: [...begun.unmatched, ...state.unmatched].slice(0, LISTED_JOBS),
    unmatched_total: begun.unmatched_total + unmatchedTotal,
    authoritative: begun.authoritative && authoritative,
    rate: Math.round(perSecond),
    eta_seconds: perSecond > 0 ? Math.ceil(Math.max(0, left) / perSecond) : null,
  };
}

function summed(counts: SweepView['counts'], more: SweepView['counts']): SweepView['counts'] {
  const sum = { ...counts };
  for (const [name, jobs] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + jobs;
  return sum;
}
