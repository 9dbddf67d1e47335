import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { CreateBrainStateSnapshotHandler } from './commands/create-snapshot.js';
import { InsertIntoMemoryHandler } from './commands/insert-into-memory.js';
import { TickBrainStateHandler } from './commands/tick-brainstate.js';
import { GetBrainStateHandler } from './queries/get-brainstate.js';
import { GetRoutingHintsHandler } from './queries/get-routing-hints.js';
import { ListBrainStatesHandler } from './queries/list-brainstates.js';
import { ListTicksHandler } from './queries/list-ticks.js';

/** Handlers of BrainState; what they stand on comes from the platform. */
@Module({
  imports: [CqrsModule],
  providers: [
    CreateBrainStateSnapshotHandler,
    InsertIntoMemoryHandler,
    TickBrainStateHandler,
    GetBrainStateHandler,
    GetRoutingHintsHandler,
    ListBrainStatesHandler,
    ListTicksHandler,
  ],
})
export class BrainStateModule {}
