import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ReplayDoor } from '../replay-door.js';
import { ReplayViews } from '../replay-views.js';
import { type FoundReplay, Replays } from '../replays.js';

/** The recorded result of a replay. */
export class GetReplay extends Query<FoundReplay> {
  constructor(
    readonly ctx: CommandContext,
    readonly replayId: string,
    /** For an auditor or admin: with what was said. */
    readonly unredacted?: boolean,
  ) {
    super();
  }
}

@QueryHandler(GetReplay)
export class GetReplayHandler implements IQueryHandler<GetReplay> {
  constructor(
    private readonly replays: Replays,
    private readonly views: ReplayViews,
    private readonly door: ReplayDoor,
  ) {}

  async execute({ ctx, replayId, unredacted }: GetReplay): Promise<FoundReplay> {
    this.door.refuseUnredacted(ctx, unredacted);
    const { result, revision } = await this.replays.read(replayId);
    return { result: await this.views.of(result, ctx, unredacted), revision };
  }
}
