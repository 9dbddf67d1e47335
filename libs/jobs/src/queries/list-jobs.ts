import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import { type CommandContext, personOf } from '#lib/access';
import type { RowOfOld } from '#lib/projections';

import type { JobRow } from '../read-models/jobs.projection.js';
import { seesAllJobs } from './job-access.js';

export interface JobPage {
  readonly items: readonly RowOfOld<JobRow>[];
  readonly next_cursor: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

/** The jobs read model, newest first. */
export abstract class JobList {
  abstract page(options: { userId: string | null; limit: number; cursor: string | undefined }): Promise<JobPage>;
}

/** One's own jobs; everybody's for those who operate and audit. */
export class ListJobs extends Query<JobPage> {
  constructor(
    readonly ctx: CommandContext,
    readonly limit: number,
    readonly cursor: string | undefined,
  ) {
    super();
  }
}

@QueryHandler(ListJobs)
export class ListJobsHandler implements IQueryHandler<ListJobs> {
  constructor(private readonly list: JobList) {}

  execute({ ctx, limit, cursor }: ListJobs): Promise<JobPage> {
    return this.list.page({ userId: seesAllJobs(ctx) ? null : personOf(ctx.principal), limit, cursor });
  }
}
