import { Global, Inject, Module, type OnModuleInit } from '@nestjs/common';

import {
  BrainStates,
  BrainStateModule,
  BrainStateSnapshots,
  ProjectedSignedEvents,
  resolveConstants,
  tickEventsProjection,
} from '#lib/brainstate';
import { EventLog } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { KeyRing } from '#lib/kernel';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { configFile } from '../configuration-files.js';
import type { Logger } from '../edge/log.js';
import { LOGGER, READ_STORE } from '../platform.tokens.js';

/** BrainState on the platform. */
@Global()
@Module({
  imports: [BrainStateModule],
  providers: [
    {
      provide: BrainStateSnapshots,
      inject: [EventLog, Snapshots],
      useFactory: (log: EventLog, snapshots: Snapshots) =>
        new BrainStateSnapshots(log, snapshots, configFile('brainstate')),
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
export class BrainStateRuntimeModule implements OnModuleInit {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** For operators only: what is missing has a documented default, and changes no decision. */
  onModuleInit(): void {
    for (const warning of resolveConstants(configFile('brainstate')).warnings)
      this.logger.warn({ ...warning }, 'config/brainstate.json: a constant has its default');
  }
}
