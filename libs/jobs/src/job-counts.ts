import { MaceError } from '#lib/kernel';
import type { ReadModel } from '#lib/projections';
import type { Document } from '#lib/read-store';

import {
  DURATION_BOUNDS,
  DURATION_FIELD,
  DURATION_SUM,
  ERROR_FIELD,
  idOfSpan,
  JOB_COUNTS_COLLECTION,
  type Span,
  SPANS,
} from './read-models/job-counts.projection.js';

/** Lengths in seconds of what is counted together. */
export const COUNT_STEPS = [60, 300, 3600, 21_600, 86_400] as const;
export type CountStep = (typeof COUNT_STEPS)[number];

export interface CountsWanted {
  /** ISO 8601; the step in which it lies is the first. */
  readonly from_time?: string;
  /** The step before which, or in which, it lies is the last. */
  readonly to_time?: string;
  readonly step?: CountStep;
  /** Real time of the question, ms since the Unix epoch. */
  readonly now: number;
}

/** Jobs that began, and jobs that ended, from a time on and for a step. */
export interface JobCount {
  readonly time: string;
  readonly begun: number;
  readonly completed: number;
  readonly blocked: number;
  readonly failed: number;
  /** Those without an answer, most frequent first; null where the event is of an earlier version, which does not say. */
  readonly errors: readonly { readonly error_code: string | null; readonly jobs: number }[];
  /** From request to end, in ms, of those whose log says both; mean exact, the others from a histogram. Null where none does. */
  readonly duration_ms: { readonly mean: number; readonly median: number; readonly p95: number } | null;
}

export interface JobCountList {
  readonly from_time: string;
  readonly to_time: string;
  readonly step: CountStep;
  /** One a step, in order, also where nothing happened. */
  readonly counts: readonly JobCount[];
  /** Everything up to here is counted. */
  readonly position: string;
}

const MOST_STEPS = 500;
const STEPS_BY_DEFAULT = 60;
const PAGE = 1000;

/** Counts of jobs over time, as far as their read model is: the documents of 2,500 minutes at most are added up for one. */
export class JobCounts {
  constructor(private readonly model: Pick<ReadModel, 'find' | 'position'>) {}

  /** @throws MaceError INVALID_INPUT for more steps than one answer has */
  async list({ step = 3600, from_time, to_time, now }: CountsWanted): Promise<JobCountList> {
    const ms = step * 1000;
    const end = Math.ceil((to_time === undefined ? now + 1 : Date.parse(to_time)) / ms) * ms;
    const begin = from_time === undefined ? end - STEPS_BY_DEFAULT * ms : Math.floor(Date.parse(from_time) / ms) * ms;
    const steps = (end - begin) / ms;
    if (steps < 1 || steps > MOST_STEPS)
      throw new MaceError(
        'INVALID_INPUT',
        `query.from_time and query.to_time: from one to ${MOST_STEPS} steps apart, here of ${step} seconds`,
      );
    const position = await this.model.position();
    const sums = Array.from({ length: steps }, () => new Map<string, number>());
    for await (const { id, body } of this.documents(spanOf(step), begin, end)) {
      const sum = sums[Math.floor((timeIn(id) - begin) / ms)]!;
      for (const [field, count] of Object.entries(body)) sum.set(field, (sum.get(field) ?? 0) + Number(count));
    }
    const counts = sums.map((sum, i) => countOf(isoTime(begin + i * ms), sum));
    return { from_time: isoTime(begin), to_time: isoTime(end), step, counts, position };
  }

  private async *documents(span: Span, begin: number, end: number): AsyncGenerator<Document> {
    const where = [{ field: 'id', from: idOfSpan(span, isoTime(begin)), below: idOfSpan(span, isoTime(end)) }];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<ReadModel['find']>> = await this.model.find(JOB_COUNTS_COLLECTION.name, {
        where,
        limit: PAGE,
        ...(cursor === null ? {} : { cursor }),
      });
      yield* page.documents;
      cursor = page.next;
    } while (cursor !== null);
  }
}

/** The longest of which the step is made. */
function spanOf(step: CountStep): Span {
  const spans = Object.keys(SPANS).map((span) => Number(span) as Span);
  return spans.findLast((span) => step % span === 0)!;
}

/** `60 2026-11-21T12:34`: what is cut off is 0. */
function timeIn(id: string): number {
  const time = id.slice(id.indexOf(' ') + 1);
  return Date.parse(`${time}${'YYYY-MM-DDT00:00:00.000Z'.slice(time.length)}`);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function countOf(time: string, sum: ReadonlyMap<string, number>): JobCount {
  const of = (field: string): number => sum.get(field) ?? 0;
  const errors = [...sum]
    .filter(([field]) => field.startsWith(ERROR_FIELD))
    .map(([field, jobs]) => ({ error_code: field.slice(ERROR_FIELD.length) || null, jobs }))
    .sort((a, b) => b.jobs - a.jobs || ((a.error_code ?? '') < (b.error_code ?? '') ? -1 : 1));
  return {
    time,
    begun: of('begun'),
    completed: of('completed'),
    blocked: of('blocked'),
    failed: of('failed'),
    errors,
    duration_ms: durationOf(of),
  };
}

function durationOf(of: (field: string) => number): JobCount['duration_ms'] {
  const counts = [...DURATION_BOUNDS, 'more'].map((bound) => of(`${DURATION_FIELD}${bound}`));
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  return { mean: of(DURATION_SUM) / all, median: quantile(counts, all * 0.5), p95: quantile(counts, all * 0.95) };
}

/** As if those between two bounds lay evenly between them; of those beyond the last, the last. */
function quantile(counts: readonly number[], rank: number): number {
  let below = 0;
  for (const [i, bound] of DURATION_BOUNDS.entries()) {
    const count = counts[i]!;
    const from = DURATION_BOUNDS[i - 1] ?? 0;
    if (count > 0 && below + count >= rank) return from + ((bound - from) * (rank - below)) / count;
    below += count;
  }
  return DURATION_BOUNDS.at(-1)!;
}
