import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { DiffHistoryHandler } from './queries/diff-history.js';

/** Handlers of history; the HistoryDiff they stand on comes from the application. */
@Module({ imports: [CqrsModule], providers: [DiffHistoryHandler] })
export class HistoryModule {}
