import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import type { ReplayResult } from '../domain/replay.events.js';
import { Replays } from '../replays.js';

/** Goes on past the difference at which a replay stopped. */
export class ForceContinueReplay extends Command<ReplayResult> {
  constructor(
    readonly ctx: CommandContext,
    readonly replayId: string,
  ) {
    super();
  }
}

@CommandHandler(ForceContinueReplay)
export class ForceContinueReplayHandler implements ICommandHandler<ForceContinueReplay> {
  constructor(private readonly replays: Replays) {}

  execute({ ctx, replayId }: ForceContinueReplay): Promise<ReplayResult> {
    return this.replays.forceContinue(replayId, ctx);
  }
}
