import { kidOf, type KeyPage, type SubjectKeyRecord, type SubjectKeyStore, type WrappedKey } from '../subject-keys.js';

type Kept = Exclude<SubjectKeyRecord, { state: 'refused' }>;

/** Keeps wrapped keys in memory, for tests of what stands on the port. */
export class MemorySubjectKeys implements SubjectKeyStore {
  private readonly records = new Map<string, Kept>();
  private readonly refused = new Set<string>();

  async create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord> {
    const stored = this.records.get(key.kid);
    if (stored) return this.seen(stored);
    if (this.refused.has(subject)) return { state: 'refused', subject, kid: key.kid };
    const made: Kept = { state: 'present', subject, key };
    this.records.set(key.kid, made);
    return made;
  }

  async get(kid: string): Promise<SubjectKeyRecord | null> {
    const record = this.records.get(kid);
    return record ? this.seen(record) : null;
  }

  getAll(kids: readonly string[]): Promise<readonly (SubjectKeyRecord | null)[]> {
    return Promise.all(kids.map((kid) => this.get(kid)));
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
    for (const record of await this.listFor(subject)) await this.destroy(kidOf(record));
  }

  async listFor(subject: string): Promise<readonly SubjectKeyRecord[]> {
    return [...this.records.values()].filter((record) => record.subject === subject).map((record) => this.seen(record));
  }

  async present(after: string | null, limit: number): Promise<KeyPage> {
    const from = after === null ? 0 : Number(after);
    const all = [...this.records.values()];
    const keys: WrappedKey[] = [];
    for (let i = from; i < all.length; i++) {
      const record = all[i]!;
      if (record.state !== 'present') continue;
      if (keys.length === limit) return { keys, next: String(i) };
      keys.push(record.key);
    }
    return { keys, next: null };
  }

  async refuse(subject: string): Promise<void> {
    this.refused.add(subject);
  }

  async readmit(subject: string): Promise<void> {
    const left = [...this.records.values()].find((record) => record.subject === subject && record.state === 'present');
    if (left && this.refused.has(subject)) throw new Error(`data key ${kidOf(left)} of ${subject} is still there`);
    this.refused.delete(subject);
  }

  async close(): Promise<void> {
    // Nothing is held.
  }

  private seen(record: Kept): SubjectKeyRecord {
    if (record.state === 'destroyed' || !this.refused.has(record.subject)) return record;
    return { state: 'refused', subject: record.subject, kid: record.key.kid };
  }
}
