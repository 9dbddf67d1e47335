import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { BrainStates } from '../brain-states.js';
import type { BrainStateView } from '../brainstate-view.js';

/** Advances a BrainState by one step on signed events. */
export class TickBrainState extends Command<BrainStateView> {
  constructor(
    readonly ctx: CommandContext,
    readonly snapshotId: string,
    readonly eventIds: readonly string[],
  ) {
    super();
  }
}

@CommandHandler(TickBrainState)
export class TickBrainStateHandler implements ICommandHandler<TickBrainState> {
  constructor(private readonly states: BrainStates) {}

  execute({ ctx, snapshotId, eventIds }: TickBrainState): Promise<BrainStateView> {
    return this.states.tick(ctx, snapshotId, eventIds);
  }
}
