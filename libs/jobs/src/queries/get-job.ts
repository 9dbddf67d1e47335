import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { JobResult } from '../domain/job-result.js';
import { redactedResult } from '../domain/redacted-result.js';
import { JobDesk } from '../job-desk.js';
import { jobNotFound, sightOf } from './job-access.js';

export interface FoundJob {
  readonly result: JobResult;
  /** Number of events of the job: its ETag. */
  readonly version: number;
}

/** One job as its stream tells it: one reads one's own writes. */
export class GetJob extends Query<FoundJob> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
  ) {
    super();
  }
}

@QueryHandler(GetJob)
export class GetJobHandler implements IQueryHandler<GetJob> {
  constructor(private readonly desk: JobDesk) {}

  async execute({ ctx, jobId }: GetJob): Promise<FoundJob> {
    const job = await this.desk.load(jobId);
    if (!job) throw jobNotFound(jobId);
    const sight = sightOf(job.events[0]!.data['user_id'], jobId, ctx);
    const result = sight === 'owner' ? job.result : redactedResult(job.result);
    return { result, version: job.history.head.version };
  }
}
