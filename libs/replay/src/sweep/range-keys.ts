import { hkdfSync, type KeyObject } from 'node:crypto';

import {
  type SubjectCipher,
  SubjectCiphers,
  type SubjectKeyStore,
  UnknownSubjectKeyError,
  UNWRAPPED_KEY_MS,
} from '#lib/event-store';
import { HmacKey, type KeyRing } from '#lib/kernel';

/** Gives data keys by kid, from whoever has unwrapped them; one that cannot be had is left out. */
export type DataKeys = (kids: readonly string[]) => Promise<ReadonlyMap<string, KeyObject | 'destroyed'>>;

/**
 * Data keys for as long as a range of jobs is replayed, and no longer than the lease of an unwrapped key (spec/privacy.md):
 * it counts from before they are asked for, since whoever lends them gives none of somebody whose keys are being destroyed.
 */
export class RangeKeys extends SubjectCiphers {
  private readonly lent = new Map<string, SubjectCipher | 'destroyed'>();
  /** The first lease of those that are lent: with it all of them end. */
  private until = Infinity;

  /** @param clock milliseconds, monotonic */
  constructor(
    private readonly keys: DataKeys,
    ring: KeyRing,
    private readonly clock: () => number = () => performance.now(),
  ) {
    super(NO_KEYS, ring);
  }

  /** Takes the keys of a range in one question. */
  async begin(kids: readonly string[]): Promise<void> {
    this.end();
    await this.borrow(kids);
  }

  /** Gives back whatever is lent. */
  end(): void {
    this.lent.clear();
    this.until = Infinity;
  }

  override cachedKid(kid: string): SubjectCipher | 'destroyed' | undefined {
    if (this.clock() >= this.until) this.end();
    return this.lent.get(kid);
  }

  /** @throws UnknownSubjectKeyError also where it came too late to be used */
  override async forKid(kid: string): Promise<SubjectCipher | 'destroyed'> {
    if (this.cachedKid(kid) === undefined) await this.borrow([kid]);
    const cipher = this.cachedKid(kid);
    if (cipher === undefined) throw new UnknownSubjectKeyError(kid);
    return cipher;
  }

  private async borrow(kids: readonly string[]): Promise<void> {
    if (kids.length === 0) return;
    const until = this.clock() + UNWRAPPED_KEY_MS;
    const keys = await this.keys(kids);
    this.until = Math.min(this.until, until);
    for (const [kid, key] of keys) this.lent.set(kid, key === 'destroyed' ? key : cipherOf(kid, key));
  }
}

function cipherOf(kid: string, dataKey: KeyObject): SubjectCipher {
  return {
    kid,
    dataKey,
    /** Only who encrypts needs it. */
    get nonceKey() {
      return new HmacKey(Buffer.from(hkdfSync('sha256', dataKey, '', 'field-nonce', 32)));
    },
  };
}

function refuse(): never {
  throw new Error('a sweep of replays makes and destroys no data key');
}

const NO_KEYS: SubjectKeyStore = {
  create: refuse,
  get: () => Promise.resolve(null),
  getAll: (kids) => Promise.resolve(kids.map(() => null)),
  rewrap: refuse,
  destroy: refuse,
  listFor: refuse,
  present: refuse,
  refuse,
  readmit: refuse,
  close: () => Promise.resolve(),
};
