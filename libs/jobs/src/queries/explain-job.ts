import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import { Snapshots } from '#lib/governance';
import { MaceError } from '#lib/kernel';

import { explanationText } from '../domain/explanation-text.js';
import { explain, type Explanation } from '../domain/explanation.js';
import { readable } from '../domain/readable.js';
import { redactedEvents } from '../domain/redacted-events.js';
import { redactedResult } from '../domain/redacted-result.js';
import type { JobLimits } from '../engine/input.js';
import { JobDesk } from '../job-desk.js';
import { identified } from '../job-store.js';
import { ReflectiveLogs } from '../reflective-logs.js';
import { jobNotFound } from './job-access.js';

export interface ExplainedJob extends Explanation {
  /** The same, as lines for a person. */
  readonly text: readonly string[];
}

/** Why a job was decided as it was; for its owner, and without what was said for those who operate and audit. */
export class ExplainJob extends Query<ExplainedJob> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(ExplainJob)
export class ExplainJobHandler implements IQueryHandler<ExplainJob> {
  constructor(
    private readonly desk: JobDesk,
    private readonly logs: ReflectiveLogs,
    private readonly snapshots: Snapshots,
  ) {}

  /** @throws MaceError NOT_FOUND (also for what is another's) */
  async execute({ ctx, jobId, unredacted }: ExplainJob): Promise<ExplainedJob> {
    await this.desk.refuseOthers(jobId, ctx);
    const job = await this.desk.read(jobId);
    if (!job) throw jobNotFound(jobId);
    const isOwner = (await this.desk.sightOf(job, jobId, ctx, unredacted)) === 'owner';
    const plain = readable(identified(job));
    const events = isOwner ? plain : redactedEvents(plain);
    const { review } = await this.logs.reviewed(job.result.log_id, isOwner);
    const explanation = explain(
      events,
      isOwner ? job.result : redactedResult(job.result),
      review,
      await this.scoreThreshold(job.result.snapshots['governance']),
    );
    return { ...explanation, text: explanationText(explanation, events) };
  }

  /** What a job was decided by is told also where a snapshot is gone; its replay says so. */
  private async scoreThreshold(snapshotId: string | undefined): Promise<number | null> {
    if (snapshotId === undefined) return null;
    try {
      return ((await this.snapshots.load(snapshotId)).body as unknown as JobLimits).credential_threshold;
    } catch (error) {
      if (error instanceof MaceError) return null;
      throw error;
    }
  }
}
