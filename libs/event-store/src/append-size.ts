import { MAX_APPEND_BYTES, type EventToAppend, type NonEmpty } from './port.js';

/** What an event takes beside its text, at most: its type and id, which some servers count too. */
const OVERHEAD_BYTES = 256;

/** Consecutive parts, each small enough for one append; one part for all but the largest decisions. */
export function splitBySize<E extends EventToAppend>(events: readonly E[]): NonEmpty<E>[] {
  // To know what each takes they would have to be sealed.
  const order = events[0]?.order;
  if (order?.unsealed && order.mostBytes + events.length * OVERHEAD_BYTES <= MAX_APPEND_BYTES)
    return [events as NonEmpty<E>];
  const parts: E[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    const size = sizeInAppend(event);
    if (bytes + size > MAX_APPEND_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(event);
    bytes += size;
  }
  return parts as unknown as NonEmpty<E>[];
}

/** What an event takes of an append, bytes. */
export function sizeInAppend(event: EventToAppend): number {
  return (event.utf8?.length ?? Buffer.byteLength(event.text)) + OVERHEAD_BYTES;
}
