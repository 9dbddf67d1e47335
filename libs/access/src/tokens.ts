import { createPrivateKey, createPublicKey, randomUUID, type KeyObject } from 'node:crypto';

import { LruMap } from '#lib/event-store';
import { failure, type MaceError, type KeyRing, type RingKey } from '#lib/kernel';

import { ELEVATION_MAX_AGE_S } from './authorize.js';
import { ISSUER_ALGORITHMS, ISSUER_KEYS_MS, type IssuerKeys } from './issuer-keys.js';
import { ROLES, type Role } from './principal.js';

/**
 * Access tokens (spec/privacy.md, "Tokens"): JWT (RFC 7519), signed with Ed25519 by the ring's token-signature key, or by
 * an OIDC issuer with one of its keys.
 */

const ALGORITHM = 'EdDSA';
export const CLOCK_TOLERANCE_S = 2;
export const MAX_TTL_S = 31_536_000;
const MAX_TOKEN_LENGTH = 4096;
const MAX_KNOWN_TOKENS = 10_000;
const SECOND_FACTORS = ['otp', 'mfa', 'hwk'];
/** The last moment that a date can be, in seconds since the Unix epoch: what ends later could not be revoked. */
const END_OF_TIME_S = 8_640_000_000_000;
/** Claims that only a token of a step-up has. */
const SOURCE_JTI = 'source_jti';
const SOURCE_ISSUED_AT = 'source_iat';

export interface TokenNames {
  /** Default `mace`. */
  readonly issuer: string;
  readonly audience: string;
}

export interface TokenOrder extends TokenNames {
  readonly userId: string;
  readonly roles: readonly Role[];
  readonly ttlSeconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** How the person showed who they are, e.g. ['otp']; then auth_time is now. */
  readonly amr?: readonly string[];
  /** The token that this one is traded for: with it this one is revoked too. */
  readonly source?: Pick<TokenClaims, 'jti' | 'issuedAt'>;
}

/** What a verified token says. */
export interface TokenClaims {
  /** The raw user id, in the caller's spelling. */
  readonly userId: string;
  readonly roles: readonly Role[];
  readonly jti: string;
  /** Of the token that this one was traded for at step-up. */
  readonly sourceJti: string | undefined;
  /**
   * Milliseconds since the Unix epoch, the earliest that our clock may have shown: an issuer's may be ahead of it. Of a
   * traded token that of the one it was traded for.
   */
  readonly issuedAt: number;
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number;
  /** Seconds since the Unix epoch of a second factor; undefined where none was shown. */
  readonly secondFactorAt: number | undefined;
}

export async function signToken(ring: KeyRing, order: TokenOrder): Promise<string> {
  const { SignJWT } = await import('jose');
  const key = ring.active('token-signature');
  const iat = Math.floor(order.now / 1000);
  const factors = order.amr ? { amr: order.amr, auth_time: iat } : {};
  const { source } = order;
  const traded = source && { [SOURCE_JTI]: source.jti, [SOURCE_ISSUED_AT]: source.issuedAt / 1000 };
  return new SignJWT({ roles: order.roles, ...factors, ...traded })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: 'JWT' })
    .setSubject(order.userId)
    .setIssuer(order.issuer)
    .setAudience(order.audience)
    .setIssuedAt(iat)
    .setNotBefore(iat)
    .setExpirationTime(iat + order.ttlSeconds)
    .setJti(randomUUID())
    .sign(createPrivateKey({ key: key.secret, format: 'der', type: 'pkcs8' }));
}

/** Whether a second factor counts at this moment (RFC 9470). */
export function isElevated(claims: TokenClaims, now: number): boolean {
  const age = claims.secondFactorAt === undefined ? Infinity : now / 1000 - claims.secondFactorAt;
  return age >= -CLOCK_TOLERANCE_S && age <= ELEVATION_MAX_AGE_S;
}

interface Known {
  readonly claims: TokenClaims;
  /** Ms since the Unix epoch; from then on it must be verified again. */
  readonly until: number;
}

/** Verifies a token once, and remembers it until it expires. */
export class TokenVerifier {
  private known = new LruMap<string, Known>(MAX_KNOWN_TOKENS);
  private readonly publicKeys = new Map<string, KeyObject>();

  /**
   * @param issuer whose tokens are taken
   * @param takesOwn whether tokens that we signed ourselves are taken; otherwise only those that a step-up traded
   */
  constructor(
    private readonly ring: KeyRing,
    private readonly names: TokenNames,
    private readonly issuer?: IssuerKeys,
    private readonly takesOwn = issuer === undefined,
  ) {}

  /** Claims of a token that was remembered and has not expired since; undefined where `verify` must look. */
  seen(token: string, now: number): TokenClaims | undefined {
    const known = this.known.get(token);
    return known && now < known.until ? known.claims : undefined;
  }

  /** From here on `seen` answers for this token: its claims are verified, and nothing makes it void. */
  remember(token: string, claims: TokenClaims, now: number): void {
    const end = (claims.expiresAt + CLOCK_TOLERANCE_S) * 1000;
    this.known.set(token, { claims, until: this.issuer ? Math.min(end, now + ISSUER_KEYS_MS) : end });
  }

  /** Every token is looked at again. */
  forgetAll(): void {
    this.known = new LruMap(MAX_KNOWN_TOKENS);
  }

  /** @throws MaceError UNAUTHENTICATED saying what is wrong with the token; DATA_UNAVAILABLE where its issuer is down */
  async verify(token: string, now: number): Promise<TokenClaims> {
    if (token.length > MAX_TOKEN_LENGTH) throw refused('it is too long');
    const { decodeProtectedHeader, jwtVerify, errors } = await import('jose');
    const { issuer } = this;
    try {
      const { kid } = decodeProtectedHeader(token);
      const own = kid === undefined ? undefined : this.ring.verifying(kid, 'token-signature');
      const isOurs = own !== undefined;
      const options = {
        ...this.names,
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now),
        requiredClaims: ['sub', 'iat', 'exp', 'jti', 'roles'],
      };
      const { payload } =
        issuer && !isOurs
          ? await jwtVerify(token, (header, jws) => issuer.keyFor(header, jws), {
              ...options,
              algorithms: ISSUER_ALGORITHMS,
            })
          : await jwtVerify(token, (header) => this.publicKey(header.kid), { ...options, algorithms: [ALGORITHM] });
      if (isOurs && !this.takesOwn && payload[SOURCE_JTI] === undefined)
        throw refused('tokens come from the issuer, not from this machine');
      if (own) refuseUnmade(own, payload, this.takesOwn ? MAX_TTL_S : ELEVATION_MAX_AGE_S);
      return readClaims(payload, now, isOurs);
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refused(explain(error, issuer !== undefined));
      // What is no base64 or no JSON is told of with a TypeError.
      if (error instanceof TypeError) throw refused('it is not a signed JWT');
      throw error;
    }
  }

  private publicKey(kid: string | undefined): KeyObject {
    const key = kid === undefined ? undefined : this.ring.verifying(kid, 'token-signature');
    if (!key) throw refused('its key is not one of ours');
    let publicKey = this.publicKeys.get(key.kid);
    if (!publicKey) {
      publicKey = createPublicKey(createPrivateKey({ key: key.secret, format: 'der', type: 'pkcs8' }));
      this.publicKeys.set(key.kid, publicKey);
    }
    return publicKey;
  }
}

/**
 * A key verifies what it signed in its time: whoever has one that was rotated away makes no token with it that says it is
 * newer, or shows a later second factor, or lasts longer than those that are made here. One that signs no more and does not
 * say since when verifies nothing.
 */
function refuseUnmade({ state, notAfter }: RingKey, payload: Record<string, unknown>, maxTtlS: number): void {
  const { iat, exp, auth_time: authTime } = payload as { iat: number; exp: number; auth_time?: unknown };
  const signs = state === 'active' && notAfter === undefined;
  const end = signs ? Infinity : Date.parse(notAfter ?? '') / 1000 + CLOCK_TOLERANCE_S;
  const isOfItsTime = iat <= end && (typeof authTime !== 'number' || authTime <= end);
  if (!isOfItsTime) throw refused('its key signs no more since before it was issued');
  if (exp - iat > maxTtlS) throw refused(`it lasts longer than ${maxTtlS} seconds`);
}

/** @param isOurs whose claim of a source counts: anybody else's would be a way round a revocation */
function readClaims(payload: Record<string, unknown>, now: number, isOurs: boolean): TokenClaims {
  const { sub, roles, jti, exp, iat, amr, auth_time: authTime } = payload;
  const { [SOURCE_JTI]: source, [SOURCE_ISSUED_AT]: sourceIssuedAt } = payload;
  if (typeof sub !== 'string' || sub === '' || typeof jti !== 'string' || jti === '')
    throw refused('its sub or jti is not a text');
  if (!Array.isArray(roles) || roles.length === 0 || !roles.every(isRole)) {
    throw refused(`its roles are not among ${ROLES.join(', ')}`);
  }
  if ((iat as number) > now / 1000 + CLOCK_TOLERANCE_S) throw refused('it was issued in the future');
  if ((exp as number) > END_OF_TIME_S) throw refused('its claim "exp" is no time in seconds');
  const issuedAt = isOurs ? ((sourceIssuedAt ?? iat) as number) : (iat as number) - CLOCK_TOLERANCE_S;
  const factor = Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.includes(String(method)));
  return {
    userId: sub,
    roles,
    jti,
    sourceJti: isOurs && typeof source === 'string' ? source : undefined,
    issuedAt: issuedAt * 1000,
    expiresAt: exp as number,
    secondFactorAt: factor && typeof authTime === 'number' ? authTime : undefined,
  };
}

function isRole(value: unknown): value is Role {
  return (ROLES as readonly unknown[]).includes(value);
}

/** No word of the token itself: what a stranger sent is not repeated. */
function explain(error: { code: string; claim?: unknown }, byIssuer: boolean): string {
  if (error.code === 'ERR_JWT_EXPIRED') return 'it has expired';
  if (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return `its claim "${String(error.claim)}" is not acceptable`;
  if (error.code === 'ERR_JOSE_ALG_NOT_ALLOWED')
    return `its algorithm is not ${byIssuer ? ISSUER_ALGORITHMS.join(', ') : ALGORITHM}`;
  if (error.code === 'ERR_JWKS_NO_MATCHING_KEY') return 'its key is not one of the issuer’s';
  if (error.code === 'ERR_JWKS_MULTIPLE_MATCHING_KEYS') return 'it does not name its key';
  if (error.code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'its signature does not verify';
  return 'it is not a signed JWT';
}

function refused(reason: string): MaceError {
  return failure('UNAUTHENTICATED', 'refused', { reason });
}
