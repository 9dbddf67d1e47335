import {
  SWEEP_ENDS,
  type SweepEnd,
  type SweepRequest,
  type SweepSummary,
  type UnmatchedJob,
} from '../domain/sweep.events.js';
import type { RecordedSweep } from './sweep-record.js';

export const SWEEP_STATES = ['running', ...SWEEP_ENDS] as const;

/** A sweep as people see it. */
export interface SweepView {
  readonly sweep_id: string;
  /**
   * `interrupted`: its process ended; a request for it goes on from `position`. Where it ended without a word, that is where
   * it was noted last, some seconds before.
   */
  readonly state: (typeof SWEEP_STATES)[number];
  readonly mode: 'audit';
  readonly from: string;
  readonly to: string;
  readonly threads: number;
  readonly requested_by: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Jobs that were decided, and how many there are. */
  readonly processed: number;
  readonly total: number;
  /** Jobs a second since it began; of one that has ended, over all of its time. */
  readonly rate: number;
  readonly eta_seconds: number | null;
  /** Every job of the sweep that begins here or before was replayed. */
  readonly position: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly unmatched: readonly UnmatchedJob[];
  readonly unmatched_total: number;
  /** Whether the records were held to a checkpoint, each match of them. */
  readonly authoritative: boolean;
  /** REPLAY_SWEEP_SUMMARY. */
  readonly summary_event_id: string | null;
  readonly reason: string | null;
}

/** One that has just begun. */
export function beginningOf(request: SweepRequest): SweepView {
  const { sweep_id, mode, from, to, threads, actor_id, requested_at, jobs, checkpoint_size } = request;
  return {
    sweep_id,
    state: 'running',
    mode,
    from,
    to,
    threads,
    requested_by: actor_id,
    started_at: requested_at,
    ended_at: null,
    processed: 0,
    total: jobs,
    rate: 0,
    eta_seconds: null,
    position: from,
    counts: {},
    unmatched: [],
    unmatched_total: 0,
    authoritative: checkpoint_size !== null,
    summary_event_id: null,
    reason: null,
  };
}

export function endedAs(view: SweepView, summary: SweepSummary, summary_event_id: string | null): SweepView {
  const { jobs: processed, sweep_id: _, ...told } = summary;
  const ms = Math.max(1, Date.parse(told.ended_at) - Date.parse(view.started_at));
  const rate = Math.round((processed / ms) * 1000);
  return { ...view, ...told, processed, rate, eta_seconds: told.state === 'done' ? 0 : null, summary_event_id };
}

/** @param now milliseconds since the Unix epoch @param reason name of the error by which it failed */
export function summaryOf(view: SweepView, state: SweepEnd, now: number, reason: string | null = null): SweepSummary {
  const { sweep_id, processed: jobs, counts, unmatched, unmatched_total, authoritative } = view;
  return {
    sweep_id,
    state,
    position: state === 'done' ? view.to : view.position,
    jobs,
    counts,
    unmatched,
    unmatched_total,
    authoritative,
    ended_at: new Date(now).toISOString(),
    reason,
  };
}

/**
 * Of an earlier process, or long ago: one that has no summary and does not run here was interrupted, and is told as it was
 * noted last.
 */
export function recordedView({ request, progress, summary, summaryEventId, listed }: RecordedSweep): SweepView {
  const view = beginningOf(request);
  if (summary) return endedAs(view, summary, summaryEventId);
  if (!progress) return { ...view, state: 'interrupted' };
  const { position, jobs: processed, counts, unmatched_total } = progress;
  const authoritative = view.authoritative && progress.authoritative;
  return {
    ...view,
    state: 'interrupted',
    position,
    processed,
    counts,
    unmatched: listed,
    unmatched_total,
    authoritative,
  };
}
