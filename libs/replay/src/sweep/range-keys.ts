import { hkdfSync, type KeyObject } from 'node:crypto';

import {
  HmacKey,
  type SubjectCipher,
  SubjectCiphers,
  type SubjectKeyStore,
  UnknownSubjectKeyError,
} from '#lib/event-store';
import type { KeyRing } from '#lib/kernel';

/** Gives data keys by kid, from whoever has unwrapped them; one that cannot be had is left out. */
export type DataKeys = (kids: readonly string[]) => Promise<ReadonlyMap<string, KeyObject | 'destroyed'>>;

/** Data keys for as long as a range of jobs is replayed, and no longer: whoever lends them minds when they lapse. */
export class RangeKeys extends SubjectCiphers {
  private readonly lent = new Map<string, SubjectCipher | 'destroyed'>();

  constructor(
    private readonly keys: DataKeys,
    ring: KeyRing,
  ) {
    super(NO_KEYS, ring);
  }

  /** Gives back the keys of the range before, and takes those of this one in one question. */
  async begin(kids: readonly string[]): Promise<void> {
    this.lent.clear();
    await this.borrow(kids);
  }

  override cachedKid(kid: string): SubjectCipher | 'destroyed' | undefined {
    return this.lent.get(kid);
  }

  override async forKid(kid: string): Promise<SubjectCipher | 'destroyed'> {
    if (!this.lent.has(kid)) await this.borrow([kid]);
    const cipher = this.lent.get(kid);
    if (cipher === undefined) throw new UnknownSubjectKeyError(kid);
    return cipher;
  }

  private async borrow(kids: readonly string[]): Promise<void> {
    if (kids.length === 0) return;
    for (const [kid, key] of await this.keys(kids)) this.lent.set(kid, key === 'destroyed' ? key : cipherOf(kid, key));
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
  rewrap: refuse,
  destroy: refuse,
  listFor: refuse,
  present: refuse,
  refuse,
  readmit: refuse,
  close: () => Promise.resolve(),
};
