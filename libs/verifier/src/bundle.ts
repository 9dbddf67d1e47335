import { isUtf8 } from 'node:buffer';
import { crc32, inflateRawSync } from 'node:zlib';

import { canonical, type Json, type JsonObject } from './canonical.js';
import { expectShape, type Of, type Shape, UnreadableError } from './shape.js';

/** One file: the gzip of one canonical JSON document (or that document itself). docs/verify.md tells its members. */

export const BUNDLE_FORMAT = 'mace-bundle/1';
/** That of a bundle with events of an erasure, which verifiers of the first release do not know. */
export const ERASURE_FORMAT = 'mace-bundle/2';
const FORMATS: readonly unknown[] = [BUNDLE_FORMAT, ERASURE_FORMAT];
/** No larger file is looked into. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Nor is more unpacked of one. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
/** The document itself has fewer levels; its events, which have more, are texts in it. */
const MAX_LEVELS = 16;
const SMALL = 1024 * 1024;
/** Keys of a log and of its witnesses: each costs more to take up than anything else of its size in a file. */
const MOST_SIGNERS = 1000;
/** Most documents are unpacked in a piece or two. */
const CHUNK = 256 * 1024;
const GZIP_HEADER = 10;
const GZIP_END = 8;

/** When a key signs, ISO 8601; null: open. */
const INTERVAL = { not_after: 'text?', not_before: 'text?' } as const;

const BUNDLE = {
  about: {
    /** When the checkpoint was signed, by the log's own word. */
    checkpointed_at: 'text',
    job_id: 'text',
    made_at: 'text',
    /** Events beside the job's log, amendments above all: how many the file holds, and how many the log held then. */
    said_later: { held: 'count', stored: 'count' },
    /** Releases that made the bundle and ran the job, the job's engine and detector, snapshot ids by kind. */
    versions: { bundled_by: 'text', detector: 'text', engine: 'count', policies: 'texts', system: 'text' },
  },
  /** Signed note (C2SP tlog-checkpoint) with every signature and cosignature. */
  checkpoint: 'text',
  format: 'text',
  keys: {
    /** Which keys signed the events (HMAC): named, never enclosed. */
    events: [{ kid: 'text', state: 'text', ...INTERVAL }],
    /** Verifier keys of the log and of its witnesses. */
    signers: [{ vkey: 'text', ...INTERVAL }],
  },
  /** Signed note over the digests of the other members. */
  manifest: 'text',
  /** Hashes of the tree, lower-case hex, each once. */
  nodes: ['text'],
  /**
   * Events in the order of the log: place in the tree with the inclusion path of RFC 9162, the leaf's sibling first, as
   * indices of `nodes`; place in the stream; the signed canonical text, byte for byte.
   */
  records: [{ leaf_index: 'count', path: ['count'], revision: 'count', stream: 'text', text: 'text' }],
  /** What an audit replay of the job found when the bundle was made. */
  replay: {
    error_code: 'text?',
    steps: [{ checked: 'count', detail: 'text', step: 'text', verdict: 'text' }],
    verdict: 'text?',
  },
} as const satisfies Shape;

export type Bundle = Of<typeof BUNDLE>;
export type BundleRecord = Bundle['records'][number];

/** The members of a bundle as canonical JSON, in the order of their names. */
export type Parts = ReadonlyMap<string, string>;

/** @throws RangeError where a member has no canonical form */
export function partsOf(document: object): Parts {
  const members = Object.entries(document as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(members.map(([name, member]) => [name, canonical(member, 1)]));
}

/** The whole document. */
export function textOf(parts: Parts): string {
  return `{${[...parts].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join()}}`;
}

/** The document in a file's bytes, of the right form and within bounds. @throws UnreadableError */
export function readBundle(file: Uint8Array): { readonly bundle: Bundle; readonly parts: Parts } {
  if (file.length === 0) throw new UnreadableError('it is empty');
  const isPacked = file[0] === 0x1f && file[1] === 0x8b;
  const most = isPacked ? MAX_FILE_BYTES : MAX_DOCUMENT_BYTES;
  if (file.length > most) throw new UnreadableError(`it is larger than ${most} bytes`);
  const text = decoded(isPacked ? unzipped(file) : file);
  const document = documentIn(text);
  const { format } = typeof document === 'object' && document !== null ? (document as JsonObject) : {};
  if (!FORMATS.includes(format)) {
    throw new UnreadableError(
      `it is no ${BUNDLE_FORMAT} or ${ERASURE_FORMAT}${typeof format === 'string' ? ` but ${format.slice(0, 40)}: take a newer verifier` : ''}`,
    );
  }
  // Bounds the lists before anything is gone through twice.
  expectShape(document, BUNDLE);
  if ((document as unknown as Bundle).keys.signers.length > MOST_SIGNERS)
    throw new UnreadableError(`/keys/signers is not a list of at most ${MOST_SIGNERS}`);
  const parts = canonicalParts(document as JsonObject);
  if (textOf(parts) !== text) throw new UnreadableError('it is not written as canonical JSON');
  return { bundle: document as unknown as Bundle, parts };
}

/**
 * One gzip member (RFC 1952) and nothing else: its plain header, the compressed document, checksum and length. A second
 * member, a name or a remark in the header would be room for what nobody checks.
 */
function unzipped(file: Uint8Array): Uint8Array {
  const [method, flags] = [file[2], file[3]];
  if (method !== 8 || flags !== 0)
    throw new UnreadableError('its gzip header holds more than the method: pipe it through gzip');
  try {
    const options = { info: true, chunkSize: CHUNK, maxOutputLength: MAX_DOCUMENT_BYTES } as const;
    const { buffer, engine } = inflateRawSync(file.subarray(GZIP_HEADER), options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    const end = Buffer.from(file.subarray(GZIP_HEADER + engine.bytesWritten));
    if (end.length > GZIP_END) throw new UnreadableError('something follows the compressed document');
    if (end.length < GZIP_END || end.readUInt32LE(0) !== crc32(buffer) || end.readUInt32LE(4) !== buffer.length)
      throw new UnreadableError('it cannot be unpacked: its checksum or length is another');
    return buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new UnreadableError(`unpacked it is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    throw error instanceof UnreadableError ? error : new UnreadableError(`it cannot be unpacked: ${message}`);
  }
}

function decoded(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new UnreadableError('it is not UTF-8 text');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
}

function documentIn(text: string): Json {
  // Of a small text no nesting is dear enough to be looked for.
  if (text.length > SMALL && levelsIn(text) > MAX_LEVELS)
    throw new UnreadableError(`it nests more than ${MAX_LEVELS} deep`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UnreadableError('it is not JSON');
  }
}

function canonicalParts(document: JsonObject): Parts {
  try {
    return partsOf(document);
  } catch (error) {
    throw new UnreadableError(`it has no canonical form: ${(error as Error).message}`);
  }
}

/** How deep a text nests, as far as it is JSON; a deep one costs the parser far more than it costs the file. */
function levelsIn(text: string): number {
  let [levels, deepest, isQuoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted && char === '\\') i++;
    else if (!isQuoted && (char === '[' || char === '{')) deepest = Math.max(deepest, ++levels);
    else if (!isQuoted && (char === ']' || char === '}')) levels--;
  }
  return deepest;
}
