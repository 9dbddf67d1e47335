import { Global, Module } from '@nestjs/common';

import {
  BrainStates,
  BrainStateModule,
  BrainStateSnapshots,
  ProjectedSignedEvents,
  tickEventsProjection,
} from '#lib/brainstate';
import { EventLog } from '#lib/event-store';
import { Snapshots, type SnapshotSet } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { EFFECTIVE_SNAPSHOTS } from '../jobs/snapshots.js';
import { READ_STORE } from '../platform.tokens.js';

/** BrainState on the platform. */
@Global()
@Module({
  imports: [BrainStateModule],
  providers: [
    {
      provide: BrainStateSnapshots,
      inject: [EventLog, Snapshots, EFFECTIVE_SNAPSHOTS],
      useFactory: (log: EventLog, snapshots: Snapshots, current: SnapshotSet) =>
        new BrainStateSnapshots(log, snapshots, () => current.brainstate.body),
    },
    {
      provide: BrainStates,
      inject: [EventLog, KeyRing, BrainStateSnapshots, READ_STORE, ProjectionHost],
      useFactory: (
        log: EventLog,
        ring: KeyRing,
        snapshots: BrainStateSnapshots,
        documents: ReadStore,
        host: ProjectionHost,
      ) => {
        const places = new ReadModel(documents, tickEventsProjection);
        return new BrainStates(log, ring, snapshots, new ProjectedSignedEvents(places, host, log));
      },
    },
  ],
  exports: [BrainStates, BrainStateSnapshots],
})
export class BrainStateRuntimeModule {}
