import { accessEvents, fixtureKeyRing, type CommandContext, type Principal, type Role } from '#lib/access';
import { EventCodec, EventLog, SubjectCiphers, type EventStore, type SubjectKeyStore } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';

import { commandContext, type ContextOptions } from '../../../access/src/testing/command-context.js';
import { MemoryEventStore } from '../../../event-store/src/memory/memory-event-store.js';
import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { AccessTrail } from '../access-trail.js';
import type { AgentGrant } from '../access-rules.js';
import { DirectWrites, type SemAnswer, type SemPending } from '../direct-writes.js';
import { memoryEvents } from '../domain/sem.events.js';
import { MemoryFailureSpool } from '../failure-spool.js';
import { IdentityRegistry } from '../identity-registry.js';
import { KeyRegistration } from '../key-registration.js';
import { privacyDetector } from '../pii-detector.js';
import { PiiGate } from '../pii-gate.js';
import { NO_CONSENTS, type ConsentLookup } from '../ports.js';
import { GetHistoryHandler } from '../queries/get-history.js';
import { GetValueHandler } from '../queries/get-value.js';
import { SemMemory } from '../sem-memory.js';
import { SemReader } from '../sem-reader.js';
import { SemWriter } from '../sem-writer.js';

/** 2026-01-01T00:00:00.000Z: where a test's time begins. */
export const NOON = Date.UTC(2026, 0, 1);

export const TUFF = principal('user_tuff', ['user']);
export const EVE = principal('user_eve', ['user']);
export const ADMIN = principal('user_ada', ['admin'], true);

export function principal(id: string, roles: readonly Role[], elevated = false): Principal {
  return { id, roles, elevated };
}

/** What a test may set up otherwise than a process would. */
export interface HarnessOptions {
  readonly store?: EventStore;
  /** Shared by processes that share a store. */
  readonly keys?: SubjectKeyStore;
  readonly consents?: ConsentLookup;
  readonly agents?: readonly AgentGrant[];
  /** By which consents have ended when something is read. */
  readonly now?: () => number;
}

/** One process's worth of memory, over a store of its own or one that several share. */
export function memoryProcess(options: HarnessOptions = {}) {
  const {
    store = new MemoryEventStore(),
    keys = new MemorySubjectKeys(),
    consents = NO_CONSENTS,
    agents = [],
    now = Date.now,
  } = options;
  const ring = fixtureKeyRing();
  const log = new EventLog(
    store,
    new EventCodec(new EventRegistry([...accessEvents, ...memoryEvents]), ring, new SubjectCiphers(keys, ring)),
  );
  const slept: number[] = [];
  const gate = new PiiGate(privacyDetector(ring), consents);
  const writer = new SemWriter(log, gate, agents, async (ms) => void slept.push(ms));
  const spool = new MemoryFailureSpool();
  const trail = new AccessTrail(log, spool);
  const reader = new SemReader(log, consents, now);
  const writes = new DirectWrites(writer, trail);
  const registry = new IdentityRegistry(log, ring);
  return {
    store,
    keys,
    ring,
    log,
    slept,
    gate,
    writer,
    spool,
    trail,
    registry,
    reader,
    writes,
    memory: new SemMemory(reader, writer),
    keyRegistration: new KeyRegistration(registry, gate),
    getValue: new GetValueHandler(reader, gate),
    getHistory: new GetHistoryHandler(reader, gate),
    /** Types and data of a stream, personal fields in plain. */
    async events(stream: string) {
      const { events } = await log.load(stream, { personal: 'plain' });
      return events;
    },
  };
}

export type MemoryProcess = ReturnType<typeof memoryProcess>;

/** The answer to a write that waits for nobody. */
export function stored(answer: SemAnswer | SemPending): SemAnswer {
  if (!answer.success) throw new Error(`the write waits for request ${answer.request_id}`);
  return answer;
}

/** What of a request's context a test may set. */
export type RequestOptions = Partial<Omit<ContextOptions, 'method'>>;

export function ctxOf(who: Principal, options: RequestOptions = {}): CommandContext {
  return commandContext(who, { now: NOON, method: 'PUT', path: '/sem', ...options });
}

export { MemorySubjectKeys };
