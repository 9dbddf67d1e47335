import { GrowingMap, MaceError } from '#lib/kernel';

import type { PrincipalRemoved, TokenRevoked } from './revocation.events.js';

/** Which tokens are void before their time (spec/privacy.md, "Tokens"). */

export interface Revocations {
  /** When the token ends by itself, ms since the Unix epoch, by the hash of its jti; Infinity where nobody knows. */
  readonly ends: GrowingMap<string, number>;
  /** Tokens issued up to here are void, ms since the Unix epoch. */
  readonly removedAt: number;
  /** How many without a known end each principal has named; they are never forgotten. */
  readonly named: Readonly<Record<string, number>>;
}

export const noRevocations: Revocations = { ends: GrowingMap.empty(), removedAt: -Infinity, named: {} };

export interface RevocationEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: { readonly actor: { readonly id: string } };
}

export function evolve(state: Revocations, event: RevocationEvent): Revocations {
  if (event.type === 'PRINCIPAL_REMOVED') {
    return { ...state, removedAt: Date.parse((event.data as PrincipalRemoved['data']).removed_at) };
  }
  if (event.type !== 'TOKEN_REVOKED') return state;
  const { jti_hash, expires_at, revoked_at } = event.data as TokenRevoked['data'];
  const now = Date.parse(revoked_at) - EXPIRED_FOR_MS;
  const end = expires_at === null ? Infinity : Date.parse(expires_at);
  const ends = state.ends.with(jti_hash, end, (known) => known >= now);
  if (end !== Infinity || state.ends.has(jti_hash)) return { ...state, ends };
  const { id } = event.metadata.actor;
  return { ...state, ends, named: { ...state.named, [id]: (state.named[id] ?? 0) + 1 } };
}

/** A revocation is forgotten only when no clock of ours can take its token for a living one any more. */
const EXPIRED_FOR_MS = 60_000;

/** Nobody knows whether such a jti is any token's, and it is never forgotten: so many are one principal's to name. */
export const MAX_NAMED_BY_JTI = 1000;

/**
 * A second revocation changes nothing.
 * @param by who names the token
 * @throws MaceError INVALID_INPUT beyond MAX_NAMED_BY_JTI tokens of which only the jti is known
 */
export function revoke(state: Revocations, revocation: TokenRevoked['data'], by: string): readonly TokenRevoked[] {
  if (state.ends.has(revocation.jti_hash)) return [];
  if (revocation.expires_at !== null || (state.named[by] ?? 0) < MAX_NAMED_BY_JTI)
    return [{ type: 'TOKEN_REVOKED', data: revocation }];
  throw new MaceError(
    'INVALID_INPUT',
    `body.jti: ${MAX_NAMED_BY_JTI} tokens are revoked by their jti alone already; show the token: {"token": ...}`,
  );
}

/** A second removal is one of its own: it voids what was issued in between. */
export function remove(userId: string, removedAt: string): readonly PrincipalRemoved[] {
  return [{ type: 'PRINCIPAL_REMOVED', data: { user_id: userId, removed_at: removedAt } }];
}

/** What a token must show to be asked about. */
export interface TokenMark {
  /** Hashes of its own jti and of the jti that it was traded for. */
  readonly jtiHashes: readonly string[];
  /** Ms since the Unix epoch. */
  readonly issuedAt: number;
}

export function isVoid(state: Revocations, token: TokenMark): boolean {
  return token.issuedAt <= state.removedAt || token.jtiHashes.some((jti) => state.ends.has(jti));
}
