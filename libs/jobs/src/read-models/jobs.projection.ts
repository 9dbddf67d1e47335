import { sha256Hex } from '#lib/kernel';
import type { Change, CollectionDefinition } from '#lib/read-store';
import type { ProjectedEvent, Projection } from '#lib/projections';

import type { JobAccepted, ReflectiveLogWritten } from '../domain/jobs.events.js';

export const JOB_STATUSES = ['running', 'completed', 'blocked', 'failed'] as const;

/** One document a job: everything a list shows; texts stay in the job's stream. */
export interface JobRow {
  readonly job_id: string;
  readonly job_seed: string;
  readonly user_id: string;
  readonly created_at: string;
  /** Position of JOB_ACCEPTED. */
  readonly position: number;
  readonly status: (typeof JOB_STATUSES)[number];
  /** When it ended, ISO 8601; null until then, and where release 0.1 wrote the end, whose events say no time. */
  readonly ended_at: string | null;
  /** What it ended with instead of an answer; null also where the event is of an earlier version, which does not say. */
  readonly error_code: string | null;
  /** What it said of itself at its end; null until then. */
  readonly replayable: boolean | null;
  readonly agent_id: string | null;
  readonly route_reason: string | null;
  readonly final_confidence: number;
  readonly log_id: string | null;
  readonly sealed: boolean;
  /** `created_at`, then the position among those of one millisecond: what lists are sorted by. */
  readonly asked: string;
}

const POSITION_DIGITS = 20;

const collections: readonly CollectionDefinition[] = [
  {
    name: 'jobs',
    indexes: ['user_id', 'asked', 'status', 'agent_id', 'error_code', 'replayable', 'sealed'],
    sortedBy: 'asked',
  },
  { name: 'logs', indexes: ['pin_set'] },
  // Few: most jobs pin the same snapshots as the job before.
  { name: 'pin_sets', indexes: [] },
];

export const jobsProjection: Projection = {
  name: 'jobs',
  version: 3,
  collections,
  types: ['JOB_ACCEPTED', 'REFLECTIVE_LOG_WRITTEN', 'JOB_SEALED'],
  project(event: ProjectedEvent): readonly Change[] {
    if (event.type === 'JOB_ACCEPTED') return accepted(event);
    if (event.type === 'REFLECTIVE_LOG_WRITTEN') return logWritten(event);
    const id = event.metadata.job_id!;
    return [{ op: 'merge', collection: 'jobs', id, fields: { sealed: true } }];
  },
};

function accepted(event: ProjectedEvent): readonly Change[] {
  const data = event.data as unknown as JobAccepted;
  const row: JobRow = {
    job_id: data.job_id,
    job_seed: event.metadata.job_seed,
    user_id: data.user_id,
    created_at: data.created_at,
    position: Number(event.position),
    status: 'running',
    ended_at: null,
    error_code: null,
    replayable: null,
    agent_id: null,
    route_reason: null,
    final_confidence: 0,
    log_id: null,
    sealed: false,
    asked: `${data.created_at} ${event.position.padStart(POSITION_DIGITS, '0')}`,
  };
  return [{ op: 'put', collection: 'jobs', id: data.job_id, body: { ...row } }];
}

function logWritten(event: ProjectedEvent): readonly Change[] {
  const { job_id, log_id, snapshots, ...log } = event.data as unknown as ReflectiveLogWritten;
  const { status, error_code = null, replayable, agent_id, route_reason, final_confidence } = log;
  const ended_at = event.metadata.recorded_at ?? null;
  const fields = { status, ended_at, error_code, replayable, agent_id, route_reason, final_confidence, log_id };
  const ids = Object.values(snapshots).sort();
  const pin_set = sha256Hex(ids.join(' '));
  return [
    { op: 'merge', collection: 'jobs', id: job_id, fields },
    { op: 'put', collection: 'logs', id: log_id, body: { job_id, pin_set } },
    { op: 'put', collection: 'pin_sets', id: pin_set, body: { snapshots: ids } },
  ];
}
