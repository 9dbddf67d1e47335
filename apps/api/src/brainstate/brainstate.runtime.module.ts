import { Global, Module } from '@nestjs/common';

import { BrainStates, BrainStateModule, BrainStateSnapshots, PlacedSignedEvents } from '#lib/brainstate';
import { EventLog } from '#lib/event-store';
import { Snapshots, type SnapshotSet } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { ProofLog } from '#lib/proof';

import { EFFECTIVE_SNAPSHOTS } from '../jobs/snapshots.js';

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
      inject: [EventLog, KeyRing, BrainStateSnapshots, ProofLog],
      useFactory: (log: EventLog, ring: KeyRing, snapshots: BrainStateSnapshots, proofs: ProofLog) =>
        new BrainStates(log, ring, snapshots, new PlacedSignedEvents(proofs, log)),
    },
  ],
  exports: [BrainStates, BrainStateSnapshots],
})
export class BrainStateRuntimeModule {}
