import { Global, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { MathEngine, verifyMathAnswer } from '#lib/agents';
import { EventLog } from '#lib/event-store';
import { ActionExecutors, HUMAN_REVIEW, Proposals, Snapshots, TextScreen } from '#lib/governance';
import { mayRead, parseCanonicalKey, readSynonyms, readWorldFacts, worldFactAliases } from '#lib/memory';
import { JobDesk, ReflectiveLogs } from '#lib/jobs';
import { ReadModel, type Reactor, reactorPosition } from '#lib/projections';
import { ProofLog, signedLeaves } from '#lib/proof';
import { type ReadStore, ReadStoreUnavailableError } from '#lib/read-store';
import {
  Reexecution,
  ReplayApprovals,
  ReplayClock,
  ReplayDoor,
  ReplayList,
  Replays,
  replaysProjection,
  ReplayViews,
  revalidationReaction,
} from '#lib/replay';

import { READ_STORE } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { RunningParts } from '../running-parts.js';

/** Of a rerun; a calculation that takes longer is refused, as where it was first made. */
const CALCULATION_MS = 600_000;

/** The calculator of reruns: none of a live job's turns waits for it. */
class ReplayMath extends MathEngine {}

/**
 * What replays stand on: the log, the snapshots, the sandbox, and the council's word; and while the process runs, the
 * replays that amendments ask for.
 */
@Global()
@Module({
  providers: [
    { provide: ReplayClock, useFactory: () => new ReplayClock() },
    { provide: ReplayMath, useFactory: () => new ReplayMath({ timeoutMs: CALCULATION_MS }) },
    {
      provide: Reexecution,
      inject: [ReplayMath],
      useFactory: (math: ReplayMath) =>
        new Reexecution({
          math: { solve: (query, signal) => math.solve(query, signal), verify: verifyMathAnswer },
          mayRead: (key, id) => mayRead({ id, roles: ['user'], elevated: false }, parseCanonicalKey(key)),
          aliases: [...Object.entries(readSynonyms()), ...worldFactAliases(readWorldFacts())],
        }),
    },
    {
      provide: ReplayApprovals,
      inject: [EventLog, Proposals, ActionExecutors],
      useFactory: (log: EventLog, proposals: Proposals, executors: ActionExecutors) => {
        const approvals = new ReplayApprovals(log, proposals);
        for (const executor of approvals.executors) executors.plug(executor);
        return approvals;
      },
    },
    {
      provide: Replays,
      inject: [EventLog, Snapshots, Reexecution, ReplayApprovals, ReplayClock, ProofLog, READ_STORE, ReflectiveLogs],
      useFactory: (
        log: EventLog,
        snapshots: Snapshots,
        reexecution: Reexecution,
        approvals: ReplayApprovals,
        clock: ReplayClock,
        proof: ProofLog,
        documents: ReadStore,
        logs: ReflectiveLogs,
      ) => {
        const reviews = { broughtTo: () => reviewsBroughtTo(documents) };
        return new Replays(log, snapshots, reexecution, approvals, clock, signedLeaves(proof), reviews, logs);
      },
    },
    {
      provide: ReplayViews,
      inject: [EventLog, JobDesk],
      useFactory: (log: EventLog, desk: JobDesk) => new ReplayViews(log, desk),
    },
    {
      provide: ReplayDoor,
      inject: [EventLog, TextScreen],
      useFactory: (log: EventLog, screen: TextScreen) => new ReplayDoor(log, screen),
    },
    {
      provide: ReplayList,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new ReplayList(new ReadModel(documents, replaysProjection)),
    },
  ],
  exports: [Replays, ReplayDoor, ReplayList, ReplayViews],
})
export class ReplayRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly revalidation: Reactor;

  constructor(
    private readonly math: ReplayMath,
    replays: Replays,
    reactors: Reactors,
    running: RunningParts,
  ) {
    this.revalidation = reactors.of(revalidationReaction(replays, Date.now), {
      fault: 'a job could not be replayed as an amendment asks, and this is tried again',
      over: 'jobs are replayed again as amendments ask',
    });
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    this.revalidation.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.revalidation.stop();
    await this.math.close();
  }
}

/** Replays stand on the log: without the read models they go on, and nobody can tell of this. */
export async function reviewsBroughtTo(documents: ReadStore): Promise<string | null> {
  try {
    return await reactorPosition(documents, HUMAN_REVIEW);
  } catch (error) {
    if (error instanceof ReadStoreUnavailableError) return null;
    throw error;
  }
}
