import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';

import { ReplayDoor } from '../replay-door.js';
import { type ReplayView, ReplayViews } from '../replay-views.js';
import { Replays } from '../replays.js';

/** A replay with the revision of its newest event: its ETag. */
export interface ShownReplay {
  readonly view: ReplayView;
  readonly revision: number;
}

/** The recorded result of a replay. */
export class GetReplay extends Query<ShownReplay> {
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

  async execute({ ctx, replayId, unredacted }: GetReplay): Promise<ShownReplay> {
    this.door.refuseUnredacted(ctx, unredacted);
    const { result, revision } = await this.replays.read(replayId);
    return { view: await this.views.of(result, ctx, unredacted), revision };
  }
}
