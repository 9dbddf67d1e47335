import type { CryptoKey, FetchImplementation, FlattenedJWSInput, JWSHeaderParameters } from 'jose';

import { MaceError } from '#lib/kernel';

/** What an issuer may sign with. No symmetric algorithm is among them, so that no public key can pass for a secret. */
export const ISSUER_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** How long the issuer's keys, and what they verified, are believed without asking again. */
export const ISSUER_KEYS_MS = 600_000;

const TIMEOUT_MS = 3_000;
const MAX_BYTES = 256 * 1024;
/** Fetches that may follow each other at once, and the time in which one more is allowed. */
const BURST = 3;
const REFILL_MS = 10_000;

type Resolve = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/**
 * The public keys of an OIDC issuer (its JWKS). A token with an unknown key has them fetched again, so that a rotation at
 * the issuer is taken at once; strangers' inventions cost the issuer one fetch in ten seconds at most.
 */
export class IssuerKeys {
  private resolve: Promise<Resolve> | undefined;
  private lastText: string | undefined;
  private budget = BURST;
  private budgetAt = -Infinity;

  /** @param now ms of a clock that tells how long ago a fetch was */
  constructor(
    private readonly url: URL,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The key that a token names.
   * @throws MaceError DATA_UNAVAILABLE where the issuer does not give its keys; JOSEError for a key that is not its own
   */
  async keyFor(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    const { errors } = await import('jose');
    const resolve = await (this.resolve ??= this.open());
    try {
      return await resolve(header, token);
    } catch (error) {
      const isAnswer =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      if (isAnswer) throw error;
      throw new MaceError('DATA_UNAVAILABLE', `the issuer does not give its keys (MACE_JWKS_URL): ${faultOf(error)}`);
    }
  }

  private async open(): Promise<Resolve> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const fetchKeys: FetchImplementation = (url, options) => this.fetch(url, options);
    return createRemoteJWKSet(this.url, {
      timeoutDuration: TIMEOUT_MS,
      // How often it is asked is decided in `fetch`: a fixed pause would refuse the tokens of a key just rotated in.
      cooldownDuration: 0,
      cacheMaxAge: ISSUER_KEYS_MS,
      [customFetch]: fetchKeys,
    });
  }

  private async fetch(url: string, options: RequestInit): Promise<Response> {
    if (!this.mayAsk()) {
      if (this.lastText === undefined) throw new UnreadableAnswerError('it did not a moment ago');
      return new Response(this.lastText);
    }
    const response = await fetch(url, options);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new UnreadableAnswerError(`it answers with status ${response.status}`);
    }
    this.lastText = await boundedText(response);
    return new Response(this.lastText);
  }

  private mayAsk(): boolean {
    const now = this.now();
    const refilled = Math.floor((now - this.budgetAt) / REFILL_MS);
    if (refilled > 0) {
      this.budget = Math.min(BURST, this.budget + refilled);
      this.budgetAt = now;
    }
    if (this.budget === 0) return false;
    this.budget -= 1;
    return true;
  }
}

/** What an issuer answers is not to be read. */
export class UnreadableAnswerError extends Error {}

/** The whole of what an issuer answers. @throws UnreadableAnswerError where it is too long */
export async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new UnreadableAnswerError(`its answer is over ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Nothing of the address or the answer: only what kind of fault it is. */
function faultOf(error: unknown): string {
  if (error instanceof UnreadableAnswerError) return error.message;
  const { code, name, cause } = error as { code?: string; name?: string; cause?: { code?: string; name?: string } };
  if (code === 'ERR_JWKS_TIMEOUT' || name === 'TimeoutError' || cause?.name === 'TimeoutError')
    return `no answer within ${TIMEOUT_MS} ms`;
  if (code === 'ERR_JWKS_INVALID' || name === 'JOSEError') return 'its answer is no key set';
  return cause?.code ?? code ?? 'it cannot be reached';
}
