/** Most UTF-16 units of an agent's text (seed 001, ReflectiveLog H). */
export const MAX_OUTPUT_TEXT = 16_000;
/** Most bytes of one recorded row, as JSON in UTF-8 (the same). */
export const MAX_ROW_BYTES = 1_000_000;

/**
 * Why an agent's reply cannot stand in a log, or null. A log names outputs by id and hash, so that only a single reply
 * can make a row too large.
 */
export function outputFault(reply: object): string | null {
  const { text } = reply as { readonly text?: unknown };
  if (typeof text === 'string' && text.length > MAX_OUTPUT_TEXT) {
    return `its text has ${text.length} characters; at most ${MAX_OUTPUT_TEXT}`;
  }
  const bytes = Buffer.byteLength(JSON.stringify(reply));
  return bytes > MAX_ROW_BYTES ? `its output has ${bytes} bytes; at most ${MAX_ROW_BYTES}` : null;
}
