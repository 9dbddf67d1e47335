import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { EventLog, StorageFullError } from '#lib/event-store';
import {
  IncidentList,
  incidentReaction,
  IncidentsModule,
  incidentsProjection,
  Outages,
  type ServiceFaults,
} from '#lib/incidents';
import { AccessTrail } from '#lib/memory';
import { Reactor, ReadModel } from '#lib/projections';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import { personalDataIn } from '../jobs/query-screen.js';
import type { Platform } from '../platform.js';
import { Reactors } from '../reactions/reactors.js';
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
          useFactory: () => new IncidentList(new ReadModel(readStore, incidentsProjection), spool),
        },
        {
          provide: Outages,
          inject: [EventLog, AccessTrail],
          useFactory: (events: EventLog, trail: AccessTrail) => outagesOf(platform, events, trail),
        },
        {
          provide: Reactor,
          inject: [EventLog, Reactors],
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

function reactorOf(events: EventLog, reactors: Reactors): Reactor {
  return reactors.of(incidentReaction(events), {
    fault: 'an incident could not be opened yet, and this is tried again',
    over: 'incidents are opened again',
  });
}

function outagesOf(platform: Platform, log: EventLog, trail: AccessTrail): Outages {
  const { eventStore, readStore, language, spool, room, revocations, log: logger, wiring } = platform;
  const { outageIntervalMs, engineProbeMs: everyMs, now } = wiring;
  return new Outages({
    log,
    spool,
    recover: async () => {
      await revocations.storeAgain();
      await trail.recover();
    },
    probes: {
      'event-store': () => eventStore.head(),
      'read-store': () => readStore.generations(),
      storage: async () => refuseFull(room.look()),
    },
    engine: language && {
      ask: (signal) => language.isInService(signal),
      ...(everyMs === undefined ? {} : { everyMs }),
    },
    tell: (what, { service, outage_id, since, fault }, reason) => {
      const facts = { service, outage_id, since, fault, ...(reason === null ? {} : { reason }) };
      if (service === 'cache') Object.assign(facts, { error_code: 'CACHE_ERROR' });
      if (service === 'storage') return tellStorage(logger, what, { ...facts, limit: room.look() });
      if (what === 'up') logger.info(facts, 'a service is back');
      else if (what === 'down') logger.error(facts, 'a service is out of reach');
      else logger.fatal(facts, 'a service has been out of reach for more than five minutes');
    },
    onFault: outageLog(logger, {
      fault: 'an outage could not be recorded yet and is tried again',
      over: 'outages are recorded again',
      level: 'warn',
    }),
    ...(outageIntervalMs === undefined ? {} : { intervalMs: outageIntervalMs }),
    ...(now === undefined ? {} : { now }),
  });
}

/** @throws StorageFullError where a limit is reached */
function refuseFull(limit: string | null): void {
  if (limit !== null) throw new StorageFullError(limit);
}

function tellStorage(logger: Logger, what: 'down' | 'up' | 'overdue', facts: object): void {
  if (what === 'up') logger.info(facts, 'there is room again, and everything is stored');
  else if (what === 'down') logger.error(facts, 'there is no room: writes are refused with STORAGE_FULL, reads go on');
}
