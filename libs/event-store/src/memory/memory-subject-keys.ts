import { type SubjectKeyRecord, type SubjectKeyStore, type WrappedKey } from '../subject-keys.js';

/** Keeps wrapped keys in memory, for tests of what stands on the port. */
export class MemorySubjectKeys implements SubjectKeyStore {
  private readonly records = new Map<string, SubjectKeyRecord>();

  async create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord> {
    const stored = this.records.get(key.kid) ?? { state: 'present', subject, key };
    this.records.set(key.kid, stored);
    return stored;
  }

  async get(kid: string): Promise<SubjectKeyRecord | null> {
    return this.records.get(kid) ?? null;
  }

  async rewrap(key: WrappedKey): Promise<boolean> {
    const record = this.records.get(key.kid);
    if (record?.state !== 'present') return false;
    this.records.set(key.kid, { ...record, key });
    return true;
  }

  async destroy(kid: string): Promise<void> {
    const record = this.records.get(kid);
    if (!record) throw new Error(`there is no data key ${kid} to destroy`);
    this.records.set(kid, { state: 'destroyed', subject: record.subject, kid });
  }

  /** Of a person who is erased. */
  async destroyAllOf(subject: string): Promise<void> {
    for (const record of await this.listFor(subject))
      await this.destroy(record.state === 'present' ? record.key.kid : record.kid);
  }

  async listFor(subject: string): Promise<readonly SubjectKeyRecord[]> {
    return [...this.records.values()].filter((record) => record.subject === subject);
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}
