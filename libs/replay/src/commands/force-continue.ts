import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ReplayDoor } from '../replay-door.js';
import { type ReplayView, ReplayViews } from '../replay-views.js';
import { Replays } from '../replays.js';

/** Goes on past the difference at which a replay stopped. */
export class ForceContinueReplay extends Command<ReplayView> {
  constructor(
    readonly ctx: CommandContext,
    readonly replayId: string,
    /** With what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@CommandHandler(ForceContinueReplay)
export class ForceContinueReplayHandler implements ICommandHandler<ForceContinueReplay> {
  constructor(
    private readonly replays: Replays,
    private readonly views: ReplayViews,
    private readonly door: ReplayDoor,
  ) {}

  async execute({ ctx, replayId, unredacted }: ForceContinueReplay): Promise<ReplayView> {
    this.door.refuseUnredacted(ctx, unredacted);
    return this.views.of(await this.replays.forceContinue(replayId, ctx), ctx, unredacted);
  }
}
