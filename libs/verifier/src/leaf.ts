import { hash } from 'node:crypto';
import { leafHash } from './merkle.js';

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** What the leaf of an event is made of; `data` and `metadata` are canonical JSON, exactly as stored. */
export interface LeafParts {
  readonly stream: string;
  /** Place of the event in its stream, from 0. */
  readonly revision: number;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/**
 * The entry of an event in the Merkle log: canonical({data_hash, metadata, stream, stream_revision, type}) with
 * data_hash = hex sha256 of the canonical stored data. Personal fields are stored encrypted, so the entry outlives the
 * destruction of their keys.
 */
export function leafEntry({ stream, revision, type, data, metadata }: LeafParts): string {
  const head = `{"data_hash":"${sha256Hex(data)}","metadata":${metadata},"stream":${JSON.stringify(stream)}`;
  return `${head},"stream_revision":${revision},"type":${JSON.stringify(type)}}`;
}

/** RFC 9162 leaf hash of an event. */
export function eventLeafHash(parts: LeafParts): Buffer {
  return leafHash(leafEntry(parts));
}
