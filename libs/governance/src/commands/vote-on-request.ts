import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ActionRequests, type Say } from '../action-requests.js';
import type { Ballot } from '../domain/action-requests.events.js';
import type { RequestView } from '../request-view.js';

/** A person's vote on a request (a GovernanceVote; the answer council's votes are something else). */
export class VoteOnRequest extends Command<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly requestId: string,
    readonly vote: Ballot,
    readonly say: Say,
  ) {
    super();
  }
}

@CommandHandler(VoteOnRequest)
export class VoteOnRequestHandler implements ICommandHandler<VoteOnRequest> {
  constructor(private readonly requests: ActionRequests) {}

  execute({ ctx, requestId, vote, say }: VoteOnRequest): Promise<RequestView> {
    return this.requests.vote(ctx, requestId, vote, say);
  }
}
