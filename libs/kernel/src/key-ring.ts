import { hmacSha256 } from './hash.js';
import { HmacKey } from './hmac-key.js';

/** What a key may be used for (spec/kernel.md, "Key ring"). */
export type KeyPurpose =
  | 'event-hmac'
  | 'snapshot-hmac'
  | 'pii-hmac'
  | 'request-hmac'
  | 'token-signature'
  | 'response-signature'
  | 'checkpoint-signature'
  | 'data-key-wrapping'
  | 'forensic-evidence';

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
/** How far the clocks of two machines, or of one before and after a correction, may be apart. */
const CLOCK_TOLERANCE_MS = 2_000;

/** A key is asked to sign before or after its time; nothing is signed. */
export class KeyOutOfTimeError extends Error {
  constructor({ kid, notBefore, notAfter }: RingKey, now: number) {
    super(
      `key ${kid} signs from ${notBefore} to ${notAfter ?? 'its rotation'}, and it is ${new Date(now).toISOString()}: set the clock right, or rotate the key`,
    );
    this.name = 'KeyOutOfTimeError';
  }
}

interface ActiveKey {
  readonly key: RingKey;
  /** Ms since the Unix epoch; the interval in which it signs. */
  readonly from: number;
  readonly to: number;
}

/** The keys of a process: exactly one active key a purpose signs; all but revoked ones verify. */
export class KeyRing {
  private readonly byKid = new Map<string, RingKey>();
  private readonly activeByPurpose = new Map<KeyPurpose, ActiveKey>();
  private readonly pseudoRandomKeys = new Map<string, HmacKey>();

  /**
   * @param now ms since the Unix epoch, by which keys are held to the interval in which they sign; without it they are not
   */
  constructor(
    keys: Iterable<RingKey>,
    private readonly now?: () => number,
  ) {
    for (const key of keys) {
      if (this.byKid.has(key.kid)) throw new Error(`key ${key.kid} is in the ring twice`);
      if (key.secret.length < MIN_KEY_BYTES) throw new Error(`key ${key.kid} is shorter than ${MIN_KEY_BYTES} bytes`);
      this.byKid.set(key.kid, key);
      if (key.state !== 'active') continue;
      if (this.activeByPurpose.has(key.purpose)) throw new Error(`two active keys for ${key.purpose}`);
      this.activeByPurpose.set(key.purpose, signing(key));
    }
  }

  /** @throws Error where no key of that purpose is active; KeyOutOfTimeError where the one that is may not sign now */
  active(purpose: KeyPurpose): RingKey {
    const active = this.activeByPurpose.get(purpose);
    if (!active) throw new Error(`no active key for ${purpose}`);
    const now = this.now?.();
    if (now !== undefined && (now < active.from || now > active.to)) throw new KeyOutOfTimeError(active.key, now);
    return active.key;
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
      pseudoRandomKey = new HmacKey(hmacSha256(Buffer.alloc(32), key.secret));
      this.pseudoRandomKeys.set(key.kid, pseudoRandomKey);
    }
    return Buffer.from(pseudoRandomKey.latin1(`${info}\u0001`), 'latin1');
  }
}

/** @throws Error where its interval cannot be read */
function signing(key: RingKey): ActiveKey {
  const from = Date.parse(key.notBefore) - CLOCK_TOLERANCE_MS;
  const to = key.notAfter === undefined ? Infinity : Date.parse(key.notAfter) + CLOCK_TOLERANCE_MS;
  if (Number.isNaN(from) || Number.isNaN(to)) throw new Error(`key ${key.kid} has no readable interval`);
  return { key, from, to };
}
