import type { DomainEvent, EventDefinition } from '#lib/kernel';

/**
 * In `principal-{owner}`, or in `system-tokens` where an admin names a jti whose owner nobody here knows: no token with
 * this jti is taken any more.
 */
export type TokenRevoked = DomainEvent<
  'TOKEN_REVOKED',
  {
    /** SHA-256 of the jti, hex: an issuer's jti is not ours to keep. */
    readonly jti_hash: string;
    /** ISO 8601; null where the token itself was not shown. */
    readonly expires_at: string | null;
    readonly revoked_at: string;
  }
>;

/** In `principal-{user_id}`: whatever token was issued up to this moment is void; a later one brings the person back. */
export type PrincipalRemoved = DomainEvent<
  'PRINCIPAL_REMOVED',
  { readonly user_id: string; readonly removed_at: string }
>;

export const tokenRevoked: EventDefinition = {
  type: 'TOKEN_REVOKED',
  version: 1,
  plain: ['jti_hash', 'expires_at', 'revoked_at'],
};

export const principalRemoved: EventDefinition = {
  type: 'PRINCIPAL_REMOVED',
  version: 1,
  plain: ['user_id', 'removed_at'],
};
