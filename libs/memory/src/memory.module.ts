import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type InjectionToken,
  type OnModuleDestroy,
  type Type,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { EventLog } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import type { ReadStore } from '#lib/read-store';

import { AccessTrail } from './access-trail.js';
import type { AgentGrant } from './access-rules.js';
import { DeleteValueHandler } from './commands/delete-value.js';
import { PutValueHandler } from './commands/put-value.js';
import { RegisterKeyHandler } from './commands/register-key.js';
import { readSynonyms, readWorldFacts } from './data/seed-data.js';
import { AliasMap } from './domain/aliases.js';
import { DirectWrites } from './direct-writes.js';
import { MemoryFailureSpool } from './failure-spool.js';
import { IdentityRegistry } from './identity-registry.js';
import { KeyRegistration } from './key-registration.js';
import { privacyDetector } from './pii-detector.js';
import { PiiGate } from './pii-gate.js';
import { NO_CONSENTS, type ConsentLookup, type FailureSpool, type Sleep } from './ports.js';
import { GetHistoryHandler } from './queries/get-history.js';
import { GetValueHandler } from './queries/get-value.js';
import { ListKeysHandler } from './queries/list-keys.js';
import { ResolveAliasHandler } from './queries/resolve-alias.js';
import { SemIndex } from './sem-index.js';
import { SemMemory } from './sem-memory.js';
import { SemReader } from './sem-reader.js';
import { SemWriter } from './sem-writer.js';
import { worldFactAliases } from './world-fact-aliases.js';

/** What memory is wired with besides EventLog and KeyRing, which every module of an application is given. */
export interface MemoryOptions {
  readonly readStore: ReadStore;
  /** config/agents_allowed_writes.json, as parseAgentGrants reads it. */
  readonly agents: readonly AgentGrant[];
  /** Events of an outage wait in memory where absent. */
  readonly spool?: FailureSpool;
  readonly consents?: ConsentLookup;
  readonly sleep?: Sleep;
}

const HANDLERS = [
  PutValueHandler,
  DeleteValueHandler,
  RegisterKeyHandler,
  GetValueHandler,
  GetHistoryHandler,
  ListKeysHandler,
  ResolveAliasHandler,
];

/** Memory's place in a Nest application; as it ends, what an outage left unrecorded is appended. */
@Module({})
export class MemoryModule implements OnModuleDestroy {
  constructor(private readonly trail: AccessTrail) {}

  onModuleDestroy(): Promise<void> {
    return this.trail.recover();
  }

  static register(options: MemoryOptions): DynamicModule {
    const { agents, spool = new MemoryFailureSpool(), readStore, consents = NO_CONSENTS, sleep = wait } = options;
    return {
      module: MemoryModule,
      imports: [CqrsModule],
      providers: [
        ...HANDLERS,
        given(PiiGate, [KeyRing], (ring: KeyRing) => new PiiGate(privacyDetector(ring), consents)),
        given(SemReader, [EventLog], (log: EventLog) => new SemReader(log, consents)),
        given(
          SemWriter,
          [EventLog, PiiGate],
          (log: EventLog, gate: PiiGate) => new SemWriter(log, gate, agents, sleep),
        ),
        given(
          SemMemory,
          [SemReader, SemWriter],
          (reader: SemReader, writer: SemWriter) => new SemMemory(reader, writer),
        ),
        given(AccessTrail, [EventLog], (log: EventLog) => new AccessTrail(log, spool)),
        given(
          DirectWrites,
          [SemWriter, AccessTrail],
          (writer: SemWriter, trail: AccessTrail) => new DirectWrites(writer, trail),
        ),
        given(IdentityRegistry, [EventLog, KeyRing], (log: EventLog, ring: KeyRing) => new IdentityRegistry(log, ring)),
        given(
          KeyRegistration,
          [IdentityRegistry, PiiGate],
          (registry: IdentityRegistry, gate: PiiGate) => new KeyRegistration(registry, gate),
        ),
        given(SemIndex, [SemReader], (reader: SemReader) => new SemIndex(readStore, reader)),
        given(
          AliasMap,
          [],
          () => new AliasMap([...Object.entries(readSynonyms()), ...worldFactAliases(readWorldFacts())]),
        ),
      ],
      exports: [SemMemory, SemIndex, SemReader, SemWriter, IdentityRegistry, AliasMap, AccessTrail],
    };
  }
}

function given<T>(
  provide: Type<T>,
  inject: InjectionToken[],
  // Nest hands the injected in their order; their types are the classes'.
  useFactory: (...injected: never[]) => T,
): FactoryProvider<T> {
  return { provide, inject, useFactory: useFactory as FactoryProvider<T>['useFactory'] };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
