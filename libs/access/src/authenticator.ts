import type { Principal } from './principal.js';
import type { Principals } from './principals.js';
import type { RevocationList } from './revocations.js';
import { isElevated, type TokenClaims, type TokenVerifier } from './tokens.js';

/** Principals whose tokens are to be looked at again; beyond that all are. */
const MAX_CHANGED = 10_000;

/** From a bearer token to a principal; without a promise where both are known already. */
export class Authenticator {
  /** How often something was revoked, so that a token that was being looked at meanwhile is looked at again. */
  private changes = 0;
  /** Of which principals something was revoked, and when in the order of changes. */
  private readonly changed = new Map<string, number>();
  /** When in that order a token was found good. */
  private readonly lookedAt = new WeakMap<TokenClaims, number>();

  constructor(
    private readonly tokens: TokenVerifier,
    private readonly principals: Principals,
    private readonly revocations: RevocationList,
  ) {
    revocations.onChange((owner) => {
      this.changes += 1;
      if (owner !== null && this.changed.size < MAX_CHANGED) return void this.changed.set(owner, this.changes);
      this.changed.clear();
      tokens.forgetAll();
    });
  }

  /** The principal of a token seen before; undefined where `authenticate` must look. */
  seen(token: string, now: number): Principal | undefined {
    const claims = this.tokens.seen(token, now);
    const id = claims && this.principals.seen(claims.userId);
    return id === undefined || this.isToBeLookedAt(id, claims!) ? undefined : principal(id, claims!, now);
  }

  /** @throws MaceError UNAUTHENTICATED, and what registering a new principal throws */
  async authenticate(token: string, now: number): Promise<Principal> {
    const claims = this.tokens.seen(token, now) ?? (await this.tokens.verify(token, now));
    const id = await this.principals.ensure(claims.userId, claims.roles[0]!);
    let changes: number;
    do {
      changes = this.changes;
      await this.revocations.check(id, claims);
    } while (changes !== this.changes);
    this.tokens.remember(token, claims, now);
    this.lookedAt.set(claims, changes);
    return principal(id, claims, now);
  }

  private isToBeLookedAt(id: string, claims: TokenClaims): boolean {
    const changed = this.changed.get(id);
    return changed !== undefined && changed > (this.lookedAt.get(claims) ?? 0);
  }

  /** What the token of a request that was let in says. */
  async claimsOf(token: string, now: number): Promise<TokenClaims> {
    return this.tokens.seen(token, now) ?? (await this.tokens.verify(token, now));
  }
}

function principal(id: string, claims: TokenClaims, now: number): Principal {
  return { id, roles: claims.roles, elevated: isElevated(claims, now) };
}
