import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

import { HmacKey, InHandError, KeyRing } from '#lib/kernel';

import { DATA_KEY_BYTES, type KeyWrapping } from '../key-wrapping.js';
import type { SubjectKeyRecord, SubjectKeyStore, WrappedKey } from '../subject-keys.js';
import type { FieldCipher } from './personal-fields.js';
import { RingKeyWrapping } from './ring-key-wrapping.js';

/** How long an unwrapped data key may stay in memory: a destroyed key is out of reach everywhere after this. */
export const UNWRAPPED_KEY_MS = 30_000;

/** A person's data key, ready for use. */
export interface SubjectCipher extends FieldCipher {
  /** Held by the library that uses it: handed over anew at each field, its bytes would cost a sixth of opening one. */
  readonly dataKey: KeyObject;
}

/** A personal field whose key is neither present nor known as destroyed: never mistaken for an erasure. */
export class UnknownSubjectKeyError extends Error {
  constructor(readonly kid: string) {
    super(`data key ${kid} is not in the subject key store; restore it, or the key folder it came with`);
    this.name = 'UnknownSubjectKeyError';
  }
}

/** Whose data keys are being destroyed: nothing can be stored of them until that is done. */
export class SubjectRefusedError extends InHandError {
  constructor() {
    super('the person whose content this would be is being erased; try again when that is done');
    this.name = 'SubjectRefusedError';
  }
}

interface Cached<T> {
  readonly value: T;
  readonly until: number;
}

/** Creates, unwraps and briefly keeps people's data keys (spec/privacy.md, "Personal fields"). */
export class SubjectCiphers {
  private readonly current = new Map<string, Cached<SubjectCipher>>();
  private readonly byKid = new Map<string, Cached<SubjectCipher | 'destroyed'>>();
  /** Two who ask at once must not each make a key. */
  private readonly loading = new Map<string, Promise<SubjectCipher>>();
  private readonly wrapping: KeyWrapping;

  /** @param keys what wraps data keys; a ring wraps by its own `data-key-wrapping` key */
  constructor(
    private readonly store: SubjectKeyStore,
    keys: KeyRing | KeyWrapping,
    private readonly now: () => number = Date.now,
  ) {
    this.wrapping = keys instanceof KeyRing ? new RingKeyWrapping(keys) : keys;
  }

  /** The subject's cipher if it is in memory; otherwise `load` it first. */
  cached(subject: string): SubjectCipher | undefined {
    return this.fresh(this.current.get(subject));
  }

  /**
   * The subject's present cipher, made on first use; one who was erased and returns gets a new key.
   * @throws SubjectRefusedError while the subject is being erased; UnusableSubjectKeyError, KeyServiceError
   */
  async load(subject: string): Promise<SubjectCipher> {
    const known = this.cached(subject);
    if (known) return known;
    let loading = this.loading.get(subject);
    if (!loading) {
      loading = this.loadNow(subject).finally(() => this.loading.delete(subject));
      this.loading.set(subject, loading);
    }
    return loading;
  }

  private async loadNow(subject: string): Promise<SubjectCipher> {
    const until = this.leaseEnd();
    const records = await this.store.listFor(subject);
    const last = records.at(-1);
    const record = last?.state === 'present' ? last : await this.create(subject, records.length + 1);
    if (record.state === 'refused') throw new SubjectRefusedError();
    if (record.state !== 'present') return this.loadNow(subject);
    const value = await this.unwrap(record.key);
    this.keep(this.current, subject, { value, until });
    this.keep(this.byKid, value.kid, { value, until });
    return value;
  }

  /** The cipher of a kid; `destroyed` also from the moment on in which its subject is being erased. @throws UnknownSubjectKeyError */
  async forKid(kid: string): Promise<SubjectCipher | 'destroyed'> {
    const known = this.cachedKid(kid);
    if (known) return known;
    const until = this.leaseEnd();
    const record = await this.store.get(kid);
    if (!record) throw new UnknownSubjectKeyError(kid);
    const value = record.state === 'present' ? await this.unwrap(record.key) : 'destroyed';
    this.keep(this.byKid, kid, { value, until });
    return value;
  }

  cachedKid(kid: string): SubjectCipher | 'destroyed' | undefined {
    return this.fresh(this.byKid.get(kid));
  }

  /** Forgets every unwrapped key of a subject at once, before the lease on them runs out. */
  forget(subject: string): void {
    this.current.delete(subject);
    for (const kid of this.byKid.keys()) if (kid.startsWith(`${subject}.`)) this.byKid.delete(kid);
  }

  private async create(subject: string, generation: number): Promise<SubjectKeyRecord> {
    return this.store.create(subject, await newDataKey(this.wrapping, subject, generation));
  }

  private async unwrap(key: WrappedKey): Promise<SubjectCipher> {
    const dataKey = createSecretKey(await this.wrapping.unwrap(key));
    return { kid: key.kid, dataKey, nonceKey: nonceKeyOf(dataKey) };
  }

  /** Counted from before the store is asked: a key that is refused after that is in no memory past its refusal's lease. */
  private leaseEnd(): number {
    return this.now() + UNWRAPPED_KEY_MS;
  }

  private keep<T>(cache: Map<string, Cached<T>>, name: string, entry: Cached<T>): void {
    if (this.byKid.size > 10_000) this.dropStale();
    cache.set(name, entry);
  }

  private fresh<T>(entry: Cached<T> | undefined): T | undefined {
    return entry && this.now() < entry.until ? entry.value : undefined;
  }

  private dropStale(): void {
    for (const cache of [this.current, this.byKid]) {
      for (const [key, entry] of cache) if (this.now() >= entry.until) cache.delete(key);
    }
  }
}

function nonceKeyOf(dataKey: KeyObject): HmacKey {
  return new HmacKey(Buffer.from(hkdfSync('sha256', dataKey, '', 'field-nonce', 32)));
}

/**
 * A data key that was just drawn. Its kid ends in random bits: where the key store was lost or an older one restored, a
 * new key must not go by the name of one that old events were encrypted with.
 */
export function newDataKey(wrapping: KeyWrapping, subject: string, generation: number): Promise<WrappedKey> {
  const kid = `${subject}.${generation}.${randomBytes(4).toString('hex')}`;
  return wrapping.wrap(kid, randomBytes(DATA_KEY_BYTES));
}
