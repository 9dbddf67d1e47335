import {
  type ArtifactStore,
  decryptField,
  encryptField,
  type EncryptedField,
  type SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import type { Json } from '#lib/kernel';

const POINTER = '/held';
/** What the keys of held values are kept under; no person's id has that form. */
const PREFIX = 'held-';
const PAGE = 500;

/**
 * Values that wait for the council, each encrypted under a key of its own, and inside that under its owner's: it is gone
 * with either. Nobody reads one before the decision, and a refused one ends with its key (spec/privacy.md, "What happens").
 */
export class HeldValues {
  constructor(
    private readonly ciphers: SubjectCiphers,
    private readonly keys: SubjectKeyStore,
    private readonly artifacts: ArtifactStore,
  ) {}

  /**
   * Puts a value away; the same again is no second one.
   * @returns its name: the hash of what is stored, which says nothing of the value
   */
  async hold(requestId: string, owner: string, value: Json): Promise<string> {
    const inner = encryptField(await this.ciphers.load(owner), requestId, POINTER, value);
    const outer = encryptField(await this.ciphers.load(PREFIX + requestId), requestId, POINTER, inner);
    return this.artifacts.put(Buffer.from(outer), { id: owner, role: 'user' });
  }

  /** Null where it is gone: destroyed, or erased with its owner's key. @throws DamagedArtifactError */
  async open(requestId: string, name: string): Promise<Json | null> {
    const stored = await this.artifacts.get(name);
    if (stored === null) return null;
    const inner = await this.decrypted(requestId, Buffer.from(stored).toString());
    return typeof inner === 'string' ? this.decrypted(requestId, inner) : null;
  }

  /** Destroys a value's key and deletes what it opened; again is no error. */
  async destroy(requestId: string, name?: string): Promise<void> {
    const subject = PREFIX + requestId;
    for (const record of await this.keys.listFor(subject)) {
      if (record.state === 'present') await this.keys.destroy(record.key.kid);
      if (record.state === 'refused') await this.keys.destroy(record.kid);
    }
    this.ciphers.forget(subject);
    if (name !== undefined) await this.artifacts.delete(name);
  }

  /** The requests that values are held for, those included that were never made because of a crash. */
  async *held(): AsyncGenerator<string> {
    for (let after: string | null = null; ;) {
      const { keys, next } = await this.keys.present(after, PAGE);
      for (const { kid } of keys) if (kid.startsWith(PREFIX)) yield kid.slice(PREFIX.length).split('.')[0]!;
      if (next === null) return;
      after = next;
    }
  }

  private async decrypted(requestId: string, text: string): Promise<Json | null> {
    const field = JSON.parse(text) as EncryptedField;
    const cipher = await this.ciphers.forKid(field.$enc.kid);
    return cipher === 'destroyed' ? null : decryptField(cipher, requestId, POINTER, field);
  }
}
