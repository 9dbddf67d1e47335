import type { Bundle, BundleRecord } from './bundle.js';
import { canonical, isArray, type Json, type JsonObject } from './canonical.js';
import { eventLeafHash, sha256Hex } from './leaf.js';
import { rememberingJoin, verifyInclusion } from './merkle.js';
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

interface Opened extends ProvenEvent {
  readonly leaf: Buffer;
}

const GENESIS = '0'.repeat(64);
/** Longer texts no store takes (an append has at most 900 KiB). */
const LONGEST_TEXT = 1024 * 1024;
/** Of these streams a bundle holds single events; of all others the beginning without gaps. */
const SPARSE = /^(dsr|sem|system)-/;

/** Every event of a bundle, checked one by one and against the one before it in its stream. @throws Difference */
export function checkEvents({ records, nodes: hex }: Bundle, { size, root: rootHex }: LogView): ProvenEvent[] {
  const root = Buffer.from(rootHex, 'hex');
  const nodes = hex.map((node, i) => hashOf(node, i));
  const join = rememberingJoin();
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
    const path = pathIn(nodes, record.path);
    if (path === null || !verifyInclusion(record.leaf_index, size, event.leaf, path, root, join))
      same('inclusion', at, `leaf ${record.leaf_index} of ${size}`, 'not that leaf');
    return event;
  });
}

/** That the proofs hold nothing twice, and nothing that none of them needs. @throws Difference */
export function checkNodes({ records, nodes }: Bundle): number {
  same('proof nodes', 'nodes', nodes.length, new Set(nodes).size);
  const needed = new Set<number>();
  for (const { path } of records) for (let i = 0; i < path.length; i++) needed.add(path[i]!);
  same('proof nodes', 'nodes', nodes.length, needed.size);
  return nodes.length;
}

/** The hashes of a proof; null where one of them is not there. */
function pathIn(nodes: readonly Buffer[], places: readonly number[]): readonly Buffer[] | null {
  const path: Buffer[] = [];
  for (let i = 0; i < places.length; i++) {
    const node = nodes[places[i]!];
    if (!node) return null;
    path.push(node);
  }
  return path;
}

function opened(record: BundleRecord): Opened {
  const { stream, revision, text } = record;
  const at = `${stream} revision ${revision}`;
  const parts = parsed(text, at);
  const { data, metadata, type } = parts;
  const leaf = { stream, revision, type, data: canonicalAt(data, at), metadata: canonicalAt(metadata, at) };
  const { stream: written } = parts;
  const canon = `{"data":${leaf.data},"metadata":${leaf.metadata},"stream":${JSON.stringify(written)},"type":${JSON.stringify(type)}}`;
  same('canonical text', at, canon, text);
  same('stream', at, stream, written);
  return { record, at: `${at} (${type})`, type, data, metadata, hash: sha256Hex(text), leaf: eventLeafHash(leaf) };
}

/** The envelope of a stored text; whether anything else stands in it is seen where it is written anew. */
function parsed(text: string, at: string) {
  if (text.length > LONGEST_TEXT) same('canonical text', at, `at most ${LONGEST_TEXT} characters`, `${text.length}`);
  let value: Json = null;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    same('canonical text', at, 'JSON', text);
  }
  const { data, metadata, stream, type } = isObject(value) ? value : {};
  if (isObject(data) && isObject(metadata) && typeof stream === 'string' && typeof type === 'string') {
    return { data, metadata, stream, type };
  }
  throw new Difference({
    check: 'envelope',
    at,
    expected: 'data, metadata, stream and type',
    found: text.slice(0, 80),
  });
}

function canonicalAt(value: Json, at: string): string {
  try {
    return canonical(value);
  } catch (error) {
    throw new Difference({
      check: 'canonical text',
      at,
      expected: 'a canonical form',
      found: (error as Error).message,
    });
  }
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

function hashOf(node: string, i: number): Buffer {
  same('proof nodes', `node ${i}`, true, /^[0-9a-f]{64}$/.test(node));
  return Buffer.from(node, 'hex');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value);
}
