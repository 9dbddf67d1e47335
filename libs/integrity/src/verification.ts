import type { Fault } from './domain/fault.js';
import type { WalkCounts } from './domain/integrity.events.js';
import type { RecordedSummary } from './integrity-record.js';

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
  /** The first of them. */
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
    counts,
    digest: summary.digest,
    summary_event_id: summary.event_id,
    reason: null,
  };
}
