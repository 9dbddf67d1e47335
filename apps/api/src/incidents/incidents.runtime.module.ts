import { Inject, Module, type DynamicModule, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { LOCK_MS } from '#lib/access';
import { EventLog, StorageFullError } from '#lib/event-store';
import {
  IncidentList,
  incidentReaction,
  IncidentsModule,
  incidentsProjection,
  LastingIncidents,
  Outages,
  type PiiAlert,
  type ServiceFaults,
} from '#lib/incidents';
import { AccessTrail } from '#lib/memory';
import { Reactor, ReadModel } from '#lib/projections';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import { personalDataIn } from '../jobs/query-screen.js';
import type { Hosting } from '../hosting.js';
import type { Platform } from '../platform.js';
import { HOSTING, LOGGER } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunMark } from '../run-mark.js';
import { RunningParts } from '../running-parts.js';

const SERVICE_FAULTS = Symbol('SERVICE_FAULTS');

/** Opens incidents while the process runs, and for what happened while none did; watches the services it stands on. */
@Module({})
export class IncidentsRuntimeModule implements OnModuleInit, OnModuleDestroy {
  constructor(
    private readonly reactor: Reactor,
    private readonly outages: Outages,
    private readonly lasting: LastingIncidents,
    @Inject(SERVICE_FAULTS) private readonly faults: ServiceFaults,
    @Inject(RunMark) private readonly mark: RunMark,
    @Inject(HOSTING) private readonly hosting: Hosting,
    @Inject(LOGGER) private readonly log: Logger,
    running: RunningParts,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  static on(platform: Platform): DynamicModule {
    const { faults, readStore, spool, mark, log } = platform;
    const incidents = IncidentsModule.register({ personalDataIn });
    return {
      module: IncidentsRuntimeModule,
      global: true,
      imports: [incidents],
      providers: [
        { provide: SERVICE_FAULTS, useValue: faults },
        { provide: RunMark, useValue: mark },
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
          useFactory: (events: EventLog, reactors: Reactors) => reactorOf(events, reactors, log),
        },
        {
          provide: LastingIncidents,
          inject: [EventLog, IncidentList],
          useFactory: (events: EventLog, list: IncidentList) => lastingOf(platform, events, list),
        },
      ],
      exports: [IncidentList],
    };
  }

  /** Before the first request, so that what an earlier process left open is on record. */
  async onModuleInit(): Promise<void> {
    this.faults.follow(this.outages);
    await this.outages.start();
    const { left } = this.mark;
    if (left !== undefined) {
      // Each has its line, also where they are one outage.
      this.log.warn({ since: left }, 'the process that served this data folder before ended without stopping');
      this.faults.failed('process', 'ProcessCrashed');
    }
    this.reactor.start();
    if (this.hosting.isHere) this.lasting.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.reactor.stop();
    await this.lasting.stop();
    await this.outages.stop();
  }
}

function lastingOf({ log: logger, wiring: { now = Date.now } }: Platform, log: EventLog, list: IncidentList) {
  return new LastingIncidents({
    log,
    lasting: () => list.lasting(),
    lockMs: LOCK_MS,
    now,
    onFault: outageLog(logger, {
      fault: 'whether incidents are over could not be looked at, and this is tried again',
      over: 'incidents that are over are closed again',
      level: 'warn',
    }),
  });
}

function reactorOf(events: EventLog, reactors: Reactors, log: Logger): Reactor {
  const alert = ({ pii_type, category, cause_event_id }: PiiAlert): void =>
    log.warn({ pii_type, category, cause_event_id }, 'personal data was found that may not be stored');
  return reactors.of(incidentReaction(events, alert), {
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
      if (service === 'process') return tellCrash(logger, what, facts);
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

function tellCrash(logger: Logger, what: 'down' | 'up' | 'overdue', facts: object): void {
  if (what === 'up') logger.info(facts, 'this process has run for a minute after one that ended without stopping');
  if (what === 'overdue')
    logger.fatal(facts, 'processes end without stopping again and again since more than five minutes ago');
}
