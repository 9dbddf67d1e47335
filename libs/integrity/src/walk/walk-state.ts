import type { WalkCounts } from '../domain/integrity.events.js';

/** How far a walk is: what it goes on from after a kill. */
export interface WalkState {
  readonly verification_id: string;
  readonly requested_by: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** Everything up to here was walked. */
  readonly position: number;
  /** The last position to be walked. */
  readonly to: number;
  readonly counts: WalkCounts;
  /** Over the digests of the ranges so far. */
  readonly digest: string;
  readonly faults: number;
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
  leaves: null,
};
