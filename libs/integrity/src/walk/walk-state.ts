import type { WalkCounts } from '../domain/integrity.events.js';

/** How far a walk is: what it goes on from after a kill. */
export interface WalkState {
  readonly verification_id: string;
  readonly requested_by: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** Most events a second; null: no limit. */
  readonly max_rate: number | null;
  /** Everything up to here was walked. */
  readonly position: number;
  /** The last position to be walked. */
  readonly to: number;
  readonly counts: WalkCounts;
  /** Over the digests of the ranges so far. */
  readonly digest: string;
  readonly faults: number;
  /** How many of them were told one by one. */
  readonly recorded: number;
  /** Right edge of the Merkle tree over whole ranges; null where none is computed, or events are missing from it. */
  readonly tree: readonly (string | null)[] | null;
  /** Over which event stands at which position (LogPlaces); null where a walk of an earlier release began without. */
  readonly places: string | null;
  /** Its root over everything walked, once that is all. */
  readonly root: string | null;
}

/** A walk that has not begun. */
export function walkOf(
  id: string,
  requested_by: string,
  started_at: string,
  to: number,
  max_rate: number | null = null,
): WalkState {
  return {
    verification_id: id,
    requested_by,
    started_at,
    max_rate,
    position: 0,
    to,
    counts: NO_COUNTS,
    digest: '',
    faults: 0,
    recorded: 0,
    tree: [],
    places: '',
    root: null,
  };
}

export const NO_COUNTS: WalkCounts = {
  events: 0,
  streams: 0,
  jobs: 0,
  sealed_jobs: 0,
  snapshots: 0,
  artifacts: 0,
  references: 0,
  erased_references: 0,
  unchecked_references: 0,
  times_out_of_order: 0,
  leaves: null,
};
