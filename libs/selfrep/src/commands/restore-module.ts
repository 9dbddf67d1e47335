import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { type FoundModule, Modules } from '../modules.js';

/** Takes an offline module back into service, degraded. */
export class RestoreModule extends Command<FoundModule> {
  constructor(
    readonly ctx: CommandContext,
    readonly nodeId: string,
    readonly reason?: string,
  ) {
    super();
  }
}

@CommandHandler(RestoreModule)
export class RestoreModuleHandler implements ICommandHandler<RestoreModule> {
  constructor(private readonly modules: Modules) {}

  execute({ ctx, nodeId, reason }: RestoreModule): Promise<FoundModule> {
    return this.modules.restore(ctx, nodeId, reason);
  }
}
