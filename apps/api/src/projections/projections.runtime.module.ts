import { join } from 'node:path';

import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';

import { EventCodec, EventLog, type EventStore } from '#lib/event-store';
import { actionRequestsProjection, haltsProjection } from '#lib/governance';
import { incidentsProjection } from '#lib/incidents';
import { jobsProjection, unreplayableProjection } from '#lib/jobs';
import { semProjection } from '#lib/memory';
import {
  newLease,
  type Projection,
  ProjectionHost,
  ProjectionRecord,
  Rebuilds,
  type RunnerStatus,
} from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { replaysProjection } from '#lib/replay';
import { selfrepProjection } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import type { Config } from '../platform.config.js';
import { CONFIG, EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
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
        { projectionLeaseMs }: Config,
      ): ProjectionHost => {
        const host = new ProjectionHost({
          projections: PROJECTIONS,
          events,
          documents,
          decode: (recorded) => codec.decode(recorded),
          record,
          ...(projectionLeaseMs === undefined ? {} : { lease: newLease(projectionLeaseMs) }),
          onChange: changeLog(logger),
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
  ],
  exports: [ProjectionHost, Rebuilds, Reruns],
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

/** One line where a projection halts, stops or meets a fault, and one where it is well again. */
function changeLog(logger: Logger): (projection: string, status: RunnerStatus) => void {
  const unwell = new Set<string>();
  return (projection, { state, position, error }) => {
    if (error) {
      unwell.add(projection);
      const event = error.kind === 'poison' ? { event_id: error.event_id } : {};
      const facts = { projection, state, position, kind: error.kind, ...event, ...reasonOf(error.message) };
      logger.error(
        facts,
        error.kind === 'fault' ? 'a projection has a fault and is tried again' : 'a projection ended',
      );
    } else if (unwell.delete(projection)) logger.info({ projection, state, position }, 'a projection goes on again');
  };
}

function reasonOf(message: string): { readonly reason: string } {
  return { reason: faultShape(new Error(message)).reason };
}
