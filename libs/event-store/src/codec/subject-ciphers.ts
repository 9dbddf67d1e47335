import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

import { HmacKey, InHandError, KeyRing } from '#lib/kernel';

import { Gathered } from '../gathered.js';
import { DATA_KEY_BYTES, type KeyWrapping } from '../key-wrapping.js';
import type { SubjectKeyRecord, SubjectKeyStore, WrappedKey } from '../subject-keys.js';
import { Leases } from './leases.js';
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

/** Creates, unwraps and briefly keeps people's data keys (spec/privacy.md, "Personal fields"). */
export class SubjectCiphers {
  private readonly current: Leases<SubjectCipher>;
  private readonly byKid: Leases<SubjectCipher | 'destroyed'>;
  /** Two who ask at once must not each make a key. */
  private readonly loading = new Map<string, Promise<SubjectCipher>>();
  private readonly wrapping: KeyWrapping;
  /** What is shown together, such as the items of a list, may be of as many people, and is asked for in one question. */
  private readonly records = new Gathered<string, SubjectKeyRecord | null>((kids) => this.recordsOf(kids));

  /**
   * @param keys what wraps data keys; a ring wraps by its own `data-key-wrapping` key
   * @param now ms since the Unix epoch
   */
  constructor(
    private readonly store: SubjectKeyStore,
    keys: KeyRing | KeyWrapping,
    now: () => number = Date.now,
  ) {
    this.wrapping = keys instanceof KeyRing ? new RingKeyWrapping(keys) : keys;
    this.current = new Leases(UNWRAPPED_KEY_MS, now);
    this.byKid = new Leases(UNWRAPPED_KEY_MS, now);
  }

  /** The subject's cipher if it is in memory; otherwise `load` it first. */
  cached(subject: string): SubjectCipher | undefined {
    return this.current.get(subject);
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
    // From before the store is asked: a key that is refused after that is in no memory past its refusal's lease.
    const taken = this.current.take();
    const records = await this.store.listFor(subject);
    const last = records.at(-1);
    const record = last?.state === 'present' ? last : await this.create(subject, records.length + 1);
    if (record.state === 'refused') throw new SubjectRefusedError();
    if (record.state !== 'present') return this.loadNow(subject);
    const value = await this.unwrap(record.key);
    this.current.set(subject, value, taken);
    this.byKid.set(value.kid, value, taken);
    return value;
  }

  /** The cipher of a kid; `destroyed` also from the moment on in which its subject is being erased. @throws UnknownSubjectKeyError */
  async forKid(kid: string): Promise<SubjectCipher | 'destroyed'> {
    const known = this.cachedKid(kid);
    if (known) return known;
    const taken = this.byKid.take();
    const record = await this.records.of(kid);
    if (!record) throw new UnknownSubjectKeyError(kid);
    const value = record.state === 'present' ? await this.unwrap(record.key) : 'destroyed';
    this.byKid.set(kid, value, taken);
    return value;
  }

  private async recordsOf(kids: readonly string[]): Promise<readonly (SubjectKeyRecord | null)[]> {
    const [only, ...others] = new Set(kids);
    if (others.length === 0) {
      const record = await this.store.get(only!);
      return kids.map(() => record);
    }
    return this.store.getAll(kids);
  }

  cachedKid(kid: string): SubjectCipher | 'destroyed' | undefined {
    return this.byKid.get(kid);
  }

  /** Forgets every unwrapped key of a subject at once, before the lease on them runs out. */
  forget(subject: string): void {
    this.current.delete((name) => name === subject);
    this.byKid.delete((kid) => kid.startsWith(`${subject}.`));
  }

  private async create(subject: string, generation: number): Promise<SubjectKeyRecord> {
    return this.store.create(subject, await newDataKey(this.wrapping, subject, generation));
  }

  private async unwrap(key: WrappedKey): Promise<SubjectCipher> {
    const dataKey = createSecretKey(await this.wrapping.unwrap(key));
    return { kid: key.kid, dataKey, nonceKey: nonceKeyOf(dataKey) };
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
