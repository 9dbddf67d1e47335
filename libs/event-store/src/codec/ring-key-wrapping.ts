import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

import type { KeyRing, RingKey } from '#lib/kernel';

import { DATA_KEY_BYTES, type KeyWrapping, UnusableSubjectKeyError } from '../key-wrapping.js';
import type { WrappedKey } from '../subject-keys.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Wraps by the ring's `data-key-wrapping` key: nonce, AES-256-GCM with the kid as associated data, tag; base64. */
export class RingKeyWrapping implements KeyWrapping {
  constructor(private readonly ring: KeyRing) {}

  async wrap(kid: string, dataKey: Uint8Array): Promise<WrappedKey> {
    const kek = this.ring.active('data-key-wrapping');
    const nonce = randomBytes(NONCE_BYTES);
    const aes = createCipheriv('aes-256-gcm', secretOf(kek), nonce).setAAD(Buffer.from(kid));
    const sealed = Buffer.concat([nonce, aes.update(dataKey), aes.final(), aes.getAuthTag()]);
    return { kid, wrapped: sealed.toString('base64'), wrappedBy: kek.kid };
  }

  async unwrap(key: WrappedKey): Promise<Buffer> {
    const kek = this.ring.verifying(key.wrappedBy, 'data-key-wrapping');
    if (!kek)
      throw new UnusableSubjectKeyError(key.kid, `is wrapped by ${key.wrappedBy}, which is not in the key ring`);
    const bytes = Buffer.from(key.wrapped, 'base64');
    try {
      const aes = createDecipheriv('aes-256-gcm', secretOf(kek), bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(key.kid))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      const dataKey = Buffer.concat([aes.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), aes.final()]);
      if (dataKey.length !== DATA_KEY_BYTES) throw new RangeError(`it has ${dataKey.length} bytes`);
      return dataKey;
    } catch (error) {
      throw new UnusableSubjectKeyError(key.kid, `does not open with ${kek.kid}`, { cause: error });
    }
  }

  async rewrap(key: WrappedKey): Promise<WrappedKey | null> {
    if (key.wrappedBy === this.ring.active('data-key-wrapping').kid) return null;
    return this.wrap(key.kid, await this.unwrap(key));
  }
}

function secretOf(kek: RingKey): Buffer {
  return kek.secret.subarray(0, 32);
}
