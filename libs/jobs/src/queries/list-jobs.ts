import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type CommandContext, personOf } from '#lib/access';
import type { RowOfOld } from '#lib/projections';

import type { JobRow } from '../read-models/jobs.projection.js';
import { seesAllJobs } from './job-access.js';

/** Times are of the request: from one on and before the other, ISO 8601 in UTC. */
export interface JobFilter {
  readonly status?: JobRow['status'];
  readonly agent?: string;
  readonly error_code?: string;
  readonly replayable?: boolean;
  readonly from_time?: string;
  readonly to_time?: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface JobItem extends Omit<RowOfOld<JobRow>, 'asked'> {
  /** From the request to the end; null until then, and where the end says no time. */
  readonly duration_ms: number | null;
}

export interface JobPage {
  /** Fewer than the limit, also none, where many had to be looked at: the cursor goes on. */
  readonly items: readonly JobItem[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

/** The jobs read model, newest first. */
export abstract class JobList {
  abstract page(filter: JobFilter & { readonly userId: string | null }): Promise<JobPage>;
}

/** One's own jobs; everybody's for those who operate and audit. */
export class ListJobs extends Query<JobPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly filter: JobFilter,
  ) {
    super();
  }
}

@QueryHandler(ListJobs)
export class ListJobsHandler implements IQueryHandler<ListJobs> {
  constructor(private readonly list: JobList) {}

  execute({ ctx, filter }: ListJobs): Promise<JobPage> {
    return this.list.page({ ...filter, userId: seesAllJobs(ctx) ? null : personOf(ctx.principal) });
  }
}
