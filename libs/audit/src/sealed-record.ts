import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';

import type { JsonObject, KeyRing, RingKey } from '#lib/kernel';

const PURPOSE = 'forensic-evidence';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Evidence does not open with the key that it names: it was altered, or the key is gone. */
export class UnreadableEvidenceError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`forensic evidence: ${reason}`, options);
    this.name = 'UnreadableEvidenceError';
  }
}

export interface Sealed {
  readonly kid: string;
  readonly bytes: Buffer;
}

/**
 * A record as it is stored: length of the kid, kid, nonce, tag, AES-256-GCM under the ring's forensic key. The nonce
 * follows from the record, so that the same record is the same bytes.
 */
export function seal(ring: KeyRing, record: JsonObject): Sealed {
  const ringKey = ring.active(PURPOSE);
  const plain = Buffer.from(JSON.stringify(record));
  const nonce = createHmac('sha256', keyOf(ring, ringKey, 'nonce'))
    .update(plain)
    .digest()
    .subarray(0, NONCE_BYTES);
  const kid = Buffer.from(ringKey.kid);
  const aes = createCipheriv('aes-256-gcm', keyOf(ring, ringKey, 'seal'), nonce).setAAD(kid);
  const body = Buffer.concat([aes.update(plain), aes.final()]);
  return { kid: ringKey.kid, bytes: Buffer.concat([Buffer.of(kid.length), kid, nonce, aes.getAuthTag(), body]) };
}

/** @throws UnreadableEvidenceError */
export function unseal(ring: KeyRing, stored: Uint8Array): JsonObject {
  const bytes = Buffer.from(stored);
  const end = 1 + bytes[0]!;
  const kid = bytes.subarray(1, end);
  const ringKey = ring.verifying(kid.toString(), PURPOSE);
  if (!ringKey) throw new UnreadableEvidenceError(`key ${kid.toString()} is not in the key ring`);
  const tag = end + NONCE_BYTES;
  try {
    const aes = createDecipheriv('aes-256-gcm', keyOf(ring, ringKey, 'seal'), bytes.subarray(end, tag), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(kid)
      .setAuthTag(bytes.subarray(tag, tag + TAG_BYTES));
    const plain = Buffer.concat([aes.update(bytes.subarray(tag + TAG_BYTES)), aes.final()]);
    return JSON.parse(plain.toString()) as JsonObject;
  } catch (error) {
    throw new UnreadableEvidenceError(`it does not open with ${ringKey.kid}`, { cause: error });
  }
}

function keyOf(ring: KeyRing, key: RingKey, use: string): Buffer {
  return ring.subkey(key, `${PURPOSE}/${use}`);
}
