import { Global, Inject, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

import { retiredKeys } from '#lib/access';
import { EventLog } from '#lib/event-store';
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
import { type Reaction, type Reactor, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { ReportConsequences, type ReportedEvent } from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import { LOGGER, READ_STORE } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';

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
      inject: [READ_STORE, EventLog],
      useFactory: (documents: ReadStore, log: EventLog) => {
        const pinned = new PinnedJobs(new ReadModel(documents, jobsProjection));
        const model = new ReadModel(documents, haltsProjection);
        return new HaltList(
          model,
          (ids) => pinned.counts(ids),
          () => retiredKeys(log, 'event-hmac'),
        );
      },
    },
    {
      provide: UnreplayableJobs,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new UnreplayableJobs(new ReadModel(documents, unreplayableProjection)),
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

  constructor(@Inject(REACTIONS) reactions: Reactions, reactors: Reactors, running: RunningParts) {
    const words = {
      fault: 'a halt or a quarantine could not be put on yet',
      over: 'halts and quarantines are put on again',
    };
    this.reactors = reactions.map((one) => reactors.of(one, words));
    running.add(() => this.onModuleDestroy());
  }

  onModuleInit(): void {
    for (const reactor of this.reactors) reactor.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.reactors.map((reactor) => reactor.stop()));
  }
}
