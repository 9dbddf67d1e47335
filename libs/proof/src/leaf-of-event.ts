import type { RecordedEvent } from '#lib/event-store';
import { sha256HexOfBytes } from '#lib/kernel';
import { canonical, eventLeafHash, type Json, leafEntry, leafEntryOver, leafHash, type LeafParts } from '#lib/verifier';

/** What the leaf of a stored event follows from. */
export type LeafSource = Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'text'>;

const DATA = '{"data":';
const METADATA = ',"metadata":';

/** The leaf of an event where it stands in the store (RFC 9162 leaf hash; libs/verifier says over what). */
export function leafOf(event: LeafSource): Buffer {
  return eventLeafHash(partsOf(event));
}

/** The same of a text in UTF-8, whose data is hashed where it lies: no string is made of it. */
export function leafOfBytes(event: Omit<LeafSource, 'text'>, utf8: Buffer): Buffer {
  const tail = tailOf(event);
  const end = utf8.length - Buffer.byteLength(tail) + 1;
  const cut = utf8.lastIndexOf(`${METADATA}{`, end);
  const isPlain = utf8.toString('latin1', 0, DATA.length) === DATA && utf8.toString('utf8', end - 1) === tail;
  if (!isPlain || cut < DATA.length) return leafOf({ ...event, text: utf8.toString() });
  const metadata = utf8.toString('utf8', cut + METADATA.length, end);
  return leafHash(leafEntryOver(sha256HexOfBytes(utf8.subarray(DATA.length, cut)), { metadata, ...event }));
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
