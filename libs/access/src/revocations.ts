import { randomUUID } from 'node:crypto';

import { type EventLog, type Fold, StorageFullError, StoreUnavailableError } from '#lib/event-store';
import { failure, MaceError, sha256Hex, systemSeed, traceId, type Actor, type Provenance } from '#lib/kernel';

import { evolve, isVoid, noRevocations, remove, revoke, type Revocations } from './domain/revocation.js';
import type { TokenClaims } from './tokens.js';

/** Revocations by jti alone, where nobody here knows whose token it is. */
const OF_ANYBODY = 'system-tokens';
/** Revocations that hold in this process and are not stored: some 500 bytes each. */
const MAX_UNSTORED = 10_000;
const MAX_UNSTORED_OF_ONE = 100;
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
  private readonly listeners: ((owner: string | null) => void)[] = [];
  private readonly unstored = new Map<string, RevocationOrder>();

  constructor(private readonly log: EventLog) {}

  /** Called as soon as something more is void: whoever remembers tokens of that principal (null: of anybody) must look again. */
  onChange(listener: (owner: string | null) => void): void {
    this.listeners.push(listener);
  }

  /** @throws MaceError UNAUTHENTICATED for a token that was revoked, or whose principal was removed since it was issued */
  async check(principal: string, { jti, sourceJti, issuedAt }: TokenClaims): Promise<void> {
    const mark = { jtiHashes: [jti, ...(sourceJti === undefined ? [] : [sourceJti])].map(sha256Hex), issuedAt };
    const [own, anybody] = await Promise.all([
      this.log.fold(`principal-${principal}`, FOLD),
      this.log.fold(OF_ANYBODY, FOLD),
    ]);
    const isUnstored = mark.jtiHashes.some((hash) =>
      [principal, null].some((of) => this.unstored.has(keyOf(of, hash))),
    );
    if (isUnstored || isVoid(own.state, mark) || isVoid(anybody.state, mark)) {
      throw failure('UNAUTHENTICATED', 'refused', { reason: 'it was revoked' });
    }
  }

  /**
   * Holds when it returns; again changes nothing. Where the log does not take it, it holds in this process all the same, and
   * is stored as soon as it can be.
   * @throws MaceError INVALID_INPUT where somebody has named too many by their jti alone; STORAGE_FULL, DATA_UNAVAILABLE
   * where it is not stored, with what holds in `meta.revocation`
   */
  async revoke(order: RevocationOrder): Promise<void> {
    const key = keyOf(order.owner, sha256Hex(order.jti));
    try {
      await this.store(order);
      this.unstored.delete(key);
    } catch (error) {
      if (!(error instanceof StorageFullError || error instanceof StoreUnavailableError)) throw error;
      if (!this.keepUnstored(key, order)) throw error;
      this.lookAgain(order.owner);
      throw unstoredError(error);
    }
    this.lookAgain(order.owner);
  }

  /** Stores what holds in this process only, as far as the log takes it; never rejects. */
  async storeAgain(): Promise<void> {
    for (const [key, order] of this.unstored) {
      try {
        await this.store(order);
        this.unstored.delete(key);
      } catch (error) {
        // A log that is away takes none of them; any other refusal is of this one alone. Each is tried again.
        if (error instanceof StoreUnavailableError) return;
      }
    }
  }

  /** False where as many are kept as may be. */
  private keepUnstored(key: string, order: RevocationOrder): boolean {
    if (this.unstored.has(key)) return true;
    const ofOne = [...this.unstored.values()].filter(({ actor }) => actor.id === order.actor.id).length;
    if (this.unstored.size >= MAX_UNSTORED || ofOne >= MAX_UNSTORED_OF_ONE) return false;
    this.unstored.set(key, order);
    return true;
  }

  private async store({ jti, owner, expiresAt, actor, now }: RevocationOrder): Promise<void> {
    const revocation = {
      jti_hash: sha256Hex(jti),
      expires_at: expiresAt === undefined ? null : new Date(expiresAt * 1000).toISOString(),
      revoked_at: new Date(now).toISOString(),
    };
    await this.log.execute({
      stream: owner === null ? OF_ANYBODY : `principal-${owner}`,
      fold: FOLD,
      provenance: provenanceOf(actor),
      decide: (state) => revoke(state, revocation, actor.id),
    });
  }

  /** Voids every token that a person has by now; one issued later brings the person back. */
  async removePrincipal(userId: string, actor: Actor, now: number): Promise<void> {
    await this.log.execute({
      stream: `principal-${userId}`,
      fold: FOLD,
      provenance: provenanceOf(actor),
      decide: () => remove(userId, new Date(now).toISOString()),
    });
    this.lookAgain(userId);
  }

  /** Whatever is remembered of a principal's tokens (null: of anybody's) is to be looked at again. */
  lookAgain(owner: string | null): void {
    for (const listener of this.listeners) listener(owner);
  }
}

function keyOf(owner: string | null, jtiHash: string): string {
  return `${owner ?? '*'} ${jtiHash}`;
}

function unstoredError(error: StorageFullError | StoreUnavailableError): MaceError {
  const why = error instanceof StorageFullError ? error.reason : 'the event store does not answer';
  const holds = 'this process refuses the token from now on; no other process does, and none after a restart';
  return new MaceError(
    error instanceof StorageFullError ? 'STORAGE_FULL' : 'DATA_UNAVAILABLE',
    `the revocation is not stored: ${why}; ${holds}, until it is stored: repeat it until the answer says so`,
    { revocation: { holds_in: 'this process', stored: false } },
  );
}

/** A seed of its own for each: the same jti may be revoked for one person and for everybody. */
function provenanceOf(actor: Actor): Provenance {
  const seed = systemSeed('revocations', randomUUID());
  return { jobSeed: seed, sequenceIndex: 0, actor, traceId: traceId(seed) };
}
