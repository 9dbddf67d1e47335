import type { Principal } from './principal.js';
import type { Principals } from './principals.js';
import { isElevated, type TokenClaims, type TokenVerifier } from './tokens.js';

/** From a bearer token to a principal; without a promise where both are known already. */
export class Authenticator {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly principals: Principals,
  ) {}

  /** The principal of a token seen before; undefined where `authenticate` must look. */
  seen(token: string, now: number): Principal | undefined {
    const claims = this.tokens.seen(token, now);
    const id = claims && this.principals.seen(claims.userId);
    return id === undefined ? undefined : principal(id, claims!, now);
  }

  /** @throws MaceError UNAUTHENTICATED, and what registering a new principal throws */
  async authenticate(token: string, now: number): Promise<Principal> {
    const claims = this.tokens.seen(token, now) ?? (await this.tokens.verify(token, now));
    return principal(await this.principals.ensure(claims.userId, claims.roles[0]!), claims, now);
  }
}

function principal(id: string, claims: TokenClaims, now: number): Principal {
  return { id, roles: claims.roles, elevated: isElevated(claims, now) };
}
