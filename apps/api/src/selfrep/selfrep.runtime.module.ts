import {
  Global,
  Inject,
  Module,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
  type Provider,
} from '@nestjs/common';

import { ForensicStore } from '#lib/audit';
import { EventLog, type EventStore } from '#lib/event-store';
import { ActionExecutors, type Policies, Proposals, type Snapshot, Snapshots } from '#lib/governance';
import { lastRecovery } from '#lib/incidents';
import { SemWriter } from '#lib/memory';
import { movedPositions } from '#lib/migration';
import { inTurns, type Reactor } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';
import { BUILT_IN_MODULES } from '#lib/routing';
import {
  Callability,
  dependentsReaction,
  EndpointProbe,
  Evidence,
  followedConstants,
  GovernedModules,
  ModuleDirectory,
  moduleExecutors,
  ModuleIndex,
  ModuleProposals,
  ModuleReader,
  Modules,
  ModuleStreams,
  recoveriesReaction,
  Registrations,
  registerBuiltIns,
  type SelfrepConstants,
  SelfrepSnapshots,
  TrustReactor,
  violationsReaction,
} from '#lib/selfrep';

import { faultShape, type Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import { hostedBy, type Hosting } from '../hosting.js';
import { ADOPTED_POLICIES } from '../governance/adopted-policies.js';
import { personalDataIn } from '../jobs/query-screen.js';
import { EVENT_STORE, HOSTING, LOGGER, READ_STORE } from '../platform.tokens.js';
import { Reactors } from '../reactions/reactors.js';
import { SignedEvents } from '../reactions/signed-events.js';
import { RunningParts } from '../running-parts.js';
import { ForensicEvidence } from './forensic-evidence.js';
import { GovernedProposals } from './module-proposals.js';

const CONSTANTS = Symbol('SELFREP_CONSTANTS');
const REACTORS = Symbol('SELFREP_REACTORS');

const PROVIDERS: Provider[] = [
  { provide: CONSTANTS, inject: [ADOPTED_POLICIES], useFactory: constantsInForce },
  { provide: ModuleStreams, inject: [EventLog], useFactory: (log: EventLog) => new ModuleStreams(log) },
  {
    provide: ModuleDirectory,
    inject: [EVENT_STORE, READ_STORE, SignedEvents, LOGGER],
    useFactory: (events: EventStore, documents: ReadStore, signed: SignedEvents, logger: Logger) =>
      new ModuleDirectory({
        events,
        documents,
        open: signed.open,
        onTampered: signed.tell,
        onFault: outageLog(logger, {
          fault: 'the modules cannot be followed, and this is tried again',
          over: 'the modules are followed again',
          level: 'warn',
        }),
      }),
  },
  {
    provide: Registrations,
    inject: [EventLog, ModuleStreams, ModuleDirectory],
    useFactory: (log: EventLog, streams: ModuleStreams, directory: ModuleDirectory) =>
      new Registrations(log, streams, directory),
  },
  {
    provide: SelfrepSnapshots,
    inject: [Snapshots, ModuleStreams, ModuleDirectory, CONSTANTS, LOGGER, RunningParts, ADOPTED_POLICIES, Callability],
    useFactory: begin,
  },
  {
    provide: ModuleProposals,
    inject: [{ token: Proposals, optional: true }],
    useFactory: (proposals?: Proposals) => new GovernedProposals(proposals),
  },
  {
    provide: Evidence,
    inject: [ForensicStore],
    useFactory: (store: ForensicStore) => new ForensicEvidence(store),
  },
  {
    provide: Modules,
    inject: [ModuleStreams, ModuleDirectory, Registrations, CONSTANTS, ModuleProposals, Evidence, Callability],
    useFactory: (
      streams: ModuleStreams,
      directory: ModuleDirectory,
      registrations: Registrations,
      constants: SelfrepConstants,
      proposals: ModuleProposals,
      evidence: Evidence,
      callability: Callability,
    ) => new Modules(streams, directory, registrations, constants, proposals, evidence, personalDataIn, callability),
  },
  {
    provide: GovernedModules,
    inject: [ModuleStreams, ModuleDirectory, Registrations, CONSTANTS],
    useFactory: (
      streams: ModuleStreams,
      directory: ModuleDirectory,
      registrations: Registrations,
      constants: SelfrepConstants,
    ) => new GovernedModules(streams, directory, registrations, constants),
  },
  {
    provide: ModuleReader,
    inject: [EventLog, ModuleStreams, ADOPTED_POLICIES],
    useFactory: (log: EventLog, streams: ModuleStreams, policies: Policies) =>
      new ModuleReader(log, streams, async () => (await policies.history('selfrep')).map(constantsOf)),
  },
  {
    provide: ModuleIndex,
    inject: [READ_STORE, Callability],
    useFactory: (documents: ReadStore, callability: Callability) => new ModuleIndex(documents, callability),
  },
  {
    provide: TrustReactor,
    inject: [EVENT_STORE, READ_STORE, SignedEvents, ModuleStreams, CONSTANTS, LOGGER, HOSTING, EventLog],
    useFactory: (
      events: EventStore,
      documents: ReadStore,
      signed: SignedEvents,
      streams: ModuleStreams,
      constants: SelfrepConstants,
      logger: Logger,
      hosting: Hosting,
      log: EventLog,
    ) =>
      new TrustReactor({
        ...hostedBy(hosting),
        movedPositions: () => movedPositions(log),
        events,
        documents,
        open: signed.open,
        onTampered: signed.tell,
        streams,
        constants,
        onFault: outageLog(logger, {
          fault: 'trust cannot follow the jobs, and this is tried again',
          over: 'trust follows the jobs again',
          level: 'warn',
        }),
      }),
  },
  {
    provide: EndpointProbe,
    inject: [ModuleStreams, ModuleDirectory, Callability, CONSTANTS],
    useFactory: (...parts: ConstructorParameters<typeof EndpointProbe>) => new EndpointProbe(...parts),
  },
  {
    provide: REACTORS,
    inject: [Reactors, ModuleStreams, ModuleDirectory, EventLog],
    useFactory: (reactors: Reactors, streams: ModuleStreams, directory: ModuleDirectory, log: EventLog) => {
      const words = {
        fault: 'a reaction of the modules failed and is tried again',
        over: 'modules are reacted to again',
      };
      const reactions = [
        dependentsReaction(streams, directory),
        violationsReaction(streams),
        recoveriesReaction(streams, directory, () => lastRecovery(log, 'language-engine')),
      ];
      return reactions.map((reaction) => reactors.of(reaction, words));
    },
  },
];

/** Modules and their trust, kept up while the process runs: directory, snapshots, reactors. */
@Global()
@Module({
  providers: PROVIDERS,
  exports: [
    Evidence,
    Modules,
    GovernedModules,
    ModuleReader,
    ModuleIndex,
    ModuleDirectory,
    SelfrepSnapshots,
    TrustReactor,
  ],
})
export class SelfrepRuntimeModule implements OnModuleInit, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private probing: Promise<void> | undefined;

  constructor(
    private readonly modules: Modules,
    private readonly governed: GovernedModules,
    private readonly directory: ModuleDirectory,
    private readonly snapshots: SelfrepSnapshots,
    private readonly trust: TrustReactor,
    @Inject(REACTORS) private readonly reactors: readonly Reactor[],
    private readonly writer: SemWriter,
    private readonly callability: Callability,
    private readonly probe: EndpointProbe,
    @Inject(READ_STORE) private readonly documents: ReadStore,
    @Inject(HOSTING) private readonly hosting: Hosting,
    @Inject(LOGGER) private readonly logger: Logger,
    running: RunningParts,
    @Optional() private readonly executors?: ActionExecutors,
  ) {
    running.add(() => this.onModuleDestroy());
  }

  onModuleInit(): void {
    for (const executor of this.executors ? moduleExecutors(this.governed, this.callability) : [])
      this.executors!.plug(executor);
    this.writer.guardAgents((agent) => this.modules.refuseBlockedAgent(agent));
    this.trust.start();
    for (const reactor of this.reactors) reactor.start();
    if (this.hosting.isHere) this.probing = this.lookAtEndpoints();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.probing;
    await this.trust.stop();
    await Promise.all(this.reactors.map((reactor) => reactor.stop()));
    await this.directory.stop();
    await this.snapshots.stop();
  }

  private lookAtEndpoints(): Promise<void> {
    const { documents, hosting } = this;
    const onFault = outageLog(this.logger, {
      fault: 'agents that went offline cannot be looked at, and this is tried again',
      over: 'agents that went offline are looked at again',
      level: 'warn',
    });
    const turns = { documents, name: 'endpoint-probes', lease: hosting.lease, stopping: this.stopping.signal, onFault };
    return inTurns(turns, (signal) => this.probe.run(signal));
  }
}

/** The directory filled, the built-in modules registered, the first snapshot made: what jobs need before they begin. */
async function begin(
  snapshots: Snapshots,
  streams: ModuleStreams,
  directory: ModuleDirectory,
  constants: SelfrepConstants,
  logger: Logger,
  running: RunningParts,
  policies: Policies,
  callability: Callability,
): Promise<SelfrepSnapshots> {
  running.add(() => directory.stop());
  const onFault = (error: unknown): void =>
    logger.warn(faultShape(error), 'no snapshot of the modules could be made; jobs keep the one before');
  const selfrep = new SelfrepSnapshots(snapshots, directory, constants, onFault, callability);
  // Who changed a status is answered once the jobs that begin from then on know of it.
  streams.onAppended(async (events) => {
    for (const event of events) directory.apply(event);
    if (events.some(({ type }) => type !== 'APT_EVENT' && type !== 'MODULE_REGISTERED')) await selfrep.settled();
  });
  await directory.start();
  const registered = await registerBuiltIns(BUILT_IN_MODULES, { streams, directory, constants }, Date.now());
  if (registered > 0) logger.info({ modules: registered }, 'registered the modules that come with the system');
  await selfrep.renew();
  directory.onChange((change) => selfrep.take(change));
  policies.onChange((name) => {
    // What jobs pin holds the constants too.
    if (name === 'selfrep') void selfrep.renew().catch(onFault);
  });
  return selfrep;
}

const constantsOf = ({ body }: Snapshot): SelfrepConstants => body as unknown as SelfrepConstants;

/** The constants in force, as they change. */
async function constantsInForce(policies: Policies): Promise<SelfrepConstants> {
  let current = constantsOf(await policies.standing('selfrep'));
  policies.onChange((name, snapshot) => {
    if (name === 'selfrep') current = constantsOf(snapshot);
  });
  return followedConstants(() => current);
}
