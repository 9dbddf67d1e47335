import type { DomainEvent, EventDefinition } from '#lib/kernel';

import type { Fault } from './fault.js';

/** Where checks and what they find are recorded. */
export const INTEGRITY_STREAM = 'system-integrity';
export const INTEGRITY_FAILURE = 'INTEGRITY_FAILURE';
export const CHECK_SUMMARY = 'INTEGRITY_CHECK_SUMMARY';

/** What a walk has looked at. */
export interface WalkCounts {
  readonly events: number;
  /** Streams with at least one event. */
  readonly streams: number;
  readonly jobs: number;
  readonly sealed_jobs: number;
  readonly snapshots: number;
  readonly artifacts: number;
  /** References of reflective logs by hash. */
  readonly references: number;
  /** Of those, how many could not be computed again because the person's data key is destroyed. */
  readonly erased_references: number;
  /** And how many because the key cannot be had: the key store does not know it, or a key service does not answer. */
  readonly unchecked_references: number;
  /** Events with a finding of detector `time`. */
  readonly times_out_of_order: number;
  /** Leaves of the Merkle log that were computed again; null where no checkpoint came in time. */
  readonly leaves: number | null;
}

/** In `system-integrity`: a walk over the log, or over one stream, has ended. */
export interface CheckSummary {
  readonly verification_id: string;
  /** The one stream that was asked for; null for the whole log. */
  readonly scope: string | null;
  readonly requested_by: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly ended_at: string;
  /** Position of the last event that was looked at. */
  readonly position: string;
  readonly counts: WalkCounts;
  /**
   * Over the hashes of all events in the order of the log: two walks up to one position that give the same digest have
   * seen the same log. Null for one stream.
   */
  readonly digest: string | null;
  /**
   * How the events stand to the tree that was signed; `mended` where only what was kept of it beside the events was another.
   * Null where they were not compared, or only those of one stream, and found the same.
   */
  readonly tree: 'same' | 'mended' | 'other' | null;
  /** Whether the log is signed again by it, where it was withheld (docs/proof.md, "When nothing is signed"). */
  readonly releases: boolean;
  readonly sound: boolean;
  /** How many faults there are; findings of detector `time` are none. */
  readonly faults: number;
  /** The first of them, and behind them the first findings of detector `time`. */
  readonly found: readonly Fault[];
}

export const integrityEvents: readonly EventDefinition[] = [
  {
    type: CHECK_SUMMARY,
    version: 1,
    plain: [
      'verification_id',
      'scope',
      'requested_by',
      'started_at',
      'ended_at',
      'position',
      'counts',
      'digest',
      'tree',
      'releases',
      'sound',
      'faults',
      'found',
    ],
  },
];

/** Copied member by member: what another thread has sent need not be made of this one's objects. */
export function checkSummary({ counts, found, ...summary }: CheckSummary): DomainEvent {
  const data = { ...summary, counts: { ...counts }, found: found.map((fault) => ({ ...fault })) };
  return { type: CHECK_SUMMARY, data: data };
}

/** INTEGRITY_FAILURE of what has no stream of its own to say it in. Its definition is the reflective logs'. */
export function integrityFailure({ detector, stream, revision, position, reason }: Fault): DomainEvent {
  const place = {
    ...(stream === null ? {} : { stream }),
    ...(revision === null ? {} : { revision }),
    ...(position === null ? {} : { position }),
  };
  return { type: INTEGRITY_FAILURE, data: { detector, reason, ...place } };
}
