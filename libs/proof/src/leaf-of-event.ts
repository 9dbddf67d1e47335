import { hash } from 'node:crypto';

import type { RecordedEvent } from '#lib/event-store';
import { sha256HexOfBytes } from '#lib/kernel';
import { canonical, eventLeafHash, type Json, leafEntry, type LeafParts } from '#lib/verifier';

/** What the leaf of a stored event follows from. */
export type LeafSource = Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'text'>;

const DATA = '{"data":';
const METADATA = ',"metadata":';

/** The leaf of an event where it stands in the store (RFC 9162 leaf hash; libs/verifier says over what). */
export function leafOf(event: LeafSource): Buffer {
  return eventLeafHash(partsOf(event));
}

/** Larger metadata takes the general way. */
const LONGEST = 16 * 1024;
const DATA_BYTES = Buffer.from(DATA);
const METADATA_BYTES = Buffer.from(`${METADATA}{`);
const tailRoom = Buffer.allocUnsafeSlow(LONGEST);
/** The entry with the byte before it that makes a leaf of it (RFC 9162), as far as each begins alike. */
const ENTRY = '\0{"data_hash":"';
const METADATA_AT = Buffer.byteLength(`${ENTRY}${'0'.repeat(64)}"${METADATA}`);
const entryRoom = Buffer.allocUnsafeSlow(2 * LONGEST);
entryRoom.write(`${ENTRY}${'0'.repeat(64)}"${METADATA}`);

/** The same of a text in UTF-8, of which nothing is made a string: it is hashed where it lies, and put together as bytes. */
export function leafOfBytes(event: Omit<LeafSource, 'text'>, utf8: Buffer): Buffer {
  return plainLeaf(event, utf8) ?? leafOf({ ...event, text: utf8.toString() });
}

/** Null where the text is not laid out as the codec writes it, or is unusually long. */
function plainLeaf({ stream, revision, type }: Omit<LeafSource, 'text'>, utf8: Buffer): Buffer | null {
  const tail = tailOf({ stream, type });
  const after = `,"stream":${JSON.stringify(stream)},"stream_revision":${revision},"type":${JSON.stringify(type)}}`;
  if (Math.max(tail.length, after.length) * 3 > LONGEST) return null;
  const tailLength = tailRoom.write(tail);
  const end = utf8.length - tailLength + 1;
  if (end <= DATA.length || DATA_BYTES.compare(utf8, 0, DATA.length) !== 0) return null;
  if (utf8.compare(tailRoom, 0, tailLength, end - 1) !== 0) return null;
  const cut = utf8.lastIndexOf(METADATA_BYTES, end);
  const from = cut + METADATA.length;
  if (cut < DATA.length || METADATA_AT + end - from > LONGEST) return null;
  entryRoom.write(sha256HexOfBytes(utf8.subarray(DATA.length, cut)), ENTRY.length, 'latin1');
  const metadataEnd = METADATA_AT + utf8.copy(entryRoom, METADATA_AT, from, end);
  const entryEnd = metadataEnd + entryRoom.write(after, metadataEnd);
  // By way of a text: Node makes a Buffer of a hash half as fast.
  return Buffer.from(hash('sha256', entryRoom.subarray(0, entryEnd), 'binary'), 'binary');
}

/** What that is the hash of. */
export function entryOf(event: LeafSource): string {
  return leafEntry(partsOf(event));
}

function partsOf(event: LeafSource): LeafParts {
  return cutParts(event) ?? parsedParts(event) ?? unreadableParts(event);
}

/**
 * Data and metadata as they stand in the text; null where it is not laid out as the codec writes it. Whatever the data
 * holds, the last unescaped member "metadata" is the envelope's: metadata has no such member of its own.
 */
export function cutParts({ stream, revision, type, text }: LeafSource): LeafParts | null {
  const tail = tailOf({ stream, type });
  if (!text.startsWith(DATA) || !text.endsWith(tail)) return null;
  const end = text.length - tail.length + 1;
  const cut = lastBefore(text, `${METADATA}{`, end);
  if (cut < DATA.length) return null;
  const [data, metadata] = [text.slice(DATA.length, cut), text.slice(cut + METADATA.length, end)];
  return { stream, revision, type, data, metadata };
}

function tailOf({ stream, type }: Pick<LeafSource, 'stream' | 'type'>): string {
  return `},"stream":"${stream}","type":"${type}"}`;
}

/** Looked for from the front, which takes a third of the time: the runtime searches backwards one character after the other. */
function lastBefore(text: string, part: string, end: number): number {
  let last = -1;
  for (let at = text.indexOf(part); at >= 0 && at <= end; at = text.indexOf(part, at + part.length)) last = at;
  return last;
}

/** The same by reading the JSON; null where it is none, or none with both members. */
export function parsedParts({ stream, revision, type, text }: LeafSource): LeafParts | null {
  try {
    const { data, metadata } = JSON.parse(text) as Readonly<Record<string, Json>>;
    if (data === undefined || metadata === undefined) return null;
    return { stream, revision, type, data: canonical(data), metadata: canonical(metadata) };
  } catch {
    return null;
  }
}

/** A damaged text has a leaf too, of all of it: never the one that was promised, so that the damage shows. */
function unreadableParts({ stream, revision, type, text }: LeafSource): LeafParts {
  return { stream, revision, type, data: text, metadata: 'null' };
}
