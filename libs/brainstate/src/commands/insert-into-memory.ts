import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { BrainStates, type InsertRequest } from '../brain-states.js';

/** Records what a later tick may take into working memory; gives the id of its event. */
export class InsertIntoMemory extends Command<string> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: InsertRequest,
  ) {
    super();
  }
}

@CommandHandler(InsertIntoMemory)
export class InsertIntoMemoryHandler implements ICommandHandler<InsertIntoMemory> {
  constructor(private readonly states: BrainStates) {}

  execute({ ctx, request }: InsertIntoMemory): Promise<string> {
    return this.states.insert(ctx, request);
  }
}
