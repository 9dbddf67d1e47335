import { positionOf } from '#lib/event-store';

import type { Fault } from './domain/fault.js';
import type { WalkCounts } from './domain/integrity.events.js';
import type { RecordedSummary } from './integrity-record.js';
import { NO_COUNTS, type WalkState } from './walk/walk-state.js';

export const VERIFICATION_STATES = ['running', 'done', 'interrupted', 'failed'] as const;

/** A check of the log or of one stream, as people see it. */
export interface VerificationView {
  readonly verification_id: string;
  /** `interrupted`: stopped with its process; the next server goes on with it, or a request with `resume`. */
  readonly state: (typeof VERIFICATION_STATES)[number];
  /** The one stream that is checked; null for the whole log. */
  readonly stream: string | null;
  readonly requested_by: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** Positions of the log walked so far; of one stream, its events. */
  readonly processed: number;
  readonly total: number;
  /** A second, over the time in which this process has walked. */
  readonly rate: number;
  readonly eta_seconds: number | null;
  /** The log up to this position is what is checked. */
  readonly position: string;
  /** Null until it is done. */
  readonly sound: boolean | null;
  readonly faults: number;
  /** The first of them, and behind them the first findings of detector `time`, which are no faults. */
  readonly found: readonly Fault[];
  readonly counts: WalkCounts;
  readonly digest: string | null;
  /** INTEGRITY_CHECK_SUMMARY. */
  readonly summary_event_id: string | null;
  /** Why it failed; null unless it did. */
  readonly reason: string | null;
}

/** How a walk of an earlier process, or long ago, is seen: by its summary. */
export function viewOf(summary: RecordedSummary): VerificationView {
  const { verification_id, scope, requested_by, started_at, ended_at, position, counts } = summary;
  const total = scope === null ? Number(position) : counts.events;
  return {
    verification_id,
    state: 'done',
    stream: scope,
    requested_by,
    started_at,
    ended_at,
    processed: total,
    total,
    rate: 0,
    eta_seconds: 0,
    position,
    sound: summary.sound,
    faults: summary.faults,
    found: summary.found,
    // Walks of release 0.1 looked at none.
    counts: { ...NO_COUNTS, ...counts },
    digest: summary.digest,
    summary_event_id: summary.event_id,
    reason: null,
  };
}

/** How a check is seen that has not walked yet, or not since it was left. @param head number of events in the log */
export function beginning(state: WalkState, stream: string | null, head: number): VerificationView {
  const { verification_id, requested_by, started_at, position, to, counts, faults } = state;
  return {
    verification_id,
    state: 'running',
    stream,
    requested_by,
    started_at,
    ended_at: null,
    processed: position,
    total: to,
    rate: 0,
    eta_seconds: null,
    position: positionOf(head),
    sound: null,
    faults,
    found: [],
    counts,
    digest: null,
    summary_event_id: null,
    reason: null,
  };
}

/** The same further on. @param from where it began, @param seconds for which it has walked since */
export function walkedTo(view: VerificationView, state: WalkState, from: number, seconds: number): VerificationView {
  const rate = seconds > 0 ? Math.round(Math.max(0, state.position - from) / seconds) : 0;
  const eta_seconds = rate > 0 ? Math.ceil((state.to - state.position) / rate) : null;
  const { position: processed, to: total, counts, faults } = state;
  const position = view.stream === null ? String(total) : view.position;
  return { ...view, processed, total, position, counts, faults, rate, eta_seconds };
}
