import { fixtureKeyRing } from '#lib/access';
import {
  emptyHead,
  EventCodec,
  EventLog,
  type EventStore,
  MemoryEventStore,
  type RecordedEvent,
  SubjectCiphers,
} from '#lib/event-store';
import { type Snapshot, snapshotEvents, Snapshots } from '#lib/governance';
import { EventRegistry, type DomainEvent, type EventDefinition, traceId } from '#lib/kernel';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';

import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { SELFREP_DEFAULTS, type SelfrepConstants } from '../domain/constants.js';
import { decideRegister } from '../domain/decide.js';
import { moduleEvents, moduleStream } from '../domain/module.events.js';
import { completeSpec, type ModuleRequest } from '../domain/registration.js';
import { reservationEvents } from '../domain/reservations.js';
import { GovernedModules } from '../governed-modules.js';
import { ModuleDirectory } from '../module-directory.js';
import { ModuleReader } from '../module-reader.js';
import { ModuleStreams } from '../module-streams.js';
import type { Callability } from '../ports.js';
import { Registrations } from '../registrations.js';
import { SelfrepSnapshots } from '../selfrep-snapshots.js';
import { TrustReactor } from '../trust-reactor.js';

/** Job events as far as trust reads them. */
const JOB_DEFINITIONS: readonly EventDefinition[] = [
  { type: 'AGENT_OUTPUT', version: 1, plain: ['node_id', 'outcome'] },
  { type: 'AGENT_TIMEOUT', version: 1, plain: ['node_id'] },
  { type: 'AGENT_EXCEPTION', version: 1, plain: ['node_id'] },
  { type: 'COUNCIL_DECISION', version: 1, plain: ['candidate_event_id', 'outcome'] },
];

export interface SelfrepProcessOptions {
  readonly store?: EventStore;
  readonly documents?: ReadStore;
  readonly constants?: Partial<SelfrepConstants>;
  /** Milliseconds since the Unix epoch, by which reservations end. */
  readonly now?: () => number;
  /** Everything can be called where absent. */
  readonly callability?: Callability;
}

/** One process's worth of modules and trust, over a store of its own or one that several share. */
export function selfrepProcess(options: SelfrepProcessOptions = {}) {
  const { store = new MemoryEventStore(), documents = new MemoryReadStore() } = options;
  const constants = { ...SELFREP_DEFAULTS, ...options.constants };
  const ring = fixtureKeyRing();
  const registry = new EventRegistry([...moduleEvents, ...reservationEvents, ...snapshotEvents, ...JOB_DEFINITIONS]);
  const codec = new EventCodec(registry, ring, new SubjectCiphers(new MemorySubjectKeys(), ring));
  const log = new EventLog(store, codec);
  const streams = new ModuleStreams(log);
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const signed = {
    open: async (recorded: RecordedEvent) => codec.openAlone(recorded),
    onTampered: onFault,
  };
  const directory = new ModuleDirectory({ events: store, documents, ...signed, onFault });
  const registrations = new Registrations(log, streams, directory, options.now);
  const snapshots = new Snapshots(log, ring);
  const selfrep = new SelfrepSnapshots(snapshots, directory, constants, onFault, options.callability);
  streams.onAppended((events) => events.forEach((event) => directory.apply(event)));
  const reactorOn = (checkpoints: ReadStore = documents): TrustReactor =>
    new TrustReactor({
      events: store,
      documents: checkpoints,
      ...signed,
      streams,
      constants,
      onFault,
      gatherMs: 1,
      lookAgainMs: 5,
    });
  return {
    store,
    documents,
    log,
    streams,
    directory,
    snapshots,
    selfrep,
    faults,
    constants,
    reactorOn,
    registrations,
    governed: new GovernedModules(streams, directory, registrations, constants),
    reader: new ModuleReader(log, streams, () => Promise.resolve([constants])),
    load: (id: string): Promise<Snapshot> => snapshots.load(id),
    events: async (nodeId: string) => (await log.load(moduleStream(nodeId))).events,
    async register(node_id: string, more: Partial<ModuleRequest> = {}): Promise<void> {
      const type = node_id.slice(0, node_id.indexOf(':')) as ModuleRequest['type'];
      const spec = completeSpec({ node_id, type, display_name: node_id, version: '1', ...more });
      const jobSeed = `system:test:${node_id}`;
      const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
      const begun = { spec, registered_by: 'system', registered_at: '2026-01-01T00:00:00.000Z', unhealthy: [] };
      await streams.execute(node_id, by, () => decideRegister(null, begun, constants));
    },
    /** A job's events, as its stream holds them; answers their ids. */
    async job(seed: string, ...events: readonly DomainEvent[]): Promise<readonly string[]> {
      const by = { jobSeed: seed, sequenceIndex: 0, actor: { id: 'user_tuff', role: 'user' }, traceId: traceId(seed) };
      const appended = await log.append(emptyHead(`job-${seed}`), events, by);
      return appended.events.map(({ metadata }) => metadata.event_id);
    },
  };
}

export type SelfrepProcess = ReturnType<typeof selfrepProcess>;
