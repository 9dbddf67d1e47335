import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { JobResult } from '../domain/job-result.js';
import { redactedResult } from '../domain/redacted-result.js';
import type { Review } from '../domain/review.js';
import { JobDesk } from '../job-desk.js';
import { ReflectiveLogs } from '../reflective-logs.js';
import { jobNotFound } from './job-access.js';

/** A job's result, and what people ruled on it since. */
export interface ReviewedResult extends JobResult {
  readonly review?: Review;
}

export interface FoundJob {
  readonly result: ReviewedResult;
  /** Number of events of the job and beside its log: its ETag. */
  readonly version: number;
}

/** One job as its stream tells it: one reads one's own writes. */
export class GetJob extends Query<FoundJob> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(GetJob)
export class GetJobHandler implements IQueryHandler<GetJob> {
  constructor(
    private readonly desk: JobDesk,
    private readonly logs: ReflectiveLogs,
  ) {}

  async execute({ ctx, jobId, unredacted }: GetJob): Promise<FoundJob> {
    await this.desk.refuseOthers(jobId, ctx);
    const job = await this.desk.read(jobId);
    if (!job) throw jobNotFound(jobId);
    const isOwner = (await this.desk.sightOf(job, jobId, ctx, unredacted)) === 'owner';
    const { log_id } = job.result;
    const result = isOwner ? job.result : redactedResult(job.result);
    const { review, count } = await this.logs.reviewed(log_id, isOwner);
    return { result: review ? { ...result, review } : result, version: job.history.head.version + count };
  }
}
