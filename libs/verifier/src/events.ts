import type { Bundle, BundleRecord } from './bundle.js';
import { canonical, isArray, type Json, type JsonObject } from './canonical.js';
import { eventLeafHash, sha256Hex } from './leaf.js';
import { verifyInclusion } from './merkle.js';
import { Difference, type LogView, same, word } from './report.js';

/** An event whose text, id, place and inclusion hold. */
export interface ProvenEvent {
  readonly record: BundleRecord;
  /** How a report names it. */
  readonly at: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  /** sha256 of its text: prev_hash of the event after it. */
  readonly hash: string;
}

const GENESIS = '0'.repeat(64);
/** Of these streams a bundle holds single events; of all others the beginning without gaps. */
const SPARSE = /^(sem|system)-/;

/** Every event of a bundle, checked one by one and against the one before it in its stream. @throws Difference */
export function checkEvents({ records, nodes: hex }: Bundle, { size, root: rootHex }: LogView): ProvenEvent[] {
  const root = Buffer.from(rootHex, 'hex');
  const nodes = hex.map((node, i) => hashOf(node, i));
  const heads = new Map<string, ProvenEvent>();
  let last = -1;
  return records.map((record) => {
    const event = opened(record);
    const { at } = event;
    if (record.leaf_index <= last) same('order of the log', at, `a leaf after ${last}`, `leaf ${record.leaf_index}`);
    last = record.leaf_index;
    checkPlace(event, heads.get(record.stream));
    heads.set(record.stream, event);
    checkId(event);
    const path = record.path.flatMap((i) => nodes[i] ?? []);
    const isLeaf =
      path.length === record.path.length && verifyInclusion(record.leaf_index, size, leafOf(event), path, root);
    same(
      'inclusion',
      at,
      `leaf ${record.leaf_index} of ${size}`,
      isLeaf ? `leaf ${record.leaf_index} of ${size}` : 'not that leaf',
    );
    return event;
  });
}

/** That the proofs hold nothing twice, and nothing that none of them needs. @throws Difference */
export function checkNodes({ records, nodes }: Bundle): number {
  same('proof nodes', 'nodes', nodes.length, new Set(nodes).size);
  same('proof nodes', 'nodes', nodes.length, new Set(records.flatMap(({ path }) => path)).size);
  return nodes.length;
}

function opened(record: BundleRecord): ProvenEvent {
  const { stream, revision, text } = record;
  const place = `${stream} revision ${revision}`;
  const [event, canon] = parsed(text, place);
  same('canonical text', place, canon, text);
  same('envelope', place, 'data,metadata,stream,type', Object.keys(event).join());
  const { data, metadata, type } = event;
  if (typeof type !== 'string' || !isObject(data) || !isObject(metadata)) {
    throw new Difference({
      check: 'envelope',
      at: place,
      expected: 'type, data and metadata',
      found: text.slice(0, 80),
    });
  }
  same('stream', place, stream, event['stream']);
  return { record, at: `${place} (${type})`, type, data, metadata, hash: sha256Hex(text) };
}

function parsed(text: string, at: string): [JsonObject, string] {
  try {
    const value = JSON.parse(text) as Json;
    if (isObject(value)) return [value, canonical(value)];
  } catch (error) {
    throw new Difference({
      check: 'canonical text',
      at,
      expected: 'canonical JSON',
      found: (error as Error).message.slice(0, 200),
    });
  }
  throw new Difference({ check: 'canonical text', at, expected: 'an object', found: text.slice(0, 80) });
}

function checkPlace({ record, at, metadata }: ProvenEvent, before: ProvenEvent | undefined): void {
  const { stream, revision } = record;
  const next = (before?.record.revision ?? -1) + 1;
  if (!SPARSE.test(stream)) same('no event is missing', at, `revision ${next}`, `revision ${revision}`);
  else if (revision < next) same('no event is missing', at, `a revision from ${next}`, `revision ${revision}`);
  if (revision === 0) same('hash chain', at, GENESIS, metadata['prev_hash']);
  else if (revision === next) same('hash chain', at, before?.hash ?? metadata['prev_hash'], metadata['prev_hash']);
}

function checkId({ at, type, metadata }: ProvenEvent): void {
  const { job_seed, sequence_index, event_id } = metadata;
  same('event id', at, sha256Hex(`${word(job_seed)}:${word(sequence_index)}:${type}`), event_id);
}

function leafOf({ record: { stream, revision }, type, data, metadata }: ProvenEvent): Buffer {
  return eventLeafHash({ stream, revision, type, data: canonical(data), metadata: canonical(metadata) });
}

function hashOf(node: string, i: number): Buffer {
  same('proof nodes', `node ${i}`, true, /^[0-9a-f]{64}$/.test(node));
  return Buffer.from(node, 'hex');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}
