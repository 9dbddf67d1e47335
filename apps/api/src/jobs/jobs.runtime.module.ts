import {
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';

import { MathEngine, verifyMathAnswer } from '#lib/agents';
import { BrainStateSnapshots, redactValue } from '#lib/brainstate';
import { Critics } from '#lib/council';
import { EventLog, type EventStore } from '#lib/event-store';
import { Snapshots, type SnapshotSet } from '#lib/governance';
import {
  BesideLog,
  finishLeftJobs,
  JobDesk,
  JobList,
  jobsProjection,
  LogAnnotations,
  LogIndex,
  missingArtifacts,
  ReflectiveLogs,
  Routes,
  World,
} from '#lib/jobs';
import { KeyRing, MaceError } from '#lib/kernel';
import { AliasMap, SemMemory } from '#lib/memory';
import { Consents } from '#lib/privacy';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { Evidence, Modules } from '#lib/selfrep';

import { systemVersion } from '../configuration-files.js';
import type { Logger } from '../edge/log.js';
import { CONFIG, EVENT_STORE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { InstalledAgents, installAgents } from './agents.js';
import { ProjectedJobList, ProjectedLogIndex } from './job-read-models.js';
import { LiveParts } from './live-parts.js';
import { OwnMemory } from './own-memory.js';
import { queryScreen, unconsentedDataIn } from './query-screen.js';
import { EFFECTIVE_SNAPSHOTS } from './snapshots.js';

/** Each turn ends at its job's own AGENT_TIMEOUT_MS; this is the longest that config/governance.json can ask for. */
const LONGEST_TURN_MS = 600_000;
const RECOMPUTED = { correct: 'agrees', incorrect: 'differs', unverifiable: null, not_math: null } as const;

const jobsModel = (documents: ReadStore): ReadModel => new ReadModel(documents, jobsProjection);

const PROVIDERS: Provider[] = [
  { provide: MathEngine, useFactory: () => new MathEngine({ timeoutMs: LONGEST_TURN_MS }) },
  { provide: Critics, useFactory: () => new Critics() },
  {
    provide: OwnMemory,
    inject: [SemMemory, Modules],
    useFactory: (sem: SemMemory, modules: Modules) => new OwnMemory(sem, modules, Date.now),
  },
  {
    provide: LiveParts,
    inject: [EventLog, KeyRing, MathEngine, Evidence, CONFIG, LOGGER],
    useFactory: (...parts: ConstructorParameters<typeof LiveParts>) => new LiveParts(...parts),
  },
  {
    provide: InstalledAgents,
    inject: [AliasMap, LiveParts],
    useFactory: (aliases: AliasMap, { language }: LiveParts) => installAgents(aliases, language !== null),
  },
  {
    provide: JobDesk,
    inject: [
      EventLog,
      KeyRing,
      Snapshots,
      EFFECTIVE_SNAPSHOTS,
      OwnMemory,
      InstalledAgents,
      Critics,
      LOGGER,
      BrainStateSnapshots,
      LiveParts,
      Consents,
    ],
    useFactory: deskOf,
  },
  {
    provide: Routes,
    inject: [EventLog, Snapshots, EFFECTIVE_SNAPSHOTS, KeyRing, Consents],
    useFactory: (log: EventLog, snapshots: Snapshots, current: SnapshotSet, ring: KeyRing, consents: Consents) =>
      new Routes(log, snapshots, current, queryScreen(ring, consents)),
  },
  {
    provide: JobList,
    inject: [READ_STORE, ProjectionHost],
    useFactory: (documents: ReadStore, host: ProjectionHost) => new ProjectedJobList(jobsModel(documents), host),
  },
  {
    provide: LogIndex,
    inject: [READ_STORE, ProjectionHost, EVENT_STORE],
    useFactory: (documents: ReadStore, host: ProjectionHost, events: EventStore) =>
      new ProjectedLogIndex(jobsModel(documents), host, events),
  },
  {
    provide: BesideLog,
    inject: [EventLog, KeyRing],
    useFactory: (log: EventLog, ring: KeyRing) => new BesideLog(log, (value, seed) => redactValue(value, seed, ring)),
  },
  {
    provide: ReflectiveLogs,
    inject: [EventLog, LogIndex, BesideLog, Consents],
    useFactory: (log: EventLog, index: LogIndex, beside: BesideLog, consents: Consents) =>
      new ReflectiveLogs(log, index, beside, (...asked) => consents.areInForce(...asked)),
  },
  {
    provide: LogAnnotations,
    inject: [EventLog, LogIndex, BesideLog],
    useFactory: (log: EventLog, index: LogIndex, beside: BesideLog) => new LogAnnotations(log, index, beside),
  },
];

/** What jobs run on: snapshots, agents, the desk, their read models; and the recovery of what a crash left. */
@Global()
@Module({
  providers: PROVIDERS,
  exports: [BesideLog, JobDesk, JobList, LogAnnotations, LogIndex, ReflectiveLogs, Routes],
})
export class JobsRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly desk: JobDesk,
    private readonly math: MathEngine,
    private readonly parts: LiveParts,
    private readonly jobs: JobList,
    private readonly host: ProjectionHost,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  /** Does not hold up the start: a left job is finished beside the first requests. */
  onApplicationBootstrap(): void {
    this.recover().catch((error: unknown) => {
      if (this.desk.isClosing || isStop(error)) return;
      this.logger.error({ error: kindOf(error) }, 'left jobs could not be looked for');
    });
  }

  async onModuleDestroy(): Promise<void> {
    // First of all: what the agents say while they close is no result of a job.
    await this.desk.close();
    await this.parts.lateAnswers.close();
    await this.parts.lateVotes.close();
    await this.math.close();
  }

  private async recover(): Promise<void> {
    await this.host.waitFor(await this.events.head(), ['jobs'], 600_000);
    const { finished, left } = await finishLeftJobs(this.desk, this.jobs as ProjectedJobList);
    if (finished > 0) this.logger.info({ jobs: finished }, 'finished jobs that an earlier process left behind');
    for (const { job_id, reason } of left)
      this.logger.warn({ job: job_id, reason }, 'a left job could not be finished');
  }
}

function deskOf(
  log: EventLog,
  ring: KeyRing,
  snapshots: Snapshots,
  set: SnapshotSet,
  memory: OwnMemory,
  agents: InstalledAgents,
  critics: Critics,
  logger: Logger,
  brainStates: BrainStateSnapshots,
  parts: LiveParts,
  consents: Consents,
): JobDesk {
  const world = new World({
    agents,
    critics,
    memory,
    language: parts.language,
    math: parts.math,
    evidence: parts.evidence,
    lateAnswers: parts.lateAnswers,
    lateVotes: parts.lateVotes,
    missingArtifacts: (ids) => missingArtifacts(snapshots, ids),
    findPersonal: (values, jobSeed) => parts.findPersonal(values, jobSeed),
    recompute: (query, answer) => {
      const { verdict, unread = false } = verifyMathAnswer(query, answer);
      return unread ? 'unread' : RECOMPUTED[verdict];
    },
    personalDataIn: unconsentedDataIn(consents, () => Date.now()),
  });
  const onUnattended = (job: string, error: unknown): void =>
    logger.warn({ job, error: kindOf(error) }, 'a job that nobody waited for failed');
  return new JobDesk(
    log,
    snapshots,
    set,
    world,
    queryScreen(ring, consents),
    systemVersion(),
    onUnattended,
    brainStates,
  );
}

/** The list of jobs, which recovery waited for, stopped with the process: the next start looks again. */
function isStop(error: unknown): boolean {
  return error instanceof MaceError && error.code === 'WAIT_TIMEOUT' && error.meta['state'] === 'stopped';
}

function kindOf(error: unknown): string {
  return error instanceof MaceError ? error.code : error instanceof Error ? error.name : 'unknown';
}
