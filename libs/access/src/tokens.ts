import { createPrivateKey, createPublicKey, randomUUID, type KeyObject } from 'node:crypto';

import { LruMap } from '#lib/event-store';
import { MaceError, type KeyRing } from '#lib/kernel';

import { ELEVATION_MAX_AGE_S } from './authorize.js';
import { ROLES, type Role } from './principal.js';

/** Access tokens: JWT (RFC 7519) signed with Ed25519 by the ring's token-signature key (spec/privacy.md, "Tokens"). */

const ALGORITHM = 'EdDSA';
export const CLOCK_TOLERANCE_S = 2;
export const MAX_TTL_S = 31_536_000;
const MAX_TOKEN_LENGTH = 4096;
const MAX_KNOWN_TOKENS = 10_000;
const SECOND_FACTORS = ['otp', 'mfa', 'hwk'];

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
}

/** What a verified token says. */
export interface TokenClaims {
  /** The raw user id, in the caller's spelling. */
  readonly userId: string;
  readonly roles: readonly Role[];
  readonly jti: string;
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
  return new SignJWT({ roles: order.roles, ...factors })
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

/** Verifies a token once, and remembers it until it expires. */
export class TokenVerifier {
  private readonly known = new LruMap<string, TokenClaims>(MAX_KNOWN_TOKENS);
  private readonly publicKeys = new Map<string, KeyObject>();

  constructor(
    private readonly ring: KeyRing,
    private readonly names: TokenNames,
  ) {}

  /** Claims of a token seen before and not expired since; undefined where `verify` must look. */
  seen(token: string, now: number): TokenClaims | undefined {
    const claims = this.known.get(token);
    return claims && now / 1000 < claims.expiresAt + CLOCK_TOLERANCE_S ? claims : undefined;
  }

  /** @throws MaceError UNAUTHENTICATED saying what is wrong with the token */
  async verify(token: string, now: number): Promise<TokenClaims> {
    if (token.length > MAX_TOKEN_LENGTH) throw refused('it is too long');
    const { jwtVerify, errors } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, (header) => this.publicKey(header.kid), {
        ...this.names,
        algorithms: [ALGORITHM],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now),
        requiredClaims: ['sub', 'iat', 'exp', 'jti', 'roles'],
      });
      const claims = readClaims(payload, now);
      this.known.set(token, claims);
      return claims;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw refused(explain(error));
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

function readClaims(payload: Record<string, unknown>, now: number): TokenClaims {
  const { sub, roles, jti, exp, iat, amr, auth_time: authTime } = payload;
  if (typeof sub !== 'string' || sub === '' || typeof jti !== 'string') throw refused('its sub or jti is not a text');
  if (!Array.isArray(roles) || roles.length === 0 || !roles.every(isRole)) {
    throw refused(`its roles are not among ${ROLES.join(', ')}`);
  }
  if ((iat as number) > now / 1000 + CLOCK_TOLERANCE_S) throw refused('it was issued in the future');
  const factor = Array.isArray(amr) && amr.some((method) => SECOND_FACTORS.includes(String(method)));
  return {
    userId: sub,
    roles,
    jti,
    expiresAt: exp as number,
    secondFactorAt: factor && typeof authTime === 'number' ? authTime : undefined,
  };
}

function isRole(value: unknown): value is Role {
  return (ROLES as readonly unknown[]).includes(value);
}

/** No word of the token itself: what a stranger sent is not repeated. */
function explain(error: { code: string; claim?: unknown }): string {
  if (error.code === 'ERR_JWT_EXPIRED') return 'it has expired';
  if (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return `its claim "${String(error.claim)}" is not acceptable`;
  if (error.code === 'ERR_JOSE_ALG_NOT_ALLOWED') return `its algorithm is not ${ALGORITHM}`;
  if (error.code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'its signature does not verify';
  return 'it is not a signed JWT';
}

function refused(reason: string): MaceError {
  return new MaceError('UNAUTHENTICATED', `the bearer token is refused: ${reason}`);
}
