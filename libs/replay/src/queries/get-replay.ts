import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';

import type { ReplayResult } from '../domain/replay.events.js';
import { Replays } from '../replays.js';

/** The recorded result of a replay. */
export class GetReplay extends Query<ReplayResult> {
  constructor(readonly replayId: string) {
    super();
  }
}

@QueryHandler(GetReplay)
export class GetReplayHandler implements IQueryHandler<GetReplay> {
  constructor(private readonly replays: Replays) {}

  execute({ replayId }: GetReplay): Promise<ReplayResult> {
    return this.replays.read(replayId);
  }
}
