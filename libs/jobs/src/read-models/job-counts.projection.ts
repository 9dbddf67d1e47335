import type { ProjectedEvent, Projection } from '#lib/projections';
import type { Change, CollectionDefinition } from '#lib/read-store';

import type { JobAccepted, ReflectiveLogWritten } from '../domain/jobs.events.js';

/** Spans of time of which there is a document each, by their length in seconds, and how the time in its id is cut. */
export const SPANS = {
  60: 'YYYY-MM-DDTHH:MM'.length,
  3600: 'YYYY-MM-DDTHH'.length,
  86400: 'YYYY-MM-DD'.length,
} as const;
export type Span = keyof typeof SPANS;

/** Upper bounds, in ms, of what jobs are counted by that took so long; those beyond the last are counted by themselves. */
export const DURATION_BOUNDS = [10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000] as const;

/** Prefixes of the fields of a document, besides `begun`, `completed`, `blocked`, `failed` and `position`. */
export const ERROR_FIELD = 'error_';
export const DURATION_FIELD = 'within_';
/** Sum of what `within_` counts, in ms. */
export const DURATION_SUM = 'took_ms';

export const JOB_COUNTS_COLLECTION: CollectionDefinition = { name: 'job_counts', indexes: [] };

/**
 * How many jobs began and ended in each minute, hour and day, by their result, error and duration. Its documents say
 * nothing of any one job, and there are as many as minutes in which something happened.
 */
export const jobCountsProjection: Projection = {
  name: 'job_counts',
  version: 1,
  collections: [JOB_COUNTS_COLLECTION],
  types: ['JOB_ACCEPTED', 'REFLECTIVE_LOG_WRITTEN'],
  project(event: ProjectedEvent): readonly Change[] {
    if (event.type === 'JOB_ACCEPTED')
      return counted(event, (event.data as unknown as JobAccepted).created_at, { begun: 1 });
    const { recorded_at } = event.metadata;
    // Release 0.1 wrote it: when the job ended stands nowhere.
    if (recorded_at === undefined) return [];
    return counted(event, recorded_at, fieldsOf(event.data as unknown as ReflectiveLogWritten, recorded_at));
  },
  /** Jobs add to the same documents. */
  partition: () => 'jobs',
};

/** @param from a time, as ISO 8601 in UTC */
export function idOfSpan(span: Span, from: string): string {
  return `${span} ${from.slice(0, SPANS[span])}`;
}

function counted(
  { position }: ProjectedEvent,
  time: string,
  fields: Readonly<Record<string, number>>,
): readonly Change[] {
  const { name: collection } = JOB_COUNTS_COLLECTION;
  return Object.keys(SPANS).map((span) => {
    const id = idOfSpan(Number(span) as Span, time);
    return { op: 'add', collection, id, at: Number(position), fields } as const;
  });
}

function fieldsOf(
  { status, error_code, created_at }: ReflectiveLogWritten,
  ended: string,
): Readonly<Record<string, number>> {
  const error = status === 'completed' ? {} : { [`${ERROR_FIELD}${error_code ?? ''}`]: 1 };
  if (created_at === undefined) return { [status]: 1, ...error };
  // The clock of the process that finished it may be behind that of the one that took it.
  const took = Math.max(0, Date.parse(ended) - Date.parse(created_at));
  const bound = DURATION_BOUNDS.find((one) => took <= one) ?? 'more';
  return { [status]: 1, ...error, [`${DURATION_FIELD}${bound}`]: 1, [DURATION_SUM]: took };
}
