import { Global, Inject, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { EventLog, type EventStore } from '#lib/event-store';
import { HaltList, haltReaction, haltsProjection, Snapshots } from '#lib/governance';
import {
  BesideLog,
  jobsProjection,
  LogIndex,
  PinnedJobs,
  quarantineReaction,
  UnreplayableJobs,
  unreplayableProjection,
} from '#lib/jobs';
import {
  type Projection,
  ProjectionHost,
  type Reaction,
  Reactor,
  type ReactorFault,
  ReadModel,
} from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { ReportConsequences, type ReportedEvent } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import { EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';

const positionOf =
  (host: ProjectionHost, { name }: Projection): (() => string) =>
  () =>
    host.runner(name).status.position ?? '0';

/** What follows from failures, whoever reported or found them. */
type Reactions = readonly (Omit<Reaction, 'react'> & { react(event: ReportedEvent): Promise<void> })[];

const REACTIONS = Symbol('HALT_REACTIONS');

function reactionsOf(
  log: EventLog,
  snapshots: Snapshots,
  beside: BesideLog,
  index: LogIndex,
  logger: Logger,
): Reactions {
  const onUnreadable = (id: string, error: unknown): void =>
    logger.error({ id, ...faultShape(error) }, 'a failure concerns what does not verify itself: no flag was put on');
  return [haltReaction(log, snapshots.halts, onUnreadable), quarantineReaction(beside, index, onUnreadable)];
}

/** Halts while the process runs, and for failures that were recorded while none did; their list, and that of jobs that cannot be replayed. */
@Global()
@Module({
  providers: [
    {
      provide: HaltList,
      inject: [READ_STORE, ProjectionHost],
      useFactory: (documents: ReadStore, host: ProjectionHost) => {
        const pinned = new PinnedJobs(new ReadModel(documents, jobsProjection));
        const halts = new ReadModel(documents, haltsProjection);
        return new HaltList(halts, positionOf(host, haltsProjection), (id) => pinned.count(id));
      },
    },
    {
      provide: UnreplayableJobs,
      inject: [READ_STORE, ProjectionHost],
      useFactory: (documents: ReadStore, host: ProjectionHost) =>
        new UnreplayableJobs(
          new ReadModel(documents, unreplayableProjection),
          positionOf(host, unreplayableProjection),
        ),
    },
    { provide: REACTIONS, inject: [EventLog, Snapshots, BesideLog, LogIndex, LOGGER], useFactory: reactionsOf },
    {
      // The reactors do the same for what was reported to another process, or by one that was cut short.
      provide: ReportConsequences,
      inject: [REACTIONS],
      useFactory: (reactions: Reactions): ReportConsequences => ({
        stand: async (event) => {
          for (const one of reactions) if (one.types.includes(event.type)) await one.react(event);
        },
      }),
    },
  ],
  exports: [HaltList, UnreplayableJobs, ReportConsequences],
})
export class HaltsRuntimeModule implements OnModuleInit, OnModuleDestroy {
  private readonly reactors: readonly Reactor[];

  constructor(
    @Inject(REACTIONS) reactions: Reactions,
    signed: SignedEvents,
    @Inject(EVENT_STORE) events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(LOGGER) logger: Logger,
    running: RunningParts,
  ) {
    const onFault = ({ reactor, event_id, attempts, error }: ReactorFault): void =>
      logger.warn(
        { ...faultShape(error), reactor, event_id, attempts },
        'a halt or a quarantine could not be put on yet',
      );
    const options = { events, documents, open: signed.open, onTampered: signed.tell, onFault };
    this.reactors = reactions.map((one) => new Reactor(one, options));
    running.add(() => this.onModuleDestroy());
  }

  onModuleInit(): void {
    for (const reactor of this.reactors) reactor.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.reactors.map((reactor) => reactor.stop()));
  }
}
