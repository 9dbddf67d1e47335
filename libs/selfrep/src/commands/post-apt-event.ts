import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { Modules, type TrustAnswer } from '../modules.js';
import type { Pending } from '../ports.js';

/** Says something of a module that may move its trust; an override waits for the council. */
export class PostAptEvent extends Command<TrustAnswer | Pending> {
  constructor(
    readonly ctx: CommandContext,
    readonly nodeId: string,
    readonly eventType: string,
    readonly payload: JsonObject,
  ) {
    super();
  }
}

@CommandHandler(PostAptEvent)
export class PostAptEventHandler implements ICommandHandler<PostAptEvent> {
  constructor(private readonly modules: Modules) {}

  execute({ ctx, nodeId, eventType, payload }: PostAptEvent): Promise<TrustAnswer | Pending> {
    return this.modules.post(ctx, nodeId, eventType, payload);
  }
}
