import { createHash, createHmac, hash as oneShot, timingSafeEqual, type BinaryLike, type KeyObject } from 'node:crypto';

/** Lower-case hex SHA-256 of the UTF-8 bytes of a text. */
export function sha256Hex(text: string): string {
  return oneShot('sha256', text, 'hex');
}

/** The same of bytes. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  return oneShot('sha256', bytes, 'hex');
}

/** Lower-case hex SHA-1 of the UTF-8 bytes of a text; for short labels in keys only, never for security. */
export function sha1Hex(text: string): string {
  return oneShot('sha1', text, 'hex');
}

export function sha256Bytes(data: BinaryLike): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Lower-case hex HMAC-SHA256 over the concatenated UTF-8 parts. */
export function hmacSha256Hex(key: Buffer | KeyObject, ...parts: string[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest('hex');
}

export function hmacSha256(key: Buffer | KeyObject, ...parts: (string | Buffer)[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

/** Compares two texts without leaking by time where they first differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
