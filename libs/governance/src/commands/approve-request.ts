import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ActionRequests, type Say } from '../action-requests.js';
import type { RequestView } from '../request-view.js';

/** One admin's approval of a request of the low class; or the second signature of an emergency. */
export class ApproveRequest extends Command<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly requestId: string,
    readonly say: Say,
  ) {
    super();
  }
}

@CommandHandler(ApproveRequest)
export class ApproveRequestHandler implements ICommandHandler<ApproveRequest> {
  constructor(private readonly requests: ActionRequests) {}

  execute({ ctx, requestId, say }: ApproveRequest): Promise<RequestView> {
    return this.requests.approve(ctx, requestId, say);
  }
}
