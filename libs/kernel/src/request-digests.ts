import { failure } from './errors.js';
import { hmacSha256Hex } from './hash.js';
import type { KeyRing } from './key-ring.js';

/** What a request asked, as it is recorded: never its body. */
export interface AskedBody {
  /** Digest under the key that is active; absent where nobody's request stands behind a command. */
  readonly requestDigest?: string;
  /** Digests under keys that were rotated since, made only where the first is another; absent where there are none. */
  readonly earlierDigests?: () => readonly string[];
}

/** Digests of texts under the keys of a ring for requests, made once a process. */
export class RequestDigests {
  private readonly active: Buffer;
  private readonly retired: readonly Buffer[];

  /** @throws Error where no key for requests is active */
  constructor(ring: KeyRing) {
    const { secret, purpose } = ring.active('request-hmac');
    this.active = secret;
    this.retired = ring
      .all()
      .filter((key) => key.purpose === purpose && key.state === 'verify-only')
      .map((key) => key.secret);
  }

  /** The digest that is recorded. */
  of(text: string): string {
    return hmacSha256Hex(this.active, text);
  }

  /** Whether there are keys under which a request may have been recorded before. */
  get hasRetired(): boolean {
    return this.retired.length > 0;
  }

  /** Digests under which the same text may have been recorded before. */
  earlier(text: string): readonly string[] {
    return this.retired.map((secret) => hmacSha256Hex(secret, text));
  }
}

/** Whether what is recorded was asked by this very request, under whichever key it was recorded. */
export function isSameBody(recorded: string | null | undefined, { requestDigest, earlierDigests }: AskedBody): boolean {
  const first = recorded ?? undefined;
  if (first === requestDigest) return true;
  return first !== undefined && (earlierDigests?.().includes(first) ?? false);
}

/** @throws MaceError IDEMPOTENCY_KEY_REUSED where the recorded request had another body */
export function refuseOtherBody(recorded: string | null | undefined, asked: AskedBody): void {
  if (isSameBody(recorded, asked)) return;
  throw failure('IDEMPOTENCY_KEY_REUSED', 'other_body', {});
}
