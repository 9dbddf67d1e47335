import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { JobReviews, type ReviewAsked } from '../job-reviews.js';

/** The owner of a job wants people to review it. */
export class AskForReview extends Command<ReviewAsked> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    readonly comment: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(AskForReview)
export class AskForReviewHandler implements ICommandHandler<AskForReview> {
  constructor(private readonly reviews: JobReviews) {}

  execute({ ctx, jobId, comment }: AskForReview): Promise<ReviewAsked> {
    return this.reviews.ask(jobId, comment, ctx);
  }
}
