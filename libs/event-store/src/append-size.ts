import { MAX_APPEND_BYTES, type EventToAppend, type NonEmpty } from './port.js';

/** Consecutive parts, each small enough for one append; one part for all but the largest decisions. */
export function splitBySize<E extends EventToAppend>(events: readonly E[]): NonEmpty<E>[] {
  const parts: E[][] = [];
  let bytes = Infinity;
  for (const event of events) {
    const size = Buffer.byteLength(event.text);
    if (bytes + size > MAX_APPEND_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)!.push(event);
    bytes += size;
  }
  return parts as unknown as NonEmpty<E>[];
}
