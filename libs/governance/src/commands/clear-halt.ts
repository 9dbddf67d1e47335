import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { HaltClearing } from '../halt-clearing.js';
import type { RequestView } from '../request-view.js';

/** An admin's verification of a halted snapshot, and the wish that the council clears it. */
export class ClearHalt extends Command<RequestView> {
  constructor(
    readonly ctx: CommandContext,
    readonly snapshotId: string,
    readonly justification?: string,
  ) {
    super();
  }
}

@CommandHandler(ClearHalt)
export class ClearHaltHandler implements ICommandHandler<ClearHalt> {
  constructor(private readonly clearing: HaltClearing) {}

  execute({ ctx, snapshotId, justification }: ClearHalt): Promise<RequestView> {
    return this.clearing.request(ctx, snapshotId, justification);
  }
}
