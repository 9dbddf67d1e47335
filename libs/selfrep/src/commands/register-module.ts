import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { ModuleRequest } from '../domain/registration.js';
import { type FoundModule, Modules } from '../modules.js';
import type { Pending } from '../ports.js';

/** Registers a module; one that may write to memory waits for the council. */
export class RegisterModule extends Command<FoundModule | Pending> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: ModuleRequest,
  ) {
    super();
  }
}

@CommandHandler(RegisterModule)
export class RegisterModuleHandler implements ICommandHandler<RegisterModule> {
  constructor(private readonly modules: Modules) {}

  execute({ ctx, request }: RegisterModule): Promise<FoundModule | Pending> {
    return this.modules.register(ctx, request);
  }
}
