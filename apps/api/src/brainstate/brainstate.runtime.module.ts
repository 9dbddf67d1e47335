import { Global, Module } from '@nestjs/common';

import {
  BrainStateList,
  BrainStateModule,
  brainstateProjection,
  BrainStates,
  BrainStateSnapshots,
  BrainStateTicks,
  PlacedSignedEvents,
} from '#lib/brainstate';
import { EventLog } from '#lib/event-store';
import { Snapshots, type SnapshotSet } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { ReadModel } from '#lib/projections';
import { ProofLog } from '#lib/proof';
import type { ReadStore } from '#lib/read-store';

import type { Logger } from '../edge/log.js';
import { EFFECTIVE_SNAPSHOTS } from '../jobs/snapshots.js';
import { LOGGER, READ_STORE } from '../platform.tokens.js';

/** BrainState on the platform. */
@Global()
@Module({
  imports: [BrainStateModule],
  providers: [
    {
      provide: BrainStateSnapshots,
      inject: [EventLog, Snapshots, EFFECTIVE_SNAPSHOTS, LOGGER],
      useFactory: (log: EventLog, snapshots: Snapshots, current: SnapshotSet, logger: Logger) =>
        new BrainStateSnapshots(
          log,
          snapshots,
          () => current.brainstate.body,
          (snapshot_id, constants) =>
            logger.warn({ snapshot_id, constants }, 'a BrainState snapshot lacks constants: defaults stand for them'),
        ),
    },
    {
      provide: BrainStates,
      inject: [EventLog, KeyRing, BrainStateSnapshots, ProofLog],
      useFactory: (log: EventLog, ring: KeyRing, snapshots: BrainStateSnapshots, proofs: ProofLog) =>
        new BrainStates(log, ring, snapshots, new PlacedSignedEvents(proofs, log)),
    },
    {
      provide: BrainStateTicks,
      inject: [EventLog, BrainStateSnapshots],
      useFactory: (log: EventLog, snapshots: BrainStateSnapshots) => new BrainStateTicks(log, snapshots),
    },
    {
      provide: BrainStateList,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new BrainStateList(new ReadModel(documents, brainstateProjection)),
    },
  ],
  exports: [BrainStateList, BrainStateTicks, BrainStates, BrainStateSnapshots],
})
export class BrainStateRuntimeModule {}
