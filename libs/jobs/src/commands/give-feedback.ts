import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { ReflectiveLogs } from '../reflective-logs.js';

/** What the owner of a job thinks of its answer. */
export class GiveFeedback extends Command<JsonObject> {
  constructor(
    readonly ctx: CommandContext,
    readonly jobId: string,
    readonly upvote: boolean,
    readonly comment: string | undefined,
  ) {
    super();
  }
}

@CommandHandler(GiveFeedback)
export class GiveFeedbackHandler implements ICommandHandler<GiveFeedback> {
  constructor(private readonly logs: ReflectiveLogs) {}

  execute({ ctx, jobId, upvote, comment }: GiveFeedback): Promise<JsonObject> {
    return this.logs.feedback(jobId, upvote, comment, ctx);
  }
}
