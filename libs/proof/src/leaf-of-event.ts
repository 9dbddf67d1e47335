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
const STREAM = '},"stream":"';
const TYPE = '","type":"';
const END = '"}';
const METADATA_BYTES = Buffer.from(`${METADATA}{`);
/** The entry with the byte before it that makes a leaf of it (RFC 9162), as far as each begins alike. */
const ENTRY = '\0{"data_hash":"';
const METADATA_AT = Buffer.byteLength(`${ENTRY}${'0'.repeat(64)}"`);
const REVISION_BYTES = Buffer.from(',"stream_revision":');
const entryRoom = Buffer.allocUnsafeSlow(2 * LONGEST);
entryRoom.write(`${ENTRY}${'0'.repeat(64)}"`);

/** The same of a text in UTF-8, of which nothing is made a string: it is hashed where it lies, and put together as bytes. */
export function leafOfBytes(event: Omit<LeafSource, 'text'>, utf8: Buffer): Buffer {
  return plainLeaf(event, utf8) ?? leafOf({ ...event, text: utf8.toString() });
}

/**
 * Null where the text is not laid out as the codec writes it, is unusually long, or has a stream or type that is not
 * plain. Of those that are, the entry says stream and type as the text does. Bytes are compared one by one: for so few
 * a call of Node's takes longer.
 */
function plainLeaf({ stream, revision, type }: Omit<LeafSource, 'text'>, utf8: Buffer): Buffer | null {
  const typeAt = utf8.length - END.length - type.length;
  const streamAt = typeAt - TYPE.length - stream.length;
  const end = streamAt - STREAM.length;
  if (end <= DATA.length || !isAt(utf8, 0, DATA)) return null;
  if (!isAt(utf8, end, STREAM) || !isAt(utf8, typeAt - TYPE.length, TYPE) || !isAt(utf8, typeAt + type.length, END))
    return null;
  if (!isPlainAt(utf8, streamAt, stream) || !isPlainAt(utf8, typeAt, type)) return null;
  const cut = lastMetadata(utf8, end);
  if (cut < DATA.length || utf8.length - cut > LONGEST) return null;
  entryRoom.write(sha256HexOfBytes(utf8.subarray(DATA.length, cut)), ENTRY.length, 'latin1');
  const streamEnd = streamAt + stream.length + 1;
  let at = METADATA_AT + utf8.copy(entryRoom, METADATA_AT, cut, streamEnd);
  entryRoom.set(REVISION_BYTES, at);
  at += REVISION_BYTES.length;
  const digits = String(revision);
  for (let i = 0; i < digits.length; i++) entryRoom[at++] = digits.charCodeAt(i);
  for (let i = streamEnd; i < utf8.length; i++) entryRoom[at++] = utf8[i]!;
  // By way of a text: Node makes a Buffer of a hash half as fast.
  return Buffer.from(hash('sha256', entryRoom.subarray(0, at), 'binary'), 'binary');
}

function isAt(utf8: Buffer, at: number, ascii: string): boolean {
  for (let i = 0; i < ascii.length; i++) if (utf8[at + i] !== ascii.charCodeAt(i)) return false;
  return true;
}

/** Whether it stands there, and JSON and UTF-8 write it as it is: a byte a character, none of them escaped. */
function isPlainAt(utf8: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH || utf8[at + i] !== code) return false;
  }
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** By byte: how far before it the seam may begin next, where it does not begin with it (Horspool). */
const STEPS = Uint8Array.from({ length: 256 }, (_, byte) => {
  const within = METADATA_BYTES.indexOf(byte, 1);
  return within < 0 ? METADATA_BYTES.length : within;
});

/** Where the last `,"metadata":{` begins, at `last` or before; -1 where none does. */
function lastMetadata(utf8: Buffer, last: number): number {
  for (let at = last; at >= 0; at -= STEPS[utf8[at]!]!) {
    let same = 0;
    while (same < METADATA_BYTES.length && utf8[at + same] === METADATA_BYTES[same]) same++;
    if (same === METADATA_BYTES.length) return at;
  }
  return -1;
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
