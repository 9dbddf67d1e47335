import { randomUUID } from 'node:crypto';

import type { EventLog, Fold } from '#lib/event-store';
import { MaceError, sha256Hex, systemSeed, traceId, type Actor, type Provenance } from '#lib/kernel';

import { evolve, isVoid, noRevocations, remove, revoke, revokeOwn, type Revocations } from './domain/revocation.js';
import type { TokenClaims } from './tokens.js';

/** Revocations by jti alone, where nobody here knows whose token it is. */
const OF_ANYBODY = 'system-tokens';
const FOLD: Fold<Revocations> = { name: 'revocations', initial: noRevocations, evolve };

export interface RevocationOrder {
  readonly jti: string;
  /** Normal form of its holder; null where nobody here knows: then the jti is void for everybody. */
  readonly owner: string | null;
  /** Seconds since the Unix epoch; undefined where only the jti is known. */
  readonly expiresAt: number | undefined;
  readonly actor: Actor;
  /** Ms since the Unix epoch. */
  readonly now: number;
}

/** Tokens that are void before their time, on record (spec/privacy.md, "Tokens"). */
export class RevocationList {
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly log: EventLog) {}

  /** Called as soon as something more is void: whoever remembers tokens must look again. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @throws MaceError UNAUTHENTICATED for a token that was revoked, or whose principal was removed since it was issued */
  async check(principal: string, { jti, sourceJti, issuedAt }: TokenClaims): Promise<void> {
    const mark = { jtiHashes: [jti, ...(sourceJti === undefined ? [] : [sourceJti])].map(sha256Hex), issuedAt };
    const [own, anybody] = await Promise.all([
      this.log.fold(`principal-${principal}`, FOLD),
      this.log.fold(OF_ANYBODY, FOLD),
    ]);
    if (isVoid(own.state, mark) || isVoid(anybody.state, mark)) {
      throw new MaceError('UNAUTHENTICATED', 'the bearer token is refused: it was revoked');
    }
  }

  /**
   * Holds when it returns; again changes nothing.
   * @throws MaceError INVALID_INPUT where an owner has named too many by their jti alone
   */
  async revoke({ jti, owner, expiresAt, actor, now }: RevocationOrder): Promise<void> {
    const revocation = {
      jti_hash: sha256Hex(jti),
      expires_at: expiresAt === undefined ? null : new Date(expiresAt * 1000).toISOString(),
      revoked_at: new Date(now).toISOString(),
    };
    await this.log.execute({
      stream: owner === null ? OF_ANYBODY : `principal-${owner}`,
      fold: FOLD,
      provenance: provenanceOf(actor),
      decide: (state) => (owner === null ? revoke : revokeOwn)(state, revocation),
    });
    this.lookAgain();
  }

  /** Voids every token that a person has by now; one issued later brings the person back. */
  async removePrincipal(userId: string, actor: Actor, now: number): Promise<void> {
    await this.log.execute({
      stream: `principal-${userId}`,
      fold: FOLD,
      provenance: provenanceOf(actor),
      decide: () => remove(userId, new Date(now).toISOString()),
    });
    this.lookAgain();
  }

  /** Whatever is remembered of tokens is to be looked at again. */
  lookAgain(): void {
    for (const listener of this.listeners) listener();
  }
}

/** A seed of its own for each: the same jti may be revoked for one person and for everybody. */
function provenanceOf(actor: Actor): Provenance {
  const seed = systemSeed('revocations', randomUUID());
  return { jobSeed: seed, sequenceIndex: 0, actor, traceId: traceId(seed) };
}
