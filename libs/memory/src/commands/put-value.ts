import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { DirectWrites, type DirectPut, type SemAnswer, type SemPending } from '../direct-writes.js';

/** Stores a value under a key, as the caller's own explicit write. */
export class PutValue extends Command<SemAnswer | SemPending> {
  constructor(
    readonly ctx: CommandContext,
    readonly put: DirectPut,
  ) {
    super();
  }
}

@CommandHandler(PutValue)
export class PutValueHandler implements ICommandHandler<PutValue> {
  constructor(private readonly writes: DirectWrites) {}

  execute({ ctx, put }: PutValue): Promise<SemAnswer | SemPending> {
    return this.writes.put(ctx, put);
  }
}
