/** More fields than these has no message that is taken; decoding a million empty ones holds the process up for a second. */
export const MAX_FIELDS = 10_000;

/** In the place of a message that was not decoded, because it has too many fields. */
export const CROWDED = Symbol('crowded message');

/** The part of a request that is a message of its own, in every request that has one. */
const PART = 1;

/**
 * Whether a message, with the part that it may have as field 1, has more than MAX_FIELDS fields. What is no message is not
 * crowded: the library says what is wrong with it.
 * @param hasPart whether field 1 is a message
 */
export function isCrowded(bytes: Uint8Array, hasPart: boolean): boolean {
  let fields = 0;
  let at = 0;
  let partEnd = 0;
  /** -1 at the end of the bytes, or of what a number may hold. */
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; at < bytes.length && shift < 2 ** 70; shift *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
    return -1;
  };
  while (at < bytes.length) {
    if (++fields > MAX_FIELDS) return true;
    const tag = varint();
    const wireType = tag % 8;
    if (tag < 0 || wireType > 5) return false;
    if (wireType === 0 && varint() < 0) return false;
    if (wireType === 1) at += 8;
    if (wireType === 5) at += 4;
    if (wireType !== 2) continue;
    const length = varint();
    if (length < 0 || at + length > bytes.length) return false;
    const isPart = hasPart && at >= partEnd && Math.floor(tag / 8) === PART;
    // A part is looked into instead of passed over: its fields count like the others.
    if (isPart) partEnd = at + length;
    else at += length;
  }
  return false;
}
