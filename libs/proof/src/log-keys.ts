import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

import type { KeyRing, RingKey } from '#lib/kernel';
import { checkpointText, ED25519, formatVkey, parseVkey, signatureLine, type VerifierKey } from '#lib/verifier';

/** A public key of checkpoints, with the time in which it signs. */
export interface LogKey {
  readonly kid: string;
  /** `<origin>+<key id>+<base64>` (C2SP signed-note). */
  readonly vkey: string;
  /** ISO 8601. */
  readonly not_before: string;
  /** Null while it signs. */
  readonly not_after: string | null;
}

/** Sets the subkey of marks apart from others. */
const MARKS = 'marks of erased data keys';

interface Signer {
  readonly key: RingKey;
  readonly secret: KeyObject;
  readonly verifier: VerifierKey;
}

/**
 * The keys of a ring that sign checkpoints, under the name of the log. While one key takes over from another both sign:
 * a retired key goes on as long as its interval says.
 */
export class LogKeys {
  private readonly signers: readonly Signer[];

  constructor(
    private readonly ring: KeyRing,
    readonly origin: string,
    private readonly now: () => number,
  ) {
    this.signers = ring
      .all()
      .filter(({ purpose, state }) => purpose === 'checkpoint-signature' && state !== 'revoked')
      .map((key) => signerOf(key, origin));
  }

  /** Every key whose signatures count, retired ones too. */
  get verifiers(): readonly VerifierKey[] {
    return this.signers.map(({ verifier }) => verifier);
  }

  /** The same for others, the one that signs now first. */
  published(): readonly LogKey[] {
    const keys = this.signers.map(({ key, verifier }): LogKey => {
      const { kid, notBefore, notAfter } = key;
      return { kid, vkey: verifier.vkey, not_before: notBefore, not_after: notAfter ?? null };
    });
    return keys.sort((a, b) => (a.not_before < b.not_before ? 1 : -1));
  }

  /**
   * The signed note of a checkpoint.
   * @param madeAt its time, in the form of `Date.toISOString`
   * @throws KeyOutOfTimeError where the active key may not sign now
   */
  sign(size: number, root: Buffer, madeAt = new Date(this.now()).toISOString()): string {
    return this.signText(checkpointText(this.origin, size, root, madeAt));
  }

  /**
   * Names a data key to whoever keeps the list of those that were destroyed, and to nobody else: 64 lower-case hex digits.
   * @throws KeyOutOfTimeError
   */
  markOf(kid: string): string {
    return this.markUnder(this.ring.active('checkpoint-signature'), kid);
  }

  /** Whether one of these marks is of that data key, under whichever key it was made. */
  isMarked(kid: string, marks: ReadonlySet<string>): boolean {
    return marks.size > 0 && this.marksOf(kid).some((mark) => marks.has(mark));
  }

  /** Its marks under every key of the log that is not revoked. */
  marksOf(kid: string): readonly string[] {
    return this.signers.map(({ key }) => this.markUnder(key, kid));
  }

  private markUnder(key: RingKey, kid: string): string {
    return createHmac('sha256', this.ring.subkey(key, MARKS)).update(kid).digest('hex');
  }

  /** @throws KeyOutOfTimeError */
  signText(text: string): string {
    const active = this.ring.active('checkpoint-signature');
    const lines = this.signers
      .filter(({ key }) => key === active || signsStill(key, this.now()))
      .map(({ secret, verifier: { name, keyId } }) =>
        signatureLine(name, keyId, sign(null, Buffer.from(text), secret)),
      );
    return `${text}\n${lines.join('')}`;
  }
}

function signerOf(key: RingKey, origin: string): Signer {
  const secret = createPrivateKey({ key: key.secret, format: 'der', type: 'pkcs8' });
  return { key, secret, verifier: parseVkey(formatVkey(origin, ED25519, rawPublicKey(secret))) };
}

function signsStill({ notBefore, notAfter }: RingKey, now: number): boolean {
  return notAfter !== undefined && Date.parse(notBefore) <= now && now < Date.parse(notAfter);
}

/** The 32 bytes of RFC 8032 of an Ed25519 key's public part. */
export function rawPublicKey(secret: KeyObject): Buffer {
  const { x } = createPublicKey(secret).export({ format: 'jwk' });
  return Buffer.from(x!, 'base64url');
}
