import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import { type Bundle, BUNDLE_FORMAT, type BundleRecord, ERASURE_FORMAT, partsOf } from '../bundle.js';
import { canonical, type Json, type JsonObject } from '../canonical.js';
import { checkpointText, cosignatureMessage } from '../checkpoint.js';
import { eventLeafHash, sha256Hex } from '../leaf.js';
import { manifestText } from '../signatures.js';
import { COSIGNATURE, ED25519, formatVkey, noteKeyId, signatureLine, type SignatureType } from '../signed-note.js';
import { inclusionPath, treeRoot } from './reference-tree.js';

/** A key that signs notes. */
export class NoteSigner {
  readonly vkey: string;
  private readonly keyId: string;
  private readonly secret: KeyObject;

  constructor(
    readonly name: string,
    private readonly type: SignatureType = ED25519,
  ) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    this.vkey = formatVkey(name, type, raw);
    this.keyId = noteKeyId(name, type, raw);
    this.secret = privateKey;
  }

  /** @param time POSIX seconds, of a cosignature */
  line(text: string, time = 0n): string {
    if (this.type === ED25519) return signatureLine(this.name, this.keyId, sign(null, Buffer.from(text), this.secret));
    const at = Buffer.alloc(8);
    at.writeBigUInt64BE(time);
    const signature = sign(null, Buffer.from(cosignatureMessage(text, time)), this.secret);
    return signatureLine(this.name, this.keyId, Buffer.concat([at, signature]));
  }
}

interface SampleEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly text: string;
  readonly leaf: Buffer;
  readonly id: string;
}

export const ORIGIN = 'log.example';
export const MADE_AT = '2026-03-01T12:00:05.000Z';
export const CHECKPOINTED_AT = '2026-03-01T12:00:00.000Z';
export const ACCEPTED_AT = '2026-03-01T11:59:00.000Z';
const KIDS = { kid: 'event-hmac.1', state: 'active', not_before: '2026-01-01T00:00:00.000Z', not_after: null };
const INTERVAL = { not_before: '2026-01-01T00:00:00.000Z', not_after: null };
/** What stands in place of an HMAC, which no third party can check. */
const SIGNATURE = 'ab'.repeat(32);

/** A log in memory, with jobs made up and bundles of them: right in everything that a verifier looks at. */
export class SampleLog {
  readonly events: SampleEvent[] = [];
  readonly key = new NoteSigner(ORIGIN);
  readonly witness = new NoteSigner('witness.example/w1', COSIGNATURE);
  private readonly heads = new Map<string, { revision: number; hash: string }>();

  append(stream: string, type: string, data: JsonObject, seed: string, index: number, jobId?: string): SampleEvent {
    const head = this.heads.get(stream) ?? { revision: -1, hash: '0'.repeat(64) };
    const trace = `trace-${sha256Hex(`${seed}:trace`).slice(0, 16)}`;
    const id = sha256Hex(`${seed}:${index}:${type}`);
    const metadata: JsonObject = {
      $correlationId: trace,
      actor: { id: 'user_tuff', role: 'user' },
      event_id: id,
      ...(jobId === undefined ? {} : { job_id: jobId }),
      job_seed: seed,
      kid: KIDS.kid,
      prev_hash: head.hash,
      schema_version: 1,
      sequence_index: index,
      signature: SIGNATURE,
      timestamp_seeded: seededTime(seed, index),
      trace_id: trace,
    };
    const text = canonical({ data, metadata, stream, type });
    const revision = head.revision + 1;
    this.heads.set(stream, { revision, hash: sha256Hex(text) });
    const parts = { stream, revision, type, data: canonical(data), metadata: canonical(metadata) };
    const event = { stream, revision, type, text, leaf: eventLeafHash(parts), id };
    this.events.push(event);
    return event;
  }

  snapshot(kind: string, body: JsonObject): string {
    const config_hash = sha256Hex(canonical(body));
    const snapshot_id = sha256Hex(`${config_hash}:1:${kind}`);
    const stream = `snapshot-${snapshot_id}`;
    if (!this.heads.has(stream)) {
      const about = { snapshot_id, kind, schema_version: 1, config_hash, generator: 'sha256', seed_namespace: kind };
      this.append(
        stream,
        'SNAPSHOT_CREATED',
        { ...about, body, kid: 'snapshot-hmac.1', signature: SIGNATURE },
        `system:${kind}:${config_hash}`,
        0,
      );
    }
    return snapshot_id;
  }

  /** A job with a write, `turns` agents and votes, a log, a seal, and what came later; @returns its id */
  job(seed: string, turns = 1): string {
    const id = `job:${sha256Hex(`${seed}:job`).slice(0, 32)}`;
    const query_id = `q-${sha256Hex(`${seed}:query`).slice(0, 32)}`;
    const chunk = this.snapshot('selfrep', { modules: ['agent:math_v1'] });
    const snapshots = {
      router: this.snapshot('router', { explore: 0.15 }),
      selfrep: this.snapshot('selfrep', { chunks: [chunk], module_count: 1 }),
    };
    let index = 0;
    const record = (type: string, data: JsonObject): SampleEvent =>
      this.append(`job-${id}`, type, data, seed, index++, id);
    const sealed = { $enc: { ct: 'q83vEjRWeJA=', kid: 'user_tuff.1', nonce: 'AAAAAAAAAAAAAAAA' } };
    record('JOB_ACCEPTED', { job_id: id, query_id, user_id: 'user_tuff', created_at: ACCEPTED_AT, personal: sealed });
    record('SNAPSHOTS_PINNED', { engine_version: 1, system_version: 'mace-0.0.1', detector_version: '3', snapshots });
    const refs: string[] = [];
    for (let turn = 1; turn <= turns; turn++) {
      const output = record('AGENT_OUTPUT', { iteration: turn, outcome: 'answer', confidence: 0.75, personal: sealed });
      const vote = record('COUNCIL_VOTE', {
        iteration: turn,
        candidate_event_id: output.id,
        approve: true,
        personal: sealed,
      });
      record('COUNCIL_DECISION', {
        iteration: turn,
        candidate_event_id: output.id,
        votes: [vote.id],
        outcome: 'approved',
      });
      refs.push(output.id, vote.id);
    }
    const written = this.append(`sem-user/profile/user_tuff/${seed}`, 'SEM_PUT', { value: sealed }, seed, index++, id);
    record('MEMORY_WRITE_RESULT', { ok: true, revision: 1, event_id: written.id, attempts: 1 });
    const log_id = sha256Hex(`${query_id}${seededTime(seed, index)}${seed}`);
    record('REFLECTIVE_LOG_WRITTEN', { log_id, job_id: id, event_refs: refs, personal: sealed });
    record('JOB_SEALED', { count: index - 1, last_hash: this.heads.get(`job-${id}`)!.hash });
    this.append('system-agents', 'AGENT_LATE_ANSWER', { job_id: id, late_by_ms: 3 }, `system:agents:${id}`, 0, id);
    this.append(`amendment-${log_id}`, 'AMENDMENT_ADDED', { target_log_id: log_id, effect: 'note' }, `cmd:${id}`, 0);
    return id;
  }

  /** The signed checkpoint over everything so far. */
  checkpoint(): string {
    const root = treeRoot(this.events.map(({ leaf }) => leaf));
    const text = checkpointText(ORIGIN, this.events.length, root, CHECKPOINTED_AT);
    return `${text}\n${this.key.line(text)}${this.witness.line(text, BigInt(Date.parse(CHECKPOINTED_AT) / 1000 + 1))}`;
  }

  /** What a bundle of a job holds of this log. @param more types of further events in it */
  bundle(jobId: string, more: readonly string[] = []): Bundle {
    const log = this.events.find(({ stream, type }) => stream === `job-${jobId}` && type === 'REFLECTIVE_LOG_WRITTEN')!;
    const { data } = JSON.parse(log.text) as { data: { log_id: string } };
    const pinned = this.events.find(({ stream, type }) => stream === `job-${jobId}` && type === 'SNAPSHOTS_PINNED')!;
    const { snapshots } = (JSON.parse(pinned.text) as { data: { snapshots: Record<string, string> } }).data;
    const isOf = ({ stream, text, type }: SampleEvent): boolean =>
      more.includes(type) ||
      stream === `amendment-${data.log_id}` ||
      stream.startsWith('snapshot-') ||
      text.includes(`"${jobId}"`);
    const later = this.events.filter(({ stream }) => stream === `amendment-${data.log_id}`).length;
    const leaves = this.events.map(({ leaf }) => leaf);
    const nodes: string[] = [];
    const nodeAt = (hash: Buffer): number => {
      const hex = hash.toString('hex');
      if (!nodes.includes(hex)) nodes.push(hex);
      return nodes.indexOf(hex);
    };
    const records = this.events.flatMap((event, leaf_index): BundleRecord[] => {
      const { stream, revision, text } = event;
      return isOf(event)
        ? [{ leaf_index, path: inclusionPath(leaf_index, leaves).map(nodeAt), revision, stream, text }]
        : [];
    });
    return this.sealed({
      about: {
        checkpointed_at: CHECKPOINTED_AT,
        job_id: jobId,
        made_at: MADE_AT,
        said_later: { held: later, stored: later },
        versions: { bundled_by: 'mace-0.0.1', detector: '3', engine: 1, policies: snapshots, system: 'mace-0.0.1' },
      },
      checkpoint: this.checkpoint(),
      format: more.length > 0 ? ERASURE_FORMAT : BUNDLE_FORMAT,
      keys: {
        events: [KIDS],
        signers: [
          { vkey: this.key.vkey, ...INTERVAL },
          { vkey: this.witness.vkey, ...INTERVAL },
        ],
      },
      nodes,
      records,
      replay: { error_code: null, steps: [], verdict: 'MATCH' },
    });
  }

  /** Signed by whoever holds the log's key, whatever stands in it. */
  sealed(bundle: Omit<Bundle, 'manifest'>): Bundle {
    const text = manifestText(bundle.about.job_id, partsOf(bundle));
    return { ...bundle, manifest: `${text}\n${this.key.line(text)}` };
  }
}

export function fileOf(document: unknown): Buffer {
  return gzipSync(canonical(document as Json));
}

function seededTime(seed: string, index: number): string {
  const seconds = createHash('sha256').update(seed).digest().readUInt32BE() % 31_536_000;
  return new Date(Date.UTC(2025, 0, 1) + seconds * 1000 + index).toISOString();
}
