import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ActionRequests, type Say } from '../action-requests.js';
import { refuseEmergency } from '../domain/action-kinds.js';
import { orderOf, Proposals, type RequestedAction } from '../proposals.js';
import type { RequestView } from '../request-view.js';

/** An emergency about a request that is there, or about one that begins with it. */
export type Emergency =
  { readonly requestId: string; readonly say: Say } | { readonly requested: RequestedAction; readonly reason?: string };

/** One signature of an emergency: a superadmin's and an admin's make it happen. */
export class SignOverride extends Command<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly emergency: Emergency,
  ) {
    super();
  }
}

@CommandHandler(SignOverride)
export class SignOverrideHandler implements ICommandHandler<SignOverride> {
  constructor(
    private readonly proposals: Proposals,
    private readonly requests: ActionRequests,
  ) {}

  async execute({ ctx, emergency }: SignOverride): Promise<RequestView> {
    if ('requestId' in emergency) return this.requests.sign(ctx, emergency.requestId, emergency.say);
    // Before the request is made: a refused emergency leaves nothing to vote on.
    const { action } = emergency.requested.payload;
    if (typeof action === 'string') refuseEmergency(action);
    const { request_id, proposal_digest } = await this.proposals.propose(orderOf(ctx, emergency.requested));
    const { reason } = emergency;
    return this.requests.sign(ctx, request_id, { proposal_digest, ...(reason === undefined ? {} : { reason }) }, 1);
  }
}
