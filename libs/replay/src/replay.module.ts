import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { RequestReplayHandler } from './commands/request-replay.js';
import { GetReplayHandler } from './queries/get-replay.js';

/** Handlers of replay; what they stand on comes from the platform. */
@Module({ imports: [CqrsModule], providers: [RequestReplayHandler, GetReplayHandler] })
export class ReplayModule {}
