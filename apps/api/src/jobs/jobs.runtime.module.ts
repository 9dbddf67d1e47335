import {
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type Provider,
} from '@nestjs/common';

import { AgentHosts, EndpointCaller, type LanguageEngine, MathEngine, verifyMathAnswer } from '#lib/agents';
import { BrainStateSnapshots, redactValue } from '#lib/brainstate';
import { Critics } from '#lib/council';
import { EventLog, type EventStore } from '#lib/event-store';
import { Policies, Proposals, ReviewedJobs, Snapshots, type SnapshotSet } from '#lib/governance';
import {
  BesideLog,
  CalledCritics,
  JobDesk,
  JobInputs,
  JobCounts,
  jobCountsProjection,
  JobList,
  JobReviews,
  JobsElsewhere,
  jobsProjection,
  LogAnnotations,
  LogIndex,
  missingArtifacts,
  OutsideCritics,
  ReflectiveLogs,
  outputHash,
  Routes,
  World,
} from '#lib/jobs';
import { hmacSha256Hex, KeyRing, MaceError } from '#lib/kernel';
import { AliasMap, SemMemory } from '#lib/memory';
import { Negotiations } from '#lib/negotiation';
import { Consents } from '#lib/privacy';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { Callability, Evidence, ModuleDirectory, Modules } from '#lib/selfrep';
import { RequestSigner } from '#lib/signatures';

import { systemVersion } from '../configuration-files.js';
import { faultShape, type Logger } from '../edge/log.js';
import type { Hosting } from '../hosting.js';
import type { Config } from '../platform.config.js';
import { CONFIG, EVENT_STORE, HOSTING, LANGUAGE_ENGINE, LOGGER, READ_STORE } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { type Elsewhere, InstalledAgents, installAgents } from './agents.js';
import { ProjectedJobList, ProjectedLogIndex } from './job-read-models.js';
import { JobRecovery } from './job-recovery.js';
import { LiveParts } from './live-parts.js';
import { OwnMemory } from './own-memory.js';
import { personalDataIn, queryScreen, unconsentedDataIn, withoutPersonalData } from './query-screen.js';
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
    inject: [EventLog, KeyRing, MathEngine, Evidence, LANGUAGE_ENGINE, LOGGER],
    useFactory: (...parts: ConstructorParameters<typeof LiveParts>) => new LiveParts(...parts),
  },
  {
    provide: InstalledAgents,
    inject: [AliasMap, LANGUAGE_ENGINE, ModuleDirectory, CONFIG, KeyRing],
    useFactory: (
      aliases: AliasMap,
      language: LanguageEngine | null,
      modules: ModuleDirectory,
      { agentHosts }: Config,
      ring: KeyRing,
    ) => installAgents(aliases, language !== null, elsewhere(modules, agentHosts, ring, { aliases, language })),
  },
  { provide: Callability, useExisting: InstalledAgents },
  {
    provide: JobsElsewhere,
    inject: [READ_STORE, CONFIG, HOSTING],
    // A process alone on its stores waits for nobody.
    useFactory: (documents: ReadStore, { jobLeaseMs }: Config, { isHere, lease }: Hosting) =>
      isHere && !lease ? undefined : new JobsElsewhere(documents, jobLeaseMs),
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
      Negotiations,
      JobsElsewhere,
    ],
    useFactory: deskOf,
  },
  {
    provide: Routes,
    inject: [EventLog, Snapshots, EFFECTIVE_SNAPSHOTS, KeyRing, Consents, Policies],
    useFactory: (
      log: EventLog,
      snapshots: Snapshots,
      current: SnapshotSet,
      ring: KeyRing,
      consents: Consents,
      policies: Policies,
    ) => new Routes(log, snapshots, current, queryScreen(ring, consents), policies),
  },
  {
    provide: JobList,
    inject: [READ_STORE],
    useFactory: (documents: ReadStore) => new ProjectedJobList(jobsModel(documents)),
  },
  {
    provide: JobCounts,
    inject: [READ_STORE],
    useFactory: (documents: ReadStore) => new JobCounts(new ReadModel(documents, jobCountsProjection)),
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
  {
    provide: JobReviews,
    inject: [EventLog, LogIndex, BesideLog, Proposals],
    useFactory: (...parts: ConstructorParameters<typeof JobReviews>) => new JobReviews(...parts),
  },
  { provide: ReviewedJobs, useExisting: JobReviews },
];

/** What jobs run on: snapshots, agents, the desk, their read models; and the recovery of what a crash left. */
@Global()
@Module({
  providers: PROVIDERS,
  exports: [
    BesideLog,
    Callability,
    JobCounts,
    JobDesk,
    JobList,
    JobReviews,
    LogAnnotations,
    LogIndex,
    ReflectiveLogs,
    ReviewedJobs,
    Routes,
  ],
})
export class JobsRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly recovery: JobRecovery;

  constructor(
    private readonly desk: JobDesk,
    private readonly math: MathEngine,
    private readonly agents: InstalledAgents,
    private readonly parts: LiveParts,
    jobs: JobList,
    host: ProjectionHost,
    @Inject(EVENT_STORE) events: EventStore,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(HOSTING) hosting: Hosting,
    @Inject(CONFIG) { jobLeaseMs: leaseMs }: Config,
    @Inject(LOGGER) logger: Logger,
    running: RunningParts,
  ) {
    const unfinished = jobs as ProjectedJobList;
    this.recovery = new JobRecovery({ desk, unfinished, host, events, documents, hosting, leaseMs, logger });
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    this.recovery.start();
  }

  async onModuleDestroy(): Promise<void> {
    // First of all: what the agents say while they close is no result of a job.
    await this.desk.close();
    await this.recovery.stop();
    await this.parts.lateAnswers.close();
    await this.parts.lateVotes.close();
    await this.math.close();
    this.agents.close();
  }
}

function elsewhere(
  modules: ModuleDirectory,
  entries: readonly string[],
  ring: KeyRing,
  { aliases, language }: { readonly aliases: AliasMap; readonly language: LanguageEngine | null },
): Elsewhere {
  const hosts = new AgentHosts(entries);
  const signer = new RequestSigner(ring.active('response-signature'));
  const pseudonyms = ring.subkey(ring.active('request-hmac'), 'agent-pseudonym');
  return {
    hosts,
    modules,
    parts: {
      caller: new EndpointCaller(hosts),
      sign: ({ nonce, ...request }) => ({ ...signer.headersFor(request, nonce, Date.now()) }),
      pseudonym: (userId, nodeId) => hmacSha256Hex(pseudonyms, `${nodeId}\n${userId}`).slice(0, 32),
      secret: (name) => process.env[name],
      outside: {
        aliases,
        redact: withoutPersonalData,
        // A consent lets it be kept here, and nowhere else.
        mayLeave: ({ value, consents = [] }) =>
          consents.length === 0 && personalDataIn(JSON.stringify(value)).length === 0,
      },
      isInService: async (model, signal) => language !== null && language.isInService(signal, model),
      hasEngine: (model) => language !== null && (model === undefined || language.has(model)),
      clock: () => performance.now(),
    },
  };
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
  room: Negotiations,
  elsewhere: JobsElsewhere | undefined,
): JobDesk {
  const outside = new OutsideCritics({
    room,
    now: () => Date.now(),
    onRefused: (artifact, error) =>
      logger.warn({ ...faultShape(error), artifact }, 'outside critics could not be asked about an answer'),
  });
  const world = new World({
    agents,
    critics,
    memory,
    language: parts.language,
    math: parts.math,
    evidence: parts.evidence,
    lateAnswers: parts.lateAnswers,
    lateVotes: parts.lateVotes,
    onCrash: (facts) => logger.error(facts, 'an agent raised an exception; evidence_ref names its message and stack'),
    outside,
    called: new CalledCritics(agents.calls, parts.language),
    hashOutput: (output, jobSeed) => outputHash(ring, output, jobSeed),
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
  const screen = queryScreen(ring, consents);
  const inputs = new JobInputs(snapshots, set, brainStates, systemVersion(), screen);
  return new JobDesk(log, inputs, world, screen, onUnattended, elsewhere);
}

function kindOf(error: unknown): string {
  return error instanceof MaceError ? error.code : error instanceof Error ? error.name : 'unknown';
}
