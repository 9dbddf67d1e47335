/** In a shorter one, what people say anyway would be taken for it, and nobody has to be shown it to know it. */
const MIN_LENGTH = 8;
/** As JSON may write any character, or those that it has signs for. */
const ESCAPED = /\\(?:u([0-9a-f]{4})|(["\\/]))/gi;

/** A text with the mask in place of a secret, also where escapes of JSON hide that, which are read in that case. */
export function withoutSecret(text: string, secret: string, mask: string): string {
  if (secret.length < MIN_LENGTH) return text;
  const masked = text.replaceAll(secret, () => mask);
  const read = masked.replace(ESCAPED, (_, hex?: string, sign?: string) =>
    hex === undefined ? (sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return read.includes(secret) ? read.replaceAll(secret, () => mask) : masked;
}
