import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { explain, type Explanation, explanationText } from '../domain/explanation.js';
import { JobDesk } from '../job-desk.js';
import { identified } from '../job-store.js';
import { jobNotFound, sightOf } from './job-access.js';

export interface ExplainedJob extends Explanation {
  /** The same, as lines for a person. */
  readonly text: readonly string[];
}

/** Why a job was decided as it was; for its owner, because it quotes what was said. */
export class ExplainJob extends Query<ExplainedJob> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
  ) {
    super();
  }
}

@QueryHandler(ExplainJob)
export class ExplainJobHandler implements IQueryHandler<ExplainJob> {
  constructor(private readonly desk: JobDesk) {}

  async execute({ ctx, jobId }: ExplainJob): Promise<ExplainedJob> {
    const job = await this.desk.load(jobId);
    if (!job || sightOf(job.events[0]!.data['user_id'], jobId, ctx) !== 'owner') throw jobNotFound(jobId);
    const explanation = explain(identified(job), job.result);
    return { ...explanation, text: explanationText(explanation) };
  }
}
