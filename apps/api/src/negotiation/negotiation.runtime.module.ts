import { Global, Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { CqrsModule } from '@nestjs/cqrs';

import { type ArtifactStore, EventLog, SubjectCiphers } from '#lib/event-store';
import { type Dated, type Policies, type Snapshot, WindowKeeping, Windows } from '#lib/governance';
import { KeyRing, RequestDigests } from '#lib/kernel';
import {
  CriticList,
  Critics,
  GetNegotiationHandler,
  ListCriticsHandler,
  ListNegotiationsHandler,
  type MessageDigest,
  NegotiationList,
  Negotiations,
  negotiationsProjection,
  type NegotiationProposed,
  type NegotiationRules,
  ProposedArtifacts,
  Waiters,
} from '#lib/negotiation';
import { ProjectionHost, ReadModel } from '#lib/projections';
import type { ReadStore } from '#lib/read-store';

import type { Logger } from '../edge/log.js';
import { outageLog } from '../edge/outage-log.js';
import { ADOPTED_POLICIES } from '../governance/adopted-policies.js';
import type { Hosting } from '../hosting.js';
import { ARTIFACT_STORE, HOSTING, IS_PERSONAL, LOGGER, READ_STORE, VOTE_LATENCY } from '../platform.tokens.js';
import { RunningParts } from '../running-parts.js';
import { DecisionWatch } from './decision-watch.js';

const ROOM = Symbol('NEGOTIATION_ROOM');

/** The room and its due times, each made with the other. */
interface Room {
  readonly negotiations: Negotiations;
  readonly windows: Windows;
}

@Global()
@Module({
  imports: [CqrsModule],
  providers: [
    GetNegotiationHandler,
    ListNegotiationsHandler,
    ListCriticsHandler,
    Waiters,
    {
      provide: Critics,
      inject: [EventLog, KeyRing],
      useFactory: (log: EventLog, ring: KeyRing) => new Critics(log, digestBy(ring)),
    },
    {
      provide: ProposedArtifacts,
      inject: [SubjectCiphers, ARTIFACT_STORE],
      useFactory: (ciphers: SubjectCiphers, artifacts: ArtifactStore) => new ProposedArtifacts(ciphers, artifacts),
    },
    {
      provide: NegotiationList,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new NegotiationList(new ReadModel(documents, negotiationsProjection)),
    },
    {
      provide: CriticList,
      inject: [READ_STORE],
      useFactory: (documents: ReadStore) => new CriticList(new ReadModel(documents, negotiationsProjection)),
    },
    {
      provide: ROOM,
      inject: [
        EventLog,
        ProposedArtifacts,
        Critics,
        Waiters,
        KeyRing,
        IS_PERSONAL,
        LOGGER,
        VOTE_LATENCY,
        ADOPTED_POLICIES,
      ],
      useFactory: roomOf,
    },
    { provide: Negotiations, inject: [ROOM], useFactory: ({ negotiations }: Room) => negotiations },
  ],
  exports: [Waiters, Critics, ProposedArtifacts, NegotiationList, Negotiations, ROOM],
})
class NegotiationRoomModule {}

/** The Negotiation Room while the process runs: its due times, and who waits for its decisions. */
@Module({ imports: [NegotiationRoomModule] })
export class NegotiationRuntimeModule implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly keeping: WindowKeeping;
  private readonly watch: DecisionWatch;

  constructor(
    log: EventLog,
    @Inject(ROOM) { windows }: Room,
    list: NegotiationList,
    waiters: Waiters,
    host: ProjectionHost,
    @Inject(READ_STORE) documents: ReadStore,
    @Inject(HOSTING) { isHere, lease }: Hosting,
    @Inject(LOGGER) logger: Logger,
    running: RunningParts,
  ) {
    const onFault = outageLog(logger, {
      fault: 'open negotiations could not be looked for, and this is tried again',
      over: 'open negotiations are kept again',
    });
    const keeping = { name: 'negotiation-windows', isHere, lease, documents, onFault };
    this.keeping = new WindowKeeping({ log, windows, host, dated: datedNegotiations(list) }, keeping);
    const onUnfollowed = outageLog(logger, {
      fault: 'decisions cannot be followed, and this is tried again',
      over: 'decisions are followed again',
    });
    this.watch = new DecisionWatch(log.store, waiters, onUnfollowed);
    running.add(() => this.onModuleDestroy());
  }

  onApplicationBootstrap(): void {
    this.keeping.start();
    this.watch.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.watch.stop();
    await this.keeping.stop();
  }
}

/** The policy in force, as it changes; each proposal keeps what it was taken under. */
async function rulesInForce(policies: Policies): Promise<() => NegotiationRules> {
  const rulesOf = ({ body: { windows, ...policy } }: Snapshot) => ({ policy, windows }) as unknown as NegotiationRules;
  let current = rulesOf(await policies.standing('negotiation'));
  policies.onChange((name, snapshot) => {
    if (name === 'negotiation') current = rulesOf(snapshot);
  });
  return () => current;
}

function datedNegotiations(list: NegotiationList): Dated {
  return {
    projection: negotiationsProjection.name,
    opening: ['NEGOTIATION_PROPOSED'],
    dueOf(data) {
      const { artifact_id, due_at } = data as unknown as NegotiationProposed;
      return { id: artifact_id, dueAt: due_at };
    },
    open: () => list.open(),
  };
}

async function roomOf(
  log: EventLog,
  artifacts: ProposedArtifacts,
  critics: Critics,
  waiters: Waiters,
  ring: KeyRing,
  isPersonal: (id: string) => boolean,
  logger: Logger,
  onVote: (seconds: number) => void,
  policies: Policies,
): Promise<Room> {
  const rules = await rulesInForce(policies);
  const told = outageLog(logger, {
    fault: 'a window could not be closed yet, and is tried again',
    over: 'windows are closed again',
    level: 'warn',
  });
  const onFault = (artifact: string, error: unknown): void => told(error, { artifact });
  const windows = new Windows((artifact) => negotiations.close(artifact, Date.now()), onFault);
  const negotiations: Negotiations = new Negotiations({
    log,
    artifacts,
    critics,
    waiters,
    dueTimes: windows,
    rules,
    digest: digestBy(ring),
    isPersonal,
    onVote,
  });
  return { negotiations, windows };
}

function digestBy(ring: KeyRing): MessageDigest {
  const digests = new RequestDigests(ring);
  return (message) => {
    const text = JSON.stringify(message);
    return [digests.of(text), ...digests.earlier(text)];
  };
}
