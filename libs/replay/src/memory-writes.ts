import type { EventLog, LoggedEvent } from '#lib/event-store';
import { semStream } from '#lib/memory';
import type { Json, JsonObject } from '#lib/kernel';

import type { StepList } from './step-list.js';

/** What a job's record says of a write that it made: taken as the world's word by the engine, and so held to the world here. */
interface OwnWrite {
  readonly key: string;
  readonly timestamp: Json;
  readonly key_revision: number;
  readonly applied: boolean;
  readonly revision: number;
  readonly event_id: string;
}

type Written = Pick<LoggedEvent, 'type' | 'data'>;

const EVENT_ID = /^[0-9a-f]{64}$/;
const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const DONE = ['applied', 'attempts', 'event_id', 'ok', 'revision'];
const NOT_DONE = ['attempts', 'error_code', 'fault', 'flagged', 'ok'];

/**
 * The first event that a job says it wrote to memory, and that is not stored; null where there is none. What is of no form
 * that a job writes names nothing.
 * @param check told before each read; what it throws ends the search
 */
export async function missingWrite(
  log: EventLog,
  events: readonly Written[],
  check: () => void = () => undefined,
): Promise<string | null> {
  for (const write of writesIn(events)) {
    if (typeof write === 'string') continue;
    check();
    if (!(await storedAt(log, write))) return write.event_id;
  }
  return null;
}

/**
 * Tells a failed step where a write of a job's record has a form that no job writes, or is another event than the one that
 * is stored where it says.
 * @throws IntegrityError
 */
export async function checkWrites(log: EventLog, events: readonly LoggedEvent[], list: StepList): Promise<void> {
  for (const write of writesIn(events)) {
    const fault = typeof write === 'string' ? write : await faultOf(log, write, events[0]!);
    if (fault !== null) return list.failed('log references', fault);
  }
}

async function faultOf(
  log: EventLog,
  write: OwnWrite,
  { metadata: { job_seed } }: LoggedEvent,
): Promise<string | null> {
  const recorded = await storedAt(log, write);
  if (!recorded) return null;
  const { stream, revision } = recorded;
  const event = log.codec.openAlone(recorded);
  const { applied, timestamp } = event.data;
  const isIt =
    event.type === 'SEM_PUT' &&
    event.metadata.event_id === write.event_id &&
    event.metadata.job_seed === job_seed &&
    applied === write.applied &&
    timestamp === write.timestamp;
  return isIt ? null : `MEMORY_WRITE_RESULT names another event than stands at ${stream}, revision ${revision}`;
}

async function storedAt({ store }: EventLog, { key, revision }: OwnWrite) {
  return (await store.readStream(semStream(key), { from: revision, limit: 1 })).events[0];
}

/** In the order of the record; of one that has no form of a write, which field it is, in words. */
function writesIn(events: readonly Written[]): readonly (OwnWrite | string)[] {
  return events.flatMap(({ type, data }, i) => {
    if (type === 'MEMORY_WRITE_REQUESTED') return isCount(data['key_revision']) ? [] : [strange(type, 'key_revision')];
    if (type !== 'MEMORY_WRITE_RESULT') return [];
    const fault = resultFault(data);
    if (fault !== null) return [strange(type, fault)];
    const asked = events.slice(0, i).findLast((event) => event.type === 'MEMORY_WRITE_REQUESTED')?.data ?? {};
    const { key, key_revision, timestamp } = asked;
    if (data['ok'] !== true || typeof key !== 'string' || !isCount(key_revision)) return [];
    const write = { ...(data as unknown as OwnWrite), key, key_revision, timestamp: timestamp ?? null };
    return [write.revision < key_revision ? strange(type, 'revision') : write];
  });
}

function resultFault(data: JsonObject): string | null {
  const isDone = data['ok'] === true;
  const unknown = Object.keys(data).find((name) => !(isDone ? DONE : NOT_DONE).includes(name));
  if (unknown !== undefined) return unknown;
  if (typeof data['ok'] !== 'boolean') return 'ok';
  if (data['attempts'] !== 1 && data['attempts'] !== 2) return 'attempts';
  if (!isDone) return ['error_code', 'fault'].find((name) => typeof data[name] !== 'string') ?? null;
  if (typeof data['applied'] !== 'boolean') return 'applied';
  if (!isCount(data['revision'])) return 'revision';
  return typeof data['event_id'] === 'string' && EVENT_ID.test(data['event_id']) ? null : 'event_id';
}

function strange(type: string, field: string): string {
  return `/data/${field.slice(0, 80)} of ${type} is of a form that no job records`;
}
