import type { JsonObject } from '#lib/kernel';
import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import type { ReflectiveLogWritten } from '../domain/jobs.events.js';
import { artifactName, kindOfArtifact, MISSING_KINDS, type MissingKind } from '../domain/missing.js';

/** A job that cannot be replayed, and one kind of what is missing; a job may have a row for each kind. */
export interface UnreplayableRow {
  readonly job_id: string;
  readonly missing: MissingKind;
  /** What is missing, each by its name; at least one. */
  readonly artifacts: readonly string[];
  /** The first of them, by which rows are found. */
  readonly artifact: string;
  /** `seal`: the job said so itself at its end; the others found it later. */
  readonly found_by: 'seal' | 'replay' | 'check';
  /** The event that told of it. */
  readonly event_id: string;
  readonly position: number;
}

export const UNREPLAYABLE_COLLECTION: CollectionDefinition = {
  name: 'unreplayable',
  indexes: ['missing', 'artifact', 'position'],
};

/** What a replay refuses over, as the kind of what it lacks. */
const REFUSALS: Readonly<Record<string, MissingKind>> = {
  MISSING_SNAPSHOT: 'snapshot',
  MISSING_PERSISTED_AGENT_OUTPUT: 'agent_output',
  INTEGRITY_FAILURE: 'integrity',
};

/**
 * Jobs that cannot be replayed, by what is missing (seed 002 section 13): those that said so at their end, and those of
 * which a replay or a check found it later. A replay that comes to a verdict, and an admin's check that frees a log, take
 * away what was found later.
 */
export const unreplayableProjection: Projection = {
  name: 'unreplayable',
  version: 1,
  collections: [UNREPLAYABLE_COLLECTION],
  types: ['REFLECTIVE_LOG_WRITTEN', 'REPLAY_RESULT', 'INTEGRITY_FAILURE', 'LOG_REVERIFIED'],
  project(event: ProjectedEvent): readonly Change[] {
    switch (event.type) {
      case 'REFLECTIVE_LOG_WRITTEN':
        return ended(event);
      case 'REPLAY_RESULT':
        return replayed(event);
      case 'INTEGRITY_FAILURE':
        return failed(event);
      default:
        return [gone(event.data['job_id'] as string, 'integrity')];
    }
  },
  /** What is said of a job is said in several streams. */
  partition: ({ type, data, stream }: ProjectedEvent): string =>
    (type === 'INTEGRITY_FAILURE' ? failedJob(data) : (data['job_id'] as string | undefined)) ?? stream,
};

function ended(event: ProjectedEvent): readonly Change[] {
  const { job_id, replayable, missing_artifacts } = event.data as unknown as ReflectiveLogWritten;
  return replayable ? [] : rows(event, job_id, missing_artifacts, 'seal');
}

function replayed(event: ProjectedEvent): readonly Change[] {
  const { job_id: job, verdict, authoritative, error_code, steps } = event.data as unknown as Replayed;
  // What stands as proof had everything: what was found missing before is there again.
  if (verdict !== null) return !authoritative ? [] : MISSING_KINDS.map((kind) => gone(job, kind));
  const kind = error_code === null ? undefined : REFUSALS[error_code];
  if (kind === undefined) return [];
  // The step that failed names by its id what it failed on; a job's own record has none besides the job's.
  const failed = steps.find((step) => step.verdict === 'failed')?.detail ?? '';
  return rows(event, job, [artifactName(kind, ID.exec(failed)?.[0])], 'replay');
}

interface Replayed {
  readonly job_id: string;
  readonly verdict: string | null;
  readonly authoritative: boolean;
  readonly error_code: string | null;
  readonly steps: readonly { readonly verdict: string; readonly detail: string }[];
}

const ID = /\b[0-9a-f]{64}\b/;

/** A check or a report that something is wrong with a job's own record; a snapshot's failure is listed with the halts. */
function failed(event: ProjectedEvent): readonly Change[] {
  const job = failedJob(event.data);
  return job === null ? [] : rows(event, job, [artifactName('integrity', 'log')], 'check');
}

function failedJob({ job_id, stream }: JsonObject): string | null {
  if (typeof stream === 'string') return JOB_STREAM.test(stream) ? stream.slice('job-'.length) : null;
  return typeof job_id === 'string' ? job_id : null;
}

const JOB_STREAM = /^job-job:[0-9a-f]{32}$/;

function rows(
  { metadata, position }: ProjectedEvent,
  job_id: string,
  artifacts: readonly string[],
  found_by: UnreplayableRow['found_by'],
): readonly Change[] {
  return MISSING_KINDS.flatMap((missing) => {
    const own = artifacts.filter((name) => kindOfArtifact(name) === missing);
    if (own.length === 0) return [];
    const { event_id } = metadata;
    const row = { job_id, missing, artifacts: own, artifact: own[0]!, found_by, event_id, position: Number(position) };
    const body: JsonObject = row;
    return [{ op: 'put', collection: UNREPLAYABLE_COLLECTION.name, id: idOf(job_id, missing), body } as const];
  });
}

function gone(jobId: string, kind: MissingKind): Change {
  return { op: 'delete', collection: UNREPLAYABLE_COLLECTION.name, id: idOf(jobId, kind) };
}

function idOf(jobId: string, kind: MissingKind): string {
  return `${jobId} ${kind}`;
}
