import {
  accessEvents,
  type CommandContext,
  fixtureKeyRing,
  KeyIntervals,
  type Principal,
  type Role,
} from '#lib/access';
import { adminAccess } from '#lib/audit';
import {
  EventCodec,
  EventLog,
  type EventStore,
  MemoryEventStore,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { EventRegistry, type JsonObject, type KeyRing } from '#lib/kernel';
import {
  AccessTrail,
  memoryEvents,
  MemoryFailureSpool,
  NO_CONSENTS,
  PiiGate,
  privacyDetector,
  SemReader,
  SemWriter,
} from '#lib/memory';

import { commandContext, type ContextOptions } from '../../../access/src/testing/command-context.js';
import { MemorySubjectKeys } from '../../../memory/src/testing/memory-harness.js';
import { ActionExecution } from '../action-execution.js';
import { ActionRequests } from '../action-requests.js';
import { actionRequestEvents, actionRequestStream } from '../domain/action-requests.events.js';
import { policyEvents } from '../domain/policy.events.js';
import { POLICY_ONLY_KINDS, snapshotEvents } from '../domain/snapshot.js';
import { snapshotHaltEvents } from '../domain/snapshot-halt.js';
import { executorsOf } from '../governance.module.js';
import { Policies, type PolicyForms } from '../policies.js';
import { orderOf, Proposals, type RequestedAction } from '../proposals.js';
import { Snapshots } from '../snapshots.js';
import { TextScreen } from '../text-screen.js';
import { Windows } from '../windows.js';

/** 2026-01-01T12:00:00.000Z: where a test's time begins. */
export const NOON = Date.UTC(2026, 0, 1, 12);
export const HOUR = 3_600_000;

export const SOLVER = person('user_solver', 'agent');
export const OSCAR = person('user_oscar', 'operator');
export const ADA = person('user_ada', 'admin');
export const BOB = person('user_bob', 'admin');
export const ROOT = person('user_root', 'superadmin');
export const [ANNA, BEN, CARA, DAN] = ['anna', 'ben', 'cara', 'dan'].map((name) =>
  person(`user_${name}`, 'council'),
) as [Principal, Principal, Principal, Principal];

export function person(id: string, ...roles: Role[]): Principal {
  return { id, roles, elevated: true };
}

/** As jobs define it, which stand above this library. */
const INTEGRITY_FAILURE = {
  type: 'INTEGRITY_FAILURE',
  version: 1,
  plain: ['target_log_id', 'job_id', 'node_id', 'stream', 'revision', 'reason', 'evidence_ref'],
};

/** Any body will do, but for the governance constants. */
const FORMS: PolicyForms = {
  names: ['router', 'brainstate', 'governance', 'safety', ...POLICY_ONLY_KINDS],
  fault: (name, { council_quorum: quorum }) =>
    name === 'governance' && !(Number.isInteger(quorum) && Number(quorum) > 0)
      ? '/council_quorum: a whole number from 1'
      : null,
};

export interface HarnessOptions {
  readonly store?: EventStore;
  readonly keys?: SubjectKeyStore;
  /** That of the fixtures by default. */
  readonly ring?: KeyRing;
  readonly governance?: JsonObject;
  /** Without any policy yet. */
  readonly bare?: boolean;
}

/** One process's worth of governance, over a store of its own or one that several share. */
export async function governanceProcess(options: HarnessOptions = {}) {
  const {
    store = new MemoryEventStore(),
    keys = new MemorySubjectKeys(),
    ring = fixtureKeyRing(),
    governance = { council_quorum: 3 },
  } = options;
  const registry = new EventRegistry([
    ...accessEvents,
    adminAccess,
    ...memoryEvents,
    ...snapshotEvents,
    ...snapshotHaltEvents,
    INTEGRITY_FAILURE,
    ...actionRequestEvents,
    ...policyEvents,
  ]);
  const codec = new EventCodec(registry, ring, new SubjectCiphers(keys, ring));
  const log = new EventLog(store, codec, new KeyIntervals({ store, codec }, ring));
  const gate = new PiiGate(privacyDetector(ring), NO_CONSENTS);
  const writer = new SemWriter(log, gate, [], () => Promise.resolve());
  const snapshots = new Snapshots(log, ring);
  const registered = new Set([ANNA, BEN, CARA, DAN].map(({ id }) => id));
  const policies = new Policies(log, snapshots, FORMS, (id) => Promise.resolve(registered.has(id)));
  const executors = executorsOf(writer, policies, log, snapshots);
  const screen = new TextScreen(ring, new AccessTrail(log, new MemoryFailureSpool()));
  const clock = { now: NOON };
  const faults: unknown[] = [];
  const requests: ActionRequests = new ActionRequests(log, screen, () => windows);
  const windows = new Windows(
    (id) => requests.close(id, clock.now),
    (_, error) => void faults.push(error),
    () => clock.now,
  );
  const proposals = new Proposals(log, ring, policies, executors, screen, windows);
  const execution = new ActionExecution(
    log,
    executors,
    (error) => void faults.push(error),
    () => clock.now,
  );
  if (options.bare !== true) {
    await policies.adopt('governance', governance, NOON);
    await policies.adopt('router', { min_score: 0.2 }, NOON);
  }
  return {
    store,
    keys,
    log,
    reader: new SemReader(log),
    snapshots,
    /** Ids of those who are registered; a test may take some away. */
    registered,
    policies,
    executors,
    requests,
    windows,
    proposals,
    execution,
    clock,
    faults,
    propose: (who: Principal, requested: RequestedAction, options: CtxOptions = {}) =>
      proposals.propose(orderOf(ctxOf(who, { now: clock.now, ...options }), requested)),
    /** What the reactor does, for every approval there is. */
    async reactToAll(): Promise<void> {
      const { events } = await store.readAll({ after: '0' as never, limit: 4096, types: execution.types });
      for (const event of events) await execution.react(event);
    },
    async types(requestId: string): Promise<string[]> {
      return (await log.load(actionRequestStream(requestId))).events.map(({ type }) => type);
    },
  };
}

export type GovernanceProcess = Awaited<ReturnType<typeof governanceProcess>>;

/** What of a request's context a test may set. */
export type CtxOptions = Partial<Omit<ContextOptions, 'method'>>;

export function ctxOf(who: Principal, options: CtxOptions = {}): CommandContext {
  return commandContext(who, { now: NOON, method: 'POST', path: '/actionrequest', ...options });
}
