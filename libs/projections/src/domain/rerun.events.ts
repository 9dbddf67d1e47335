import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/** Events of `rerun-{rerun_id}`: a rerun of a projection was asked for, and what came of it. */
export const RERUN_BEGUN = 'PROJECTION_RERUN_BEGUN';
export const RERUN_ENDED = 'PROJECTION_RERUN';

export function rerunStream(rerunId: string): string {
  return `rerun-${rerunId}`;
}

/** What of the log is to be projected again: a range of positions, or one stream. */
export interface RerunRange {
  /** Exclusive position; null with a stream, and for the beginning of the log. */
  readonly from: string | null;
  /** Inclusive position; null for as far as the live generation is. */
  readonly to: string | null;
  readonly stream: string | null;
  /** First revision of the range, from 0 on; null without a stream. */
  readonly from_revision: number | null;
}

export interface RerunBegun extends RerunRange {
  readonly projection: string;
  readonly rerun_id: string;
}

/** NOT_COMPARABLE: the two were not at one place, which proves nothing either way. */
export type RerunVerdict = 'MATCH' | 'MISMATCH' | 'NOT_COMPARABLE';

export interface RerunEnded {
  readonly projection: string;
  readonly rerun_id: string;
  readonly requested_by: string;
  /** Null where it failed. */
  readonly verdict: RerunVerdict | null;
  /** Range, digests and figures, as the rerun answers them; null where it failed. */
  readonly result: JsonObject | null;
  /** How far it had come when it ended; null where nothing was written. */
  readonly progress: JsonObject | null;
  /** Why it failed; null unless it did. */
  readonly reason: string | null;
}

export const rerunEvents: readonly EventDefinition[] = [
  { type: RERUN_BEGUN, version: 1, plain: ['projection', 'rerun_id', 'from', 'to', 'stream', 'from_revision'] },
  {
    type: RERUN_ENDED,
    version: 1,
    plain: ['projection', 'rerun_id', 'requested_by', 'verdict', 'result', 'progress', 'reason'],
  },
];

export function rerunBegun(data: RerunBegun): DomainEvent {
  return { type: RERUN_BEGUN, data: { ...data } };
}

export function rerunEnded(data: RerunEnded): DomainEvent {
  return { type: RERUN_ENDED, data: { ...data } };
}
