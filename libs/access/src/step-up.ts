import type { KeyRing } from '#lib/kernel';

import { ELEVATION_MAX_AGE_S } from './authorize.js';
import type { SecondFactors } from './second-factors.js';
import { signToken, type TokenClaims, type TokenNames } from './tokens.js';

export interface SteppedUp {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

/** Trades a token and a one-time code for an elevated token (spec/privacy.md, "Two factors"; RFC 9470). */
export class StepUp {
  constructor(
    private readonly ring: KeyRing,
    private readonly names: TokenNames,
    private readonly factors: SecondFactors,
  ) {}

  /**
   * The elevated token has the roles of the one it is traded for, outlives neither it nor the second factor, and is
   * revoked with it.
   * @param userId normal form of the token's holder
   * @throws what SecondFactors.verifyOneTimeCode throws
   */
  async trade(claims: TokenClaims, userId: string, code: string, now: number): Promise<SteppedUp> {
    await this.factors.verifyOneTimeCode(userId, code, now);
    const left = Math.floor(claims.expiresAt - now / 1000);
    const seconds = Math.max(1, Math.min(ELEVATION_MAX_AGE_S, left));
    const token = await signToken(this.ring, {
      ...this.names,
      userId: claims.userId,
      roles: claims.roles,
      ttlSeconds: seconds,
      now,
      amr: ['otp'],
      source: { jti: claims.sourceJti ?? claims.jti, issuedAt: claims.issuedAt },
    });
    return { access_token: token, expires_in: seconds };
  }
}
