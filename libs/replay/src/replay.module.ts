import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { ForceContinueReplayHandler } from './commands/force-continue.js';
import { RequestReplayHandler } from './commands/request-replay.js';
import { GetReplayHandler } from './queries/get-replay.js';
import { ListReplaysHandler } from './queries/list-replays.js';

/** Handlers of replay; what they stand on comes from the platform. */
@Module({
  imports: [CqrsModule],
  providers: [RequestReplayHandler, ForceContinueReplayHandler, GetReplayHandler, ListReplaysHandler],
})
export class ReplayModule {}
