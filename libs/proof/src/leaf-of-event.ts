import type { RecordedEvent } from '#lib/event-store';
import { canonical, eventLeafHash, type Json, leafEntry, type LeafParts } from '#lib/verifier';

/** What the leaf of a stored event follows from. */
export type LeafSource = Pick<RecordedEvent, 'stream' | 'revision' | 'type' | 'text'>;

const DATA = '{"data":';
const METADATA = ',"metadata":';

/** The leaf of an event where it stands in the store (RFC 9162 leaf hash; libs/verifier says over what). */
export function leafOf(event: LeafSource): Buffer {
  return eventLeafHash(partsOf(event));
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
  const tail = `},"stream":"${stream}","type":"${type}"}`;
  if (!text.startsWith(DATA) || !text.endsWith(tail)) return null;
  const end = text.length - tail.length + 1;
  const cut = lastBefore(text, `${METADATA}{`, end);
  if (cut < DATA.length) return null;
  const [data, metadata] = [text.slice(DATA.length, cut), text.slice(cut + METADATA.length, end)];
  return { stream, revision, type, data, metadata };
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
