/** What the verifier asks of `node:buffer` and `node:zlib`, for a browser (see crypto.ts). */

/** As `isUtf8` of `node:buffer`. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The page unpacks a bundle before it is verified: a browser does so in no synchronous way. */
export function inflateRawSync(): never {
  throw new Error('a bundle is unpacked before it is verified');
}

/** Of what is unpacked; see there. */
export function crc32(): never {
  return inflateRawSync();
}
