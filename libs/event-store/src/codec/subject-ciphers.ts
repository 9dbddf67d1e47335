import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

import type { KeyRing, RingKey } from '#lib/kernel';

import type { SubjectKeyRecord, SubjectKeyStore, WrappedKey } from '../subject-keys.js';
import { HmacKey } from './hmac-key.js';

const DATA_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** How long an unwrapped data key may stay in memory: a destroyed key is out of reach everywhere after this. */
export const UNWRAPPED_KEY_MS = 30_000;

/** A person's data key, ready for use. */
export interface SubjectCipher {
  readonly kid: string;
  readonly dataKey: Buffer;
  /** Makes nonces from content, so that deciding again after a crash makes the same bytes. */
  readonly nonceKey: HmacKey;
}

/** A personal field whose key is neither present nor known as destroyed: never mistaken for an erasure. */
export class UnknownSubjectKeyError extends Error {
  constructor(readonly kid: string) {
    super(`data key ${kid} is not in the subject key store; restore it, or the key folder it came with`);
    this.name = 'UnknownSubjectKeyError';
  }
}

/** A data key that is there and cannot be unwrapped: damaged, or wrapped by a key that the ring does not hold. */
export class UnusableSubjectKeyError extends Error {
  constructor(kid: string, reason: string, options?: ErrorOptions) {
    super(`data key ${kid} ${reason}`, options);
    this.name = 'UnusableSubjectKeyError';
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

  constructor(
    private readonly store: SubjectKeyStore,
    private readonly ring: KeyRing,
    private readonly now: () => number = Date.now,
  ) {}

  /** The subject's cipher if it is in memory; otherwise `load` it first. */
  cached(subject: string): SubjectCipher | undefined {
    return this.fresh(this.current.get(subject));
  }

  /** The subject's present cipher, made on first use; one who was erased and returns gets a new key. */
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
    const records = await this.store.listFor(subject);
    const last = records.at(-1);
    const record = last?.state === 'present' ? last : await this.create(subject, records.length + 1);
    if (record.state !== 'present') return this.loadNow(subject);
    const cipher = this.unwrap(record.key);
    this.current.set(subject, this.keep(cipher));
    this.byKid.set(cipher.kid, this.keep(cipher));
    return cipher;
  }

  /** @throws UnknownSubjectKeyError */
  async forKid(kid: string): Promise<SubjectCipher | 'destroyed'> {
    const known = this.cachedKid(kid);
    if (known) return known;
    const record = await this.store.get(kid);
    if (!record) throw new UnknownSubjectKeyError(kid);
    const value = record.state === 'destroyed' ? 'destroyed' : this.unwrap(record.key);
    this.byKid.set(kid, this.keep(value));
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

  /**
   * The kid ends in random bits: where the key store was lost or an older one restored, a new key must not go by the name
   * of one that old events were encrypted with.
   */
  private create(subject: string, generation: number): Promise<SubjectKeyRecord> {
    const kid = `${subject}.${generation}.${randomBytes(4).toString('hex')}`;
    const kek = this.ring.active('data-key-wrapping');
    return this.store.create(subject, {
      kid,
      wrapped: wrap(kek, kid, randomBytes(DATA_KEY_BYTES)),
      wrappedBy: kek.kid,
    });
  }

  private unwrap(key: WrappedKey): SubjectCipher {
    const kek = this.ring.verifying(key.wrappedBy, 'data-key-wrapping');
    if (!kek)
      throw new UnusableSubjectKeyError(key.kid, `is wrapped by ${key.wrappedBy}, which is not in the key ring`);
    const dataKey = unwrap(kek, key);
    return { kid: key.kid, dataKey, nonceKey: nonceKeyOf(dataKey) };
  }

  private keep<T>(value: T): Cached<T> {
    if (this.byKid.size > 10_000) this.dropStale();
    return { value, until: this.now() + UNWRAPPED_KEY_MS };
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

function nonceKeyOf(dataKey: Buffer): HmacKey {
  return new HmacKey(Buffer.from(hkdfSync('sha256', dataKey, '', 'field-nonce', 32)));
}

function wrap(kek: RingKey, kid: string, dataKey: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', kek.secret.subarray(0, 32), nonce).setAAD(Buffer.from(kid));
  return Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** @throws UnusableSubjectKeyError */
function unwrap(kek: RingKey, key: WrappedKey): Buffer {
  const bytes = Buffer.from(key.wrapped, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', kek.secret.subarray(0, 32), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(key.kid))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new UnusableSubjectKeyError(key.kid, `does not open with ${kek.kid}`, { cause: error });
  }
}
