import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { Modules } from '../modules.js';
import type { Pending } from '../ports.js';

/** Asks the council to quarantine a module. */
export class QuarantineModule extends Command<Pending> {
  constructor(
    readonly ctx: CommandContext,
    readonly nodeId: string,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(QuarantineModule)
export class QuarantineModuleHandler implements ICommandHandler<QuarantineModule> {
  constructor(private readonly modules: Modules) {}

  execute({ ctx, nodeId, reason }: QuarantineModule): Promise<Pending> {
    return this.modules.proposeQuarantine(ctx, nodeId, reason);
  }
}
