import type { PrincipalRemoved, TokenRevoked } from './revocation.events.js';

/** Which tokens are void before their time (spec/privacy.md, "Tokens"). */

export interface Revocations {
  /** When the token ends by itself, ms since the Unix epoch, by the hash of its jti; Infinity where nobody knows. */
  readonly ends: ReadonlyMap<string, number>;
  /** Tokens issued up to here are void, ms since the Unix epoch. */
  readonly removedAt: number;
}

export const noRevocations: Revocations = { ends: new Map(), removedAt: -Infinity };

export function evolve(state: Revocations, event: { readonly type: string; readonly data: unknown }): Revocations {
  if (event.type === 'PRINCIPAL_REMOVED') {
    return { ...state, removedAt: Date.parse((event.data as PrincipalRemoved['data']).removed_at) };
  }
  if (event.type !== 'TOKEN_REVOKED') return state;
  const { jti_hash, expires_at, revoked_at } = event.data as TokenRevoked['data'];
  const now = Date.parse(revoked_at) - EXPIRED_FOR_MS;
  const ends = new Map([...state.ends].filter(([, end]) => end >= now));
  return { ...state, ends: ends.set(jti_hash, expires_at === null ? Infinity : Date.parse(expires_at)) };
}

/** A revocation is forgotten only when no clock of ours can take its token for a living one any more. */
const EXPIRED_FOR_MS = 60_000;

/** A second revocation changes nothing. */
export function revoke(state: Revocations, revocation: TokenRevoked['data']): readonly TokenRevoked[] {
  return state.ends.has(revocation.jti_hash) ? [] : [{ type: 'TOKEN_REVOKED', data: revocation }];
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
