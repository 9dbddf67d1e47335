import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { DirectWrites, type DirectDelete, type SemAnswer } from '../direct-writes.js';

/** Deletes what stands under a key; an elevated admin's alone. */
export class DeleteValue extends Command<SemAnswer> {
  constructor(
    readonly ctx: CommandContext,
    readonly request: DirectDelete,
  ) {
    super();
  }
}

@CommandHandler(DeleteValue)
export class DeleteValueHandler implements ICommandHandler<DeleteValue> {
  constructor(private readonly writes: DirectWrites) {}

  execute({ ctx, request }: DeleteValue): Promise<SemAnswer> {
    return this.writes.delete(ctx, request);
  }
}
