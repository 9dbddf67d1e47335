import { gunzipSync } from 'node:zlib';

import { canonical, type Json, type JsonObject } from './canonical.js';
import { expectShape, type Shape, UnreadableError } from './shape.js';

/** One file: the gzip of one canonical JSON document (or that document itself). docs/verify.md tells its members. */

export const BUNDLE_FORMAT = 'mace-bundle/1';
/** No larger file is looked into. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/** An event as stored, and where it stands in its stream and in the tree. */
export interface BundleRecord {
  readonly leaf_index: number;
  /** Inclusion path of RFC 9162, the leaf's sibling first; indices of `nodes`. */
  readonly path: readonly number[];
  readonly revision: number;
  readonly stream: string;
  /** The signed canonical text, byte for byte. */
  readonly text: string;
}

/** A key, public part, with the interval in which it signs (ISO 8601; null: open). */
interface Interval {
  readonly not_after: string | null;
  readonly not_before: string | null;
}

export interface Bundle {
  readonly about: {
    /** When the checkpoint was signed, by the log's own word. */
    readonly checkpointed_at: string;
    readonly job_id: string;
    readonly made_at: string;
    readonly versions: {
      /** Release that made the bundle. */
      readonly bundled_by: string;
      readonly detector: string;
      readonly engine: number;
      /** Snapshot ids by kind. */
      readonly policies: { readonly [kind: string]: string };
      /** Release that ran the job. */
      readonly system: string;
    };
  };
  /** Signed note (C2SP tlog-checkpoint) with every signature and cosignature. */
  readonly checkpoint: string;
  readonly format: string;
  readonly keys: {
    /** Which keys signed the events (HMAC): named, never enclosed. */
    readonly events: readonly ({ readonly kid: string; readonly state: string } & Interval)[];
    /** Verifier keys of the log and of its witnesses. */
    readonly signers: readonly ({ readonly vkey: string } & Interval)[];
  };
  /** Signed note over the digests of the other members. */
  readonly manifest: string;
  /** Hashes of the tree, lower-case hex, each once. */
  readonly nodes: readonly string[];
  /** In the order of the log. */
  readonly records: readonly BundleRecord[];
  /** What an audit replay of the job found when the bundle was made. */
  readonly replay: { readonly error_code: string | null; readonly steps: Json; readonly verdict: string | null };
}

const INTERVAL = { not_after: 'text?', not_before: 'text?' } as const;
const BUNDLE: Shape = {
  about: {
    checkpointed_at: 'text',
    job_id: 'text',
    made_at: 'text',
    versions: { bundled_by: 'text', detector: 'text', engine: 'count', policies: 'texts', system: 'text' },
  },
  checkpoint: 'text',
  format: 'text',
  keys: { events: [{ kid: 'text', state: 'text', ...INTERVAL }], signers: [{ vkey: 'text', ...INTERVAL }] },
  manifest: 'text',
  nodes: ['text'],
  records: [{ leaf_index: 'count', path: ['count'], revision: 'count', stream: 'text', text: 'text' }],
  replay: { error_code: 'text?', steps: 'json', verdict: 'text?' },
};

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
  if (file.length > MAX_FILE_BYTES) throw new UnreadableError(`it is larger than ${MAX_FILE_BYTES} bytes`);
  const text = decoded(file[0] === 0x1f && file[1] === 0x8b ? unzipped(file) : file);
  const document = parsed(text);
  const { format } = typeof document === 'object' && document !== null ? (document as JsonObject) : {};
  if (format !== BUNDLE_FORMAT) {
    throw new UnreadableError(
      `it is no ${BUNDLE_FORMAT}${typeof format === 'string' ? ` but ${format.slice(0, 40)}: take a newer verifier` : ''}`,
    );
  }
  const parts = written(document as JsonObject);
  if (textOf(parts) !== text) throw new UnreadableError('it is not written as canonical JSON');
  expectShape(document, BUNDLE);
  return { bundle: document as unknown as Bundle, parts };
}

function unzipped(file: Uint8Array): Uint8Array {
  try {
    const options = { info: true, maxOutputLength: MAX_DOCUMENT_BYTES } as const;
    const { buffer, engine } = gunzipSync(file, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    if (engine.bytesWritten !== file.length) throw new UnreadableError('something follows the compressed document');
    return buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new UnreadableError(`unpacked it is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    throw error instanceof UnreadableError ? error : new UnreadableError(`it cannot be unpacked: ${message}`);
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableError('it is not UTF-8 text');
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UnreadableError('it is not JSON');
  }
}

function written(document: JsonObject): Parts {
  try {
    return partsOf(document);
  } catch (error) {
    throw new UnreadableError(`it has no canonical form: ${(error as Error).message}`);
  }
}
