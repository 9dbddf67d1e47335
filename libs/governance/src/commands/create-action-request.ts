import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { orderOf, Proposals, type RequestedAction } from '../proposals.js';
import type { RequestView } from '../request-view.js';

/** Asks for a governed action. */
export class CreateActionRequest extends Command<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly requested: RequestedAction,
  ) {
    super();
  }
}

@CommandHandler(CreateActionRequest)
export class CreateActionRequestHandler implements ICommandHandler<CreateActionRequest> {
  constructor(private readonly proposals: Proposals) {}

  execute({ ctx, requested }: CreateActionRequest): Promise<RequestView> {
    return this.proposals.propose(orderOf(ctx, requested));
  }
}
