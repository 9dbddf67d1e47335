import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { ForensicStore } from '#lib/audit';
import { DsrModule, dsrProjection, DsrQueue, DsrRequests, Erasure, Exports, LegalHolds, OwnRecords } from '#lib/dsr';
import {
  type ArtifactStore,
  EventCodec,
  EventLog,
  type EventStore,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { CouncilHolds, RequestList } from '#lib/governance';
import { JobDesk, JobList } from '#lib/jobs';
import { closeIncidentOf, openIncidentOf, RAISED_SEVERITIES } from '#lib/incidents';
import { EventRegistry } from '#lib/kernel';
import { SemIndex, SemReader } from '#lib/memory';
import { Consents } from '#lib/privacy';
import { ProjectionHost, type Reactor, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import { isKnownAside } from '../aside/known-aside.js';
import { ReplacedFolders } from '../aside/replaced-folders.js';
import { standingConsents } from '../audit/standing-consents.js';
import type { Platform } from '../platform.js';
import { ARTIFACT_STORE, EVENT_STORE, READ_STORE, SUBJECT_KEY_STORE } from '../platform.tokens.js';
import { PROJECTIONS } from '../projections/projections.runtime.module.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';
import { HeldWritesOf, ProcessCaches, ReadModels, ScratchPlaces, SnapshotBodies } from './erasable-places.js';
import { ProcessClock } from './process-clock.js';
import { DeskJobs } from './subject-jobs.js';
import { ReadMemory } from './subject-memory.js';

const NOW = Symbol('DSR_NOW');
const DATA_DIR = Symbol('DSR_DATA_DIR');

/** Data-subject requests while the process runs, and the reactor that erases. */
@Module({})
export class DsrRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly reactor: Reactor;

  constructor(
    log: EventLog,
    codec: EventCodec,
    registry: EventRegistry,
    ciphers: SubjectCiphers,
    desk: JobDesk,
    host: ProjectionHost,
    reactors: Reactors,
    holds: CouncilHolds,
    evidence: ForensicStore,
    @Inject(EVENT_STORE) events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(SUBJECT_KEY_STORE) keys: SubjectKeyStore,
    @Inject(ARTIFACT_STORE) artifacts: ArtifactStore,
    @Inject(NOW) now: () => number,
    @Inject(DATA_DIR) dataDir: string,
    running: RunningParts,
  ) {
    const erasure = new Erasure({
      log,
      registry,
      keys,
      artifacts,
      evidence,
      forget: (subject) => ciphers.forget(subject),
      places: [
        new ReadModels(PROJECTIONS, host, documents, events),
        new ProcessCaches(log),
        new ScratchPlaces(dataDir),
        new HeldWritesOf(holds),
        new SnapshotBodies(events),
        new ReplacedFolders(dataDir, log, { codec, registry }),
      ],
      jobs: new DeskJobs(desk),
      clock: new ProcessClock(now, this.stopping.signal),
      alarm: {
        raise: (cause) => openIncidentOf(log, cause, RAISED_SEVERITIES.ERASURE),
        end: (cause) => closeIncidentOf(log, cause, null, new Date(now()).toISOString()),
      },
    });
    const words = {
      fault: 'a step of an erasure failed and is tried again',
      over: 'erasures go on again',
    };
    this.reactor = reactors.of(erasure, words, () => !this.stopping.signal.aborted);
    running.add(() => this.onModuleDestroy());
  }

  static on({ secondFactors, isPersonal, wiring, config }: Platform): DynamicModule {
    return {
      module: DsrRuntimeModule,
      global: true,
      imports: [DsrModule],
      providers: [
        { provide: NOW, useValue: wiring.now ?? Date.now },
        { provide: DATA_DIR, useValue: config.dataDir },
        {
          provide: DsrRequests,
          inject: [EventLog, SUBJECT_KEY_STORE, EventCodec, EventRegistry],
          useFactory: (log: EventLog, keys: SubjectKeyStore, codec: EventCodec, registry: EventRegistry) =>
            new DsrRequests(log, keys, secondFactors, isPersonal, (userId) =>
              isKnownAside(config.dataDir, userId, { codec, registry }),
            ),
        },
        {
          provide: DsrQueue,
          inject: [READ_STORE],
          useFactory: (documents: ReadStore) => new DsrQueue(new ReadModel(documents, dsrProjection)),
        },
        {
          provide: OwnRecords,
          inject: [SemIndex, Consents, JobList, DsrQueue, RequestList],
          useFactory: (
            keys: SemIndex,
            consents: Consents,
            jobs: JobList,
            queue: DsrQueue,
            actions: RequestList,
          ): OwnRecords => new OwnRecords({ keys, consents, jobs, queue, actions, factors: secondFactors }),
        },
        {
          provide: Exports,
          inject: [EventLog, EventRegistry, SemReader, Consents],
          useFactory: (log: EventLog, registry: EventRegistry, reader: SemReader, consents: Consents) =>
            new Exports(log, registry, new ReadMemory(reader), standingConsents(log, consents)),
        },
        {
          provide: LegalHolds,
          inject: [EventLog],
          useFactory: (log: EventLog) => new LegalHolds(log, isPersonal),
        },
      ],
      exports: [DsrQueue, OwnRecords, DsrRequests, Exports, LegalHolds],
    };
  }

  /** Once what an erasure reaches is there. */
  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  /** A wait for the last lease ends here; the next start waits for what is left of it. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.reactor.stop();
  }
}
