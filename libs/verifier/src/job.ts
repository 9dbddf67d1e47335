import type { Bundle } from './bundle.js';
import { canonical, isArray, type Json, type JsonObject } from './canonical.js';
import { isObject, type ProvenEvent } from './events.js';
import { sha256Hex } from './leaf.js';
import { Difference, eachOnce, same, word } from './report.js';
import { checkInterval } from './signatures.js';

/** What the events of one job must be to each other (spec/kernel.md, "Ids" and "Streams"). */

/** The events of the job itself: all of them, from JOB_ACCEPTED to its seal, under one seed. @throws Difference */
export function checkJob({ about }: Bundle, events: readonly ProvenEvent[]): ProvenEvent[] {
  const stream = `job-${about.job_id}`;
  const job = events.filter(({ record }) => record.stream === stream);
  const [first, last] = [job[0], job.at(-1)];
  if (!first || !last) throw new Difference({ check: 'the job', at: stream, expected: 'its events', found: 'none' });
  same('the job', first.at, 'JOB_ACCEPTED', first.type);
  same('seal', last.at, 'JOB_SEALED', last.type);
  same('seal', last.at, `${job.length - 1} events before it`, `${word(last.data['count'])} events before it`);
  same('seal', last.at, job.at(-2)?.hash, last.data['last_hash']);
  const seed = word(first.metadata['job_seed']);
  let index = -1;
  for (const { at, metadata, type } of job) {
    if (type === 'JOB_SEALED') same('seal', at, last.at, at);
    same('job seed', at, seed, metadata['job_seed']);
    same('job id', at, about.job_id, metadata['job_id']);
    same('trace id', at, `trace-${sha256Hex(`${seed}:trace`).slice(0, 16)}`, metadata['trace_id']);
    same('seeded time', at, seededTime(seed, Number(metadata['sequence_index'])), metadata['timestamp_seeded']);
    if (Number(metadata['sequence_index']) <= index) same('sequence', at, `above ${index}`, metadata['sequence_index']);
    index = Number(metadata['sequence_index']);
  }
  checkJobIds(about.job_id, seed, first, job);
  return job;
}

function checkJobIds(jobId: string, seed: string, first: ProvenEvent, job: readonly ProvenEvent[]): void {
  const query = `q-${sha256Hex(`${seed}:query`).slice(0, 32)}`;
  same('job id', first.at, `job:${sha256Hex(`${seed}:job`).slice(0, 32)}`, jobId);
  same('job id', first.at, jobId, first.data['job_id']);
  same('query id', first.at, query, first.data['query_id']);
  const log = one(job, 'REFLECTIVE_LOG_WRITTEN');
  same('log id', log.at, sha256Hex(`${query}${word(log.metadata['timestamp_seeded'])}${seed}`), log.data['log_id']);
}

/** The snapshots that the job pinned, and the parts of them that are snapshots too: all there, each what its id says. */
export function checkSnapshots(
  { about }: Bundle,
  job: readonly ProvenEvent[],
  events: readonly ProvenEvent[],
): Set<ProvenEvent> {
  const pinned = one(job, 'SNAPSHOTS_PINNED');
  const { versions } = about;
  const wanted = Object.entries(membersOf(pinned.data['snapshots']));
  same(
    'versions',
    'about/versions/policies',
    canonical(membersOf(pinned.data['snapshots'])),
    canonical(versions.policies),
  );
  same('versions', 'about/versions/system', pinned.data['system_version'], versions.system);
  same('versions', 'about/versions/engine', pinned.data['engine_version'], versions.engine);
  same('versions', 'about/versions/detector', pinned.data['detector_version'], versions.detector);
  const found = new Map(events.map((event) => [event.record.stream, event]));
  const seen = new Set<ProvenEvent>();
  for (const [kind, id] of wanted) {
    const snapshot = found.get(`snapshot-${word(id)}`);
    if (!snapshot) throw missing('snapshots', `snapshot-${word(id)}`, `the ${kind} snapshot that the job pinned`);
    checkSnapshot(snapshot, word(id), kind);
    if (seen.has(snapshot)) continue;
    seen.add(snapshot);
    const { chunks } = membersOf(snapshot.data['body']);
    // What is too large for one snapshot is named by its parts, each of which is one of the same kind.
    for (const part of list(chunks)) wanted.push([kind, part]);
  }
  return seen;
}

function checkSnapshot({ at, type, data }: ProvenEvent, id: string, kind: string): void {
  const { snapshot_id, config_hash, schema_version, seed_namespace, body } = data;
  same('snapshots', at, 'SNAPSHOT_CREATED', type);
  same('snapshots', at, id, snapshot_id);
  same('snapshots', at, kind, data['kind']);
  same('snapshots', at, kind, seed_namespace);
  same('snapshots', at, sha256Hex(canonical(body ?? null)), config_hash);
  same('snapshots', at, sha256Hex(`${word(config_hash)}:${word(schema_version)}:${kind}`), id);
}

/** What the job's log and its decisions refer to, and what was written for it elsewhere: there, and of the right kind. */
export function checkReferences(job: readonly ProvenEvent[], events: readonly ProvenEvent[]): Set<ProvenEvent> {
  const byId = new Map(events.map((event) => [event.metadata['event_id'], event]));
  const seen = new Set<ProvenEvent>();
  const refer = (from: ProvenEvent, id: Json, types: readonly string[]): void => {
    const event = byId.get(id);
    if (!event) throw missing('references', from.at, `${types.join(' or ')} ${word(id)}`);
    if (!types.includes(event.type)) same('references', from.at, types.join(' or '), event.type);
    seen.add(event);
  };
  for (const event of job) {
    const { type, data } = event;
    if (type === 'REFLECTIVE_LOG_WRITTEN')
      for (const id of list(data['event_refs'])) refer(event, id, ['AGENT_OUTPUT', 'COUNCIL_VOTE']);
    if (type === 'COUNCIL_DECISION') for (const id of list(data['votes'])) refer(event, id, ['COUNCIL_VOTE']);
    if (type === 'COUNCIL_VOTE') refer(event, data['candidate_event_id'] ?? null, ['AGENT_OUTPUT']);
    if (type === 'MEMORY_WRITE_RESULT' && typeof data['event_id'] === 'string')
      refer(event, data['event_id'], ['SEM_PUT']);
  }
  return seen;
}

/** That every further event belongs to this job: what was said of its log later, and what came too late for it. */
export function checkBelonging(
  bundle: Bundle,
  events: readonly ProvenEvent[],
  known: ReadonlySet<ProvenEvent>,
): number {
  const log = one(events, 'REFLECTIVE_LOG_WRITTEN').data['log_id'];
  const beside = `amendment-${word(log)}`;
  const { held, stored } = bundle.about.said_later;
  same('belonging', 'about/said_later', events.filter(({ record }) => record.stream === beside).length, held);
  if (stored < held) same('belonging', 'about/said_later', `at least ${held} stored`, stored);
  const others = events.filter((event) => !known.has(event));
  for (const { at, record, data } of others) {
    const late = ['system-agents', 'system-council'].includes(record.stream) && data['job_id'] === bundle.about.job_id;
    if (!late && record.stream !== beside) same('belonging', at, `an event of ${bundle.about.job_id}`, 'another');
  }
  return others.length;
}

/** That every event names a key of the ring, and the job one that was valid when it was accepted. */
export function checkKeys({ keys }: Bundle, events: readonly ProvenEvent[]): number {
  eachOnce(
    'event keys',
    keys.events.map(({ kid }) => kid),
  );
  const known = new Map<Json | undefined, (typeof keys.events)[number]>(keys.events.map((key) => [key.kid, key]));
  for (const { at, type, metadata, data } of events) {
    const key = known.get(metadata['kid']);
    if (!key) throw missing('event keys', at, `key ${word(metadata['kid'])}`);
    if (key.state === 'revoked') same('event keys', at, `a key that is not revoked`, key.kid);
    if (type === 'JOB_ACCEPTED') checkInterval('event key interval', at, word(data['created_at']), key);
  }
  return keys.events.length;
}

function one(events: readonly ProvenEvent[], type: string): ProvenEvent {
  const found = events.find((event) => event.type === type);
  if (!found) throw missing('the job', 'its stream', type);
  return found;
}

function missing(check: string, at: string, expected: string): Difference {
  return new Difference({ check, at, expected, found: 'nothing' });
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function list(value: Json | undefined): readonly Json[] {
  return isArray(value ?? null) ? (value as readonly Json[]) : [];
}

/** `timestamp_seeded` of spec/kernel.md, "Time"; a text that is no time where the index is none. */
function seededTime(seed: string, index: number): string {
  const seconds = parseInt(sha256Hex(seed).slice(0, 8), 16) % 31_536_000;
  const time = new Date(Date.UTC(2025, 0, 1) + seconds * 1000 + index);
  return Number.isNaN(time.getTime()) ? 'no time' : time.toISOString();
}
