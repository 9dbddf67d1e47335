import { join } from 'node:path';

import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';

import { EventCodec, EventLog, type EventStore } from '#lib/event-store';
import { actionRequestsProjection, haltsProjection } from '#lib/governance';
import { incidentsProjection } from '#lib/incidents';
import { jobsProjection, unreplayableProjection } from '#lib/jobs';
import { semProjection } from '#lib/memory';
import { newLease, Parking, type Projection, ProjectionHost, ProjectionRecord, Rebuilds } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { replaysProjection } from '#lib/replay';
import { selfrepProjection } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import type { Config } from '../platform.config.js';
import { CONFIG, EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { ChangeLog } from './change-log.js';
import { Reruns } from './reruns.js';

/** Every read model there is. */
export const PROJECTIONS: readonly Projection[] = [
  semProjection,
  jobsProjection,
  actionRequestsProjection,
  selfrepProjection,
  incidentsProjection,
  haltsProjection,
  unreplayableProjection,
  replaysProjection,
];

/** Runs the projections while the process runs. */
@Module({
  providers: [
    { provide: ProjectionRecord, inject: [EventLog], useFactory: (log: EventLog) => new ProjectionRecord(log) },
    {
      provide: ProjectionHost,
      inject: [EVENT_STORE, READ_STORE, EventCodec, RunningParts, LOGGER, ProjectionRecord, CONFIG],
      useFactory: (
        events: EventStore,
        documents: ReadStore,
        codec: EventCodec,
        running: RunningParts,
        logger: Logger,
        record: ProjectionRecord,
        { projectionLeaseMs, projectionPoison }: Config,
      ): ProjectionHost => {
        const changes = new ChangeLog(logger);
        const host = new ProjectionHost({
          projections: PROJECTIONS,
          events,
          documents,
          decode: (recorded) => codec.decode(recorded),
          record,
          ...(projectionLeaseMs === undefined ? {} : { lease: newLease(projectionLeaseMs) }),
          onPoison: projectionPoison,
          onChange: (projection, status) => changes.changed(projection, status),
          onParked: (event) => changes.parked(event),
          onRebuildFault: (projection, error) =>
            logger.error({ projection, ...faultShape(error) }, 'a rebuild met a fault and is tried again'),
        });
        running.add(() => host.stop());
        host.start();
        return host;
      },
    },
    {
      provide: Reruns,
      inject: [EVENT_STORE, READ_STORE, EventCodec, CONFIG],
      useFactory: (events: EventStore, documents: ReadStore, codec: EventCodec, { dataDir }: Config) =>
        new Reruns(
          PROJECTIONS,
          { events, documents, decode: (recorded) => codec.decode(recorded) },
          join(dataDir, 'scratch'),
        ),
    },
    {
      provide: Rebuilds,
      inject: [EVENT_STORE, READ_STORE, ProjectionRecord, ProjectionHost],
      useFactory: (events: EventStore, documents: ReadStore, record: ProjectionRecord, host: ProjectionHost) =>
        new Rebuilds({ projections: PROJECTIONS, events, documents, record, host }),
    },
    {
      provide: Parking,
      inject: [EVENT_STORE, READ_STORE, EventCodec, ProjectionRecord, ProjectionHost],
      useFactory: (
        events: EventStore,
        documents: ReadStore,
        codec: EventCodec,
        record: ProjectionRecord,
        host: ProjectionHost,
      ) =>
        new Parking({
          projections: PROJECTIONS,
          events,
          documents,
          decode: (recorded) => codec.decode(recorded),
          record,
          host,
        }),
    },
  ],
  exports: [ProjectionHost, Parking, Rebuilds, Reruns],
})
export class ProjectionsRuntimeModule implements OnModuleDestroy {
  constructor(
    private readonly host: ProjectionHost,
    private readonly reruns: Reruns,
  ) {}

  static global(): DynamicModule {
    return { module: ProjectionsRuntimeModule, global: true };
  }

  async onModuleDestroy(): Promise<void> {
    await this.reruns.stop();
    await this.host.stop();
  }
}
