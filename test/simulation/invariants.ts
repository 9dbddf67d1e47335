import { comparePositions, EventCodec, EventLog, positionOf, START, SubjectCiphers } from '#lib/event-store';
import { Snapshots } from '#lib/governance';
import { rerun } from '#lib/projections';

import { PROJECTIONS } from '../../apps/api/src/projections/projections.runtime.module.js';
import { findViolation, type Operation } from '../support/linearizability.js';
import { everyJobReplays } from '../support/replay-check.js';
import { KEYS, MOTTO } from './commands.js';
import type { History } from './history.js';
import { rootOf } from './memory-tree.js';
import { REGISTRY, RING } from './sim-platform.js';
import { type Examined, indexed } from './stored.js';
import { toldIsStored } from './told-and-stored.js';

type Invariant = (examined: Examined) => Promise<readonly string[]> | readonly string[];

/**
 * Everything that is wrong with what a history has left; nothing where all promises were kept. No timer outlives it: one
 * that fired later would set another by the clock of a later history, which would then go another way.
 */
export async function faultsOf(history: History): Promise<readonly string[]> {
  const timers = jest.spyOn(globalThis, 'setTimeout');
  try {
    return await examine(history);
  } finally {
    for (const { value } of timers.mock.results) clearTimeout(value as NodeJS.Timeout);
    timers.mockRestore();
  }
}

async function examine(history: History): Promise<readonly string[]> {
  const codec = new EventCodec(REGISTRY, RING, new SubjectCiphers(history.world.keys, RING));
  const log = new EventLog(history.world.log, codec);
  const examined = { history, log, ...indexed(history.events, codec) };
  const faults: string[] = [];
  for (const [name, invariant] of Object.entries(INVARIANTS)) {
    const found = await Promise.resolve(invariant(examined)).catch((error: unknown) => [String(error)]);
    faults.push(...found.map((fault) => `${name}: ${fault}`));
  }
  return faults;
}

const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'what was told is what is stored': toldIsStored,
  'every stream verifies': streamsVerify,
  'revisions and positions are dense': areDense,
  'each read model is what a rebuild makes': readModelsAreRebuilt,
  'no event is projected twice or left out': spansAreWhole,
  'every job is sealed and replays': jobsReplay,
  'what was approved is done once': approvedIsDoneOnce,
  'what is due is closed': dueIsClosed,
  'a key is one register': keysAreRegisters,
  'the tree is that of the log': treeIsOfLog,
  'nobody listens for ever': ({ history }) => history.listeners,
};

async function streamsVerify({ log, streams }: Examined): Promise<string[]> {
  const faults: string[] = [];
  for (const [stream, events] of streams) {
    const { head } = await log.load(stream, { personal: 'plain' });
    if (head.version !== events.length) faults.push(`${stream}: ${head.version} read, ${events.length} in the log`);
  }
  return faults;
}

function areDense({ history, streams }: Examined): string[] {
  const faults: string[] = [];
  for (const [i, { position }] of history.events.entries())
    if (position !== positionOf(i + 1)) faults.push(`event ${i + 1} stands at position ${position}`);
  for (const [stream, events] of streams)
    for (const [i, { revision }] of events.entries())
      if (revision !== i) faults.push(`${stream}: event ${i} has revision ${revision}`);
  return faults;
}

async function readModelsAreRebuilt({ history: { world }, log: { codec, store } }: Examined): Promise<string[]> {
  const faults: string[] = [];
  const head = await store.head();
  for (const projection of PROJECTIONS) {
    const options = { events: store, documents: world.documents, decode: codec.decode.bind(codec) };
    const result = await rerun(projection, options);
    if (result.to !== head) faults.push(`${projection.name} is at ${result.to}, the log at ${head}`);
    if (!result.comparable || !result.equal) faults.push(`${projection.name}: ${JSON.stringify(result)}`);
  }
  return faults;
}

function spansAreWhole({ history: { world } }: Examined): string[] {
  const faults: string[] = [];
  for (const [generation, spans] of world.documents.spans) {
    let at: string = START;
    for (const { from, to, changes } of spans) {
      const ahead = comparePositions(positionOf(to), positionOf(from));
      if (from !== at || ahead < 0 || (ahead === 0 && changes > 0))
        faults.push(`${generation}: ${changes} changes from ${from} to ${to} after those to ${at}`);
      at = to;
    }
  }
  return faults;
}

/** Names each job that does not, and each event id that stands in two places. */
async function jobsReplay({ history: { world }, log }: Examined): Promise<string[]> {
  await everyJobReplays({ events: log, eventStore: world.log, ring: RING, snapshots: new Snapshots(log, RING) });
  return [];
}

function approvedIsDoneOnce({ ofType, streams }: Examined): string[] {
  const faults: string[] = [];
  for (const approval of ofType('ACTION_APPROVED')) {
    const outcomes = (streams.get(approval.stream) ?? []).filter(({ type }) => EXECUTIONS.includes(type));
    if (outcomes.length !== 1) faults.push(`${approval.stream} has ${outcomes.length} outcomes`);
  }
  const written = (streams.get(`sem-${MOTTO}`) ?? []).map(({ metadata }) => metadata.$causationId);
  const executed = ofType('ACTION_EXECUTED').filter(({ data }) => data['action'] === 'sem_put');
  const causes = executed.map(({ data }) => data['approval_event_id'] as string);
  for (const cause of new Set([...causes, ...written])) {
    const times = written.filter((other) => other === cause).length;
    if (times !== 1) faults.push(`the write that approval ${cause} is for stands ${times} times`);
    if (!causes.includes(cause as string)) faults.push(`what approval ${cause} is for was not recorded as done`);
  }
  const changes = ofType('POLICY_CHANGED').map(({ data }) => data['request_id'] as string | undefined);
  for (const id of new Set(changes))
    if (id !== undefined && changes.filter((other) => other === id).length > 1)
      faults.push(`request ${id} changed its policy twice`);
  return faults;
}

const EXECUTIONS = ['ACTION_EXECUTED', 'ACTION_FAILED'];
const DECISIONS = ['ACTION_APPROVED', 'ACTION_REJECTED', 'ACTION_EXPIRED'];
/** One admin may take so long that a history is over before. */
const SHORT = 'council_quorum';

function dueIsClosed({ ofType, streams }: Examined): string[] {
  return ofType('ACTION_REQUESTED').flatMap(({ data, stream }) => {
    const decisions = (streams.get(stream) ?? []).filter(({ type }) => DECISIONS.includes(type)).length;
    const isOpen = decisions === 0 && data['required_approval_type'] === SHORT;
    return isOpen || decisions > 1 ? [`${stream} has ${decisions} decisions`] : [];
  });
}

function keysAreRegisters({ history: { told, reads } }: Examined): string[] {
  return KEYS.flatMap((key) => {
    const operations: Operation<unknown>[] = reads
      .filter((read) => read.key === key)
      .map((read) => ({ ...read, kind: 'get' }));
    for (const { client, write, outcome, called, returned } of told) {
      if (write?.key !== key || outcome === 'refused') continue;
      const answered = outcome === 'acknowledged' ? returned : undefined;
      operations.push({ client, kind: 'put', value: write.value, called, returned: answered });
    }
    const longest = findViolation(operations, null);
    return longest
      ? [`${key}: no order of ${JSON.stringify(operations)}; the longest is ${JSON.stringify(longest)}`]
      : [];
  });
}

function treeIsOfLog({ history: { world, events } }: Examined): string[] {
  const faults: string[] = [];
  if (world.tree.size !== events.length) faults.push(`${world.tree.size} leaves of ${events.length} events`);
  if (world.tree.root !== rootOf(events)) faults.push(`root ${world.tree.root}, computed anew ${rootOf(events)}`);
  return faults;
}
