import { Global, Module } from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { HistoryDiff, HistoryModule, tellersOn } from '#lib/history';

/** The log at two moments, told by what each library makes of its streams. */
@Global()
@Module({
  imports: [HistoryModule],
  providers: [
    {
      provide: HistoryDiff,
      inject: [EventLog, Snapshots],
      useFactory: (log: EventLog, snapshots: Snapshots) => new HistoryDiff(log, tellersOn(snapshots)),
    },
  ],
  exports: [HistoryDiff],
})
export class HistoryRuntimeModule {}
