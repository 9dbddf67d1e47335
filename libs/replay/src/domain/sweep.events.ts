import type { EventDefinition } from '#lib/kernel';

import type { Verdict } from './replay.events.js';

/**
 * Where sweeps are recorded: one event at the start of each, one at its end, and between them how far it is. One that was
 * interrupted and gone on with has several ends, of which the last counts.
 */
export const SWEEPS_STREAM = 'system-replay-sweeps';
export const SWEEP_REQUEST = 'REPLAY_SWEEP_REQUEST';
export const SWEEP_PROGRESS = 'REPLAY_SWEEP_PROGRESS';
export const SWEEP_SUMMARY = 'REPLAY_SWEEP_SUMMARY';
/** Most jobs that a sweep lists; `unmatched_total` counts all. */
export const LISTED_JOBS = 1000;

/** A job whose replay is no match. */
export interface UnmatchedJob {
  readonly job_id: string;
  /** Null where the replay was refused. */
  readonly verdict: Verdict | null;
  readonly error_code: string;
  /** Under which its own replay is recorded. */
  readonly replay_id: string;
}

/** Somebody wants every job replayed that begins in a part of the log. */
export interface SweepRequest {
  readonly sweep_id: string;
  readonly mode: 'audit';
  readonly actor_id: string;
  /** Positions: the jobs whose first event lies behind `from`, up to `to`. */
  readonly from: string;
  readonly to: string;
  /** How many those are. */
  readonly jobs: number;
  readonly threads: number;
  /** Leaves that the checkpoint counts to which the jobs' records are held; null where none was signed in time. */
  readonly checkpoint_size: number | null;
  /** ISO 8601. */
  readonly requested_at: string;
}

/** How far a sweep was, in case its process ends without a word. */
export interface SweepProgress extends Pick<
  SweepSummary,
  'sweep_id' | 'position' | 'jobs' | 'counts' | 'unmatched_total' | 'authoritative'
> {
  /** Of the jobs that are no match, those that nothing recorded of it lists yet; of a whole sweep no more than LISTED_JOBS. */
  readonly unmatched: readonly UnmatchedJob[];
  /** ISO 8601. */
  readonly reached_at: string;
}

/** What a sweep lists once something more of it is recorded, each job once. */
export function listedWith(listed: readonly UnmatchedJob[], more: readonly UnmatchedJob[]): readonly UnmatchedJob[] {
  if (more.length === 0) return listed;
  const known = new Set(listed.map(({ job_id }) => job_id));
  return [...listed, ...more.filter(({ job_id }) => !known.has(job_id))].slice(0, LISTED_JOBS);
}

export const SWEEP_ENDS = ['done', 'cancelled', 'interrupted', 'failed'] as const;
export type SweepEnd = (typeof SWEEP_ENDS)[number];

/** What came of it. */
export interface SweepSummary {
  readonly sweep_id: string;
  /** `interrupted`: its process ended, and a request for it goes on. Unless it is `done`, only jobs up to `position` are in it. */
  readonly state: SweepEnd;
  /** Every job of the sweep that begins here or before was replayed: another can go on from it. */
  readonly position: string;
  /** How many jobs were replayed. */
  readonly jobs: number;
  /** Jobs by verdict, or by error code where the replay was refused. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first of those that are no match, in the order of the log. */
  readonly unmatched: readonly UnmatchedJob[];
  readonly unmatched_total: number;
  /** False where no checkpoint was there to hold the records to, or the record of a match. */
  readonly authoritative: boolean;
  readonly ended_at: string;
  /** Name of the error by which it failed, of which the process's own log says more; null unless it did. */
  readonly reason: string | null;
}

export const sweepEvents: readonly EventDefinition[] = [
  {
    type: SWEEP_REQUEST,
    version: 1,
    plain: ['sweep_id', 'mode', 'actor_id', 'from', 'to', 'jobs', 'threads', 'checkpoint_size', 'requested_at'],
  },
  {
    type: SWEEP_PROGRESS,
    version: 2,
    plain: ['sweep_id', 'position', 'jobs', 'counts', 'unmatched', 'unmatched_total', 'authoritative', 'reached_at'],
    // Until then a note only counted them.
    upcasters: { 1: (data) => ({ ...data, unmatched: [] }) },
  },
  {
    type: SWEEP_SUMMARY,
    version: 1,
    plain: [
      'sweep_id',
      'state',
      'position',
      'jobs',
      'counts',
      'unmatched',
      'unmatched_total',
      'authoritative',
      'ended_at',
      'reason',
    ],
  },
];
