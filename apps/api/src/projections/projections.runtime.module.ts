import { join } from 'node:path';

import { Module, type DynamicModule, type OnModuleDestroy } from '@nestjs/common';

import { auditProjection } from '#lib/audit';
import { brainstateProjection } from '#lib/brainstate';
import { dsrProjection } from '#lib/dsr';
import { EventLog, type EventStore } from '#lib/event-store';
import { actionRequestsProjection, haltsProjection } from '#lib/governance';
import { incidentsProjection } from '#lib/incidents';
import { jobCountsProjection, jobsProjection, unreplayableProjection } from '#lib/jobs';
import { semProjection } from '#lib/memory';
import { movedPositions } from '#lib/migration';
import { negotiationsProjection } from '#lib/negotiation';
import {
  Parking,
  type Projection,
  ProjectionHost,
  ProjectionRecord,
  Rebuilds,
  RerunRecord,
  Reruns,
  workUnderWay,
} from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { replaysProjection } from '#lib/replay';
import { selfrepProjection } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import { hostedBy, type Hosting } from '../hosting.js';
import type { Config } from '../platform.config.js';
import { CONFIG, EVENT_STORE, HOSTING, LOGGER, READ_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';
import { ChangeLog } from './change-log.js';

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
  negotiationsProjection,
  dsrProjection,
  brainstateProjection,
  auditProjection,
  jobCountsProjection,
];

/** Runs the projections while the process runs. */
@Module({
  providers: [
    { provide: ProjectionRecord, inject: [EventLog], useFactory: recordOf },
    {
      provide: ProjectionHost,
      inject: [EVENT_STORE, READ_STORE, SignedEvents, RunningParts, LOGGER, ProjectionRecord, CONFIG, HOSTING],
      useFactory: (
        events: EventStore,
        documents: ReadStore,
        signed: SignedEvents,
        running: RunningParts,
        logger: Logger,
        record: ProjectionRecord,
        { projectionPoison }: Config,
        hosting: Hosting,
      ): ProjectionHost => {
        const changes = new ChangeLog(logger);
        const host = new ProjectionHost({
          projections: PROJECTIONS,
          events,
          documents,
          decode: signed.decode,
          record,
          ...hostedBy(hosting),
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
      inject: [EventLog, READ_STORE, SignedEvents, CONFIG, HOSTING, LOGGER],
      useFactory: rerunsOf,
    },
    {
      provide: Rebuilds,
      inject: [EVENT_STORE, READ_STORE, ProjectionRecord, ProjectionHost],
      useFactory: (events: EventStore, documents: ReadStore, record: ProjectionRecord, host: ProjectionHost) =>
        new Rebuilds({ projections: PROJECTIONS, events, documents, record, host }),
    },
    {
      provide: Parking,
      inject: [EVENT_STORE, READ_STORE, SignedEvents, ProjectionRecord, ProjectionHost],
      useFactory: (
        events: EventStore,
        documents: ReadStore,
        signed: SignedEvents,
        record: ProjectionRecord,
        host: ProjectionHost,
      ) =>
        new Parking({
          projections: PROJECTIONS,
          events,
          documents,
          decode: signed.decode,
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

function rerunsOf(
  log: EventLog,
  documents: ReadStore,
  { decode }: SignedEvents,
  { dataDir }: Config,
  { lease }: Hosting,
  logger: Logger,
): Reruns {
  const onTrouble = (error: unknown): void => logger.error(faultShape(error), 'a rerun of a projection met a fault');
  return new Reruns({
    projections: PROJECTIONS,
    events: log.store,
    documents,
    decode,
    record: new RerunRecord(log),
    underWay: workUnderWay(documents, 'projection-reruns', lease, onTrouble),
    scratchRoot: join(dataDir, 'scratch'),
    onTrouble,
  });
}

/** A log that was moved names events by positions of the store where it lay. */
function recordOf(log: EventLog): ProjectionRecord {
  return new ProjectionRecord(log, () => movedPositions(log));
}
