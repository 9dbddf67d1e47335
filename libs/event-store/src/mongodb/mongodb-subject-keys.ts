import type { Collection, UpdateFilter } from 'mongodb';

import { isDuplicateKey, MongoConnection, type MongoConnectionOptions } from '#lib/mongodb';

import { StoreUnavailableError } from '../port.js';
import type { KeyPage, SubjectKeyRecord, SubjectKeyStore, WrappedKey } from '../subject-keys.js';
import { describing } from './failures.js';

interface KeyDocument {
  readonly _id: string;
  /** The order in which they were made. */
  readonly number: number;
  readonly subject: string;
  /** Both absent in a tombstone. */
  readonly wrapped?: string;
  readonly wrappedBy?: string;
}
interface RefusedSubject {
  readonly _id: string;
}
interface Counter {
  readonly _id: string;
  readonly last: number;
}
type PresentKey = KeyDocument & Required<Pick<KeyDocument, 'wrapped' | 'wrappedBy'>>;

/**
 * People's wrapped data keys in `subject_keys`, refusals in `refused_subjects`.
 *
 * A kid is an `_id`, so there is one of each for ever: a destroyed key is replaced by a document without the bytes, and
 * no update of ours matches such a one. The bytes are then in no document. They are, still wrapped, in the server's
 * oplog and journal until those roll over, in file blocks until they are written again, and in backups: docs/running.md,
 * "Destroyed keys on MongoDB", says what to do about each.
 *
 * `refuse` and `create` may meet without a transaction: a key that was stored is given out only after the refusals were
 * looked at once more. So either the refusal came first, and what was stored is destroyed again, or the key came first,
 * and whoever refused finds it when listing. A process that dies in between leaves a key that nobody ever got; `readmit`
 * names it, and erasing again destroys it.
 * @throws MongoUrlError, MongoAwayError
 */
export async function openMongoSubjectKeys(options: MongoConnectionOptions): Promise<SubjectKeyStore> {
  const connection = await MongoConnection.open(options);
  try {
    const store = new MongoSubjectKeys(connection);
    await store.prepare();
    return store;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoSubjectKeys implements SubjectKeyStore {
  private readonly keys: Collection<KeyDocument>;
  private readonly refused: Collection<RefusedSubject>;
  private readonly counters: Collection<Counter>;

  constructor(private readonly connection: MongoConnection) {
    this.keys = connection.db.collection('subject_keys');
    this.refused = connection.db.collection('refused_subjects');
    this.counters = connection.db.collection('subject_key_counters');
  }

  async prepare(): Promise<void> {
    await this.ask(async () => {
      await this.keys.createIndex({ number: 1 }, { name: 'in_order' });
      await this.keys.createIndex({ subject: 1, number: 1 }, { name: 'of_subject' });
    });
  }

  create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord> {
    return this.ask(async () => {
      const refusal: SubjectKeyRecord = { state: 'refused', subject, kid: key.kid };
      const stored = await this.record(key.kid);
      if (stored) return stored;
      if (await this.isRefused(subject)) return refusal;
      const { kid, wrapped, wrappedBy } = key;
      const number = await this.nextNumber();
      try {
        await this.keys.insertOne({ _id: kid, number, subject, wrapped, wrappedBy });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return (await this.record(kid)) ?? refusal;
      }
      if (!(await this.isRefused(subject))) return (await this.record(kid)) ?? refusal;
      // Not deleted: another process may have been given it before the refusal, and its kid must not come again.
      await this.keys.replaceOne({ _id: kid }, { number, subject });
      return refusal;
    });
  }

  get(kid: string): Promise<SubjectKeyRecord | null> {
    return this.ask(() => this.record(kid));
  }

  /** The keys first, as of one: see `record`. */
  getAll(kids: readonly string[]): Promise<readonly (SubjectKeyRecord | null)[]> {
    return this.ask(async () => {
      const found = await this.keys.find({ _id: { $in: [...kids] } }).toArray();
      const subjects = found.filter(isPresent).map(({ subject }) => subject);
      const refused = new Set((await this.refused.find({ _id: { $in: subjects } }).toArray()).map(({ _id }) => _id));
      const records = new Map(found.map((one) => [one._id, recordOf(one, refused.has(one.subject))]));
      return kids.map((kid) => records.get(kid) ?? null);
    });
  }

  rewrap({ kid, wrapped, wrappedBy }: WrappedKey): Promise<boolean> {
    return this.ask(async () => {
      const update: UpdateFilter<KeyDocument> = { $set: { wrapped, wrappedBy } };
      return (await this.keys.updateOne({ _id: kid, wrapped: { $gte: '' } }, update)).matchedCount === 1;
    });
  }

  destroy(kid: string): Promise<void> {
    return this.ask(async () => {
      const found = await this.keys.findOne({ _id: kid });
      if (!found) throw new Error(`there is no data key ${kid} to destroy`);
      const { number, subject } = found;
      await this.keys.replaceOne({ _id: kid }, { number, subject });
    });
  }

  listFor(subject: string): Promise<readonly SubjectKeyRecord[]> {
    return this.ask(async () => {
      const found = await this.keys.find({ subject }).sort({ number: 1 }).toArray();
      const refused = await this.isRefused(subject);
      return found.map((document) => recordOf(document, refused));
    });
  }

  present(after: string | null, limit: number): Promise<KeyPage> {
    return this.ask(async () => {
      const filter = { number: { $gt: after === null ? 0 : Number(after) }, wrapped: { $gte: '' } };
      const found = await this.keys
        .find(filter, { limit: limit + 1 })
        .sort({ number: 1 })
        .toArray();
      const page = found.slice(0, limit).filter(isPresent);
      const keys = page.map(({ _id: kid, wrapped, wrappedBy }) => ({ kid, wrapped, wrappedBy }));
      return { keys, next: found.length > limit ? String(page.at(-1)!.number) : null };
    });
  }

  refuse(subject: string): Promise<void> {
    return this.ask(async () => {
      try {
        await this.refused.insertOne({ _id: subject });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    });
  }

  readmit(subject: string): Promise<void> {
    return this.ask(async () => {
      if (!(await this.isRefused(subject))) return;
      const left = await this.keys.findOne({ subject, wrapped: { $gte: '' } }, { sort: { number: 1 } });
      if (left) throw new Error(`data key ${left._id} of ${subject} is still there`);
      await this.refused.deleteOne({ _id: subject });
    });
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** The key first: a refusal that came before the key was read is then seen. */
  private async record(kid: string): Promise<SubjectKeyRecord | null> {
    const found = await this.keys.findOne({ _id: kid });
    return found && recordOf(found, isPresent(found) && (await this.isRefused(found.subject)));
  }

  private async isRefused(subject: string): Promise<boolean> {
    return (await this.refused.findOne({ _id: subject })) !== null;
  }

  private async nextNumber(): Promise<number> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const counter = await this.counters.findOneAndUpdate({ _id: 'subject_keys' }, { $inc: { last: 1 } }, options);
    return counter?.last ?? 1;
  }

  private async ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.connection.isClosed) throw new StoreUnavailableError('the subject key store is closed');
    return describing(work);
  }
}

function isPresent(document: KeyDocument): document is PresentKey {
  return document.wrapped !== undefined && document.wrappedBy !== undefined;
}

function recordOf(document: KeyDocument, refused: boolean): SubjectKeyRecord {
  const { _id: kid, subject } = document;
  if (!isPresent(document)) return { state: 'destroyed', subject, kid };
  if (refused) return { state: 'refused', subject, kid };
  const { wrapped, wrappedBy } = document;
  return { state: 'present', subject, key: { kid, wrapped, wrappedBy } };
}
