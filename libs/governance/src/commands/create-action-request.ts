import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { Proposals } from '../proposals.js';
import type { RequestView } from '../request-view.js';

/** What somebody asks for, in their own name. */
export interface RequestedAction {
  readonly payload: JsonObject;
  readonly justification: string;
  readonly evidence?: readonly string[];
}

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
    const { seed: jobSeed, actor, traceId, requestDigest, now } = ctx;
    return this.proposals.propose({
      ...requested,
      provenance: { jobSeed, sequenceIndex: 0, actor, traceId, requestDigest },
      now,
    });
  }
}
