import { createHmac } from 'node:crypto';

/** What a key may be used for (spec/kernel.md, "Key ring"). */
export type KeyPurpose =
  | 'event-hmac'
  | 'snapshot-hmac'
  | 'pii-hmac'
  | 'request-hmac'
  | 'token-signature'
  | 'response-signature'
  | 'checkpoint-signature'
  | 'data-key-wrapping';

/** active: signs and verifies; verify-only: verifies what it signed before; revoked: neither. */
export type KeyState = 'active' | 'verify-only' | 'revoked';

export interface RingKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly state: KeyState;
  /** At least 32 bytes; for a signature purpose the PKCS#8 private key in DER. */
  readonly secret: Buffer;
  /** ISO 8601; the interval in which the key signs. */
  readonly notBefore: string;
  readonly notAfter?: string;
}

export const MIN_KEY_BYTES = 32;

/** The keys of a process: exactly one active key a purpose signs; all but revoked ones verify. */
export class KeyRing {
  private readonly byKid = new Map<string, RingKey>();
  private readonly activeByPurpose = new Map<KeyPurpose, RingKey>();
  private readonly pseudoRandomKeys = new Map<string, Buffer>();

  constructor(keys: Iterable<RingKey>) {
    for (const key of keys) {
      if (this.byKid.has(key.kid)) throw new Error(`key ${key.kid} is in the ring twice`);
      if (key.secret.length < MIN_KEY_BYTES) throw new Error(`key ${key.kid} is shorter than ${MIN_KEY_BYTES} bytes`);
      this.byKid.set(key.kid, key);
      if (key.state !== 'active') continue;
      if (this.activeByPurpose.has(key.purpose)) throw new Error(`two active keys for ${key.purpose}`);
      this.activeByPurpose.set(key.purpose, key);
    }
  }

  /** @throws Error where no key of that purpose is active */
  active(purpose: KeyPurpose): RingKey {
    const key = this.activeByPurpose.get(purpose);
    if (!key) throw new Error(`no active key for ${purpose}`);
    return key;
  }

  /** The key that may verify what carries `kid`; undefined for an unknown, revoked or differently purposed one. */
  verifying(kid: string, purpose: KeyPurpose): RingKey | undefined {
    const key = this.byKid.get(kid);
    return key && key.purpose === purpose && key.state !== 'revoked' ? key : undefined;
  }

  all(): readonly RingKey[] {
    return [...this.byKid.values()];
  }

  /**
   * HKDF-SHA256 (RFC 5869, no salt) of a ring key, 32 bytes for one `info`. The extract step is done once a key, so a
   * subkey costs one HMAC.
   */
  subkey(key: RingKey, info: string): Buffer {
    let pseudoRandomKey = this.pseudoRandomKeys.get(key.kid);
    if (!pseudoRandomKey) {
      pseudoRandomKey = createHmac('sha256', Buffer.alloc(32)).update(key.secret).digest();
      this.pseudoRandomKeys.set(key.kid, pseudoRandomKey);
    }
    return createHmac('sha256', pseudoRandomKey).update(info).update('\u0001').digest();
  }
}
