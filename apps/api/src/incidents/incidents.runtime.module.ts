import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { EventLog, type EventStore } from '#lib/event-store';
import {
  IncidentList,
  incidentReaction,
  IncidentsModule,
  incidentsProjection,
  Outages,
  type ServiceFaults,
} from '#lib/incidents';
import { AccessTrail } from '#lib/memory';
import { ProjectionHost, Reactor, type ReactorFault, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { faultShape, type Logger } from '../edge/log.js';
import { personalDataIn } from '../jobs/query-screen.js';
import type { Platform } from '../platform.js';
import { EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';

const SERVICE_FAULTS = Symbol('SERVICE_FAULTS');

/** Opens incidents while the process runs, and for what happened while none did; watches the services it stands on. */
@Module({})
export class IncidentsRuntimeModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly reactor: Reactor,
    private readonly outages: Outages,
    @Inject(SERVICE_FAULTS) private readonly faults: ServiceFaults,
    running: RunningParts,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  static on(platform: Platform): DynamicModule {
    const { faults, readStore, spool } = platform;
    const incidents = IncidentsModule.register({ personalDataIn });
    return {
      module: IncidentsRuntimeModule,
      global: true,
      imports: [incidents],
      providers: [
        { provide: SERVICE_FAULTS, useValue: faults },
        {
          provide: IncidentList,
          inject: [ProjectionHost],
          useFactory: (host: ProjectionHost) =>
            new IncidentList(
              new ReadModel(readStore, incidentsProjection),
              () => host.runner(incidentsProjection.name).status.position ?? '0',
              spool,
            ),
        },
        {
          provide: Outages,
          inject: [EventLog, AccessTrail],
          useFactory: (events: EventLog, trail: AccessTrail) => outagesOf(platform, events, trail),
        },
        {
          provide: Reactor,
          inject: [EventLog, SignedEvents, EVENT_STORE, READ_STORE, LOGGER],
          useFactory: reactorOf,
        },
      ],
      exports: [IncidentList],
    };
  }

  /** Before the first request, so that what an earlier process left open is on record. */
  async onModuleInit(): Promise<void> {
    this.faults.follow(this.outages);
    await this.outages.start();
    this.reactor.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.reactor.stop();
    await this.outages.stop();
  }
}

function reactorOf(
  events: EventLog,
  signed: SignedEvents,
  store: EventStore,
  documents: ReadStore,
  logger: Logger,
): Reactor {
  const onFault = ({ reactor, event_id, attempts, error }: ReactorFault): void =>
    logger.warn({ ...faultShape(error), reactor, event_id, attempts }, 'a reaction failed and is tried again');
  const { open, tell: onTampered } = signed;
  return new Reactor(incidentReaction(events), { events: store, documents, open, onTampered, onFault });
}

function outagesOf(platform: Platform, log: EventLog, trail: AccessTrail): Outages {
  const { eventStore, readStore, spool, log: logger, wiring } = platform;
  const { outageIntervalMs, now } = wiring;
  return new Outages({
    log,
    spool,
    recover: () => trail.recover(),
    probes: { 'event-store': () => eventStore.head(), 'read-store': () => readStore.generations() },
    tell: (what, { service, outage_id, since, fault }) => {
      const facts = { service, outage_id, since, fault };
      if (service === 'cache') Object.assign(facts, { error_code: 'CACHE_ERROR' });
      if (what === 'up') logger.info(facts, 'a service is back');
      else if (what === 'down') logger.error(facts, 'a service is out of reach');
      else logger.fatal(facts, 'a service has been out of reach for more than five minutes');
    },
    onFault: (error) => logger.warn(faultShape(error), 'an outage could not be recorded yet and is tried again'),
    ...(outageIntervalMs === undefined ? {} : { intervalMs: outageIntervalMs }),
    ...(now === undefined ? {} : { now }),
  });
}
