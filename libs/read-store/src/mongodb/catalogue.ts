import type { Collection, Document as BsonDocument } from 'mongodb';

import { isDuplicateKey, isNamespaceMissing, isNamespaceThere, type MongoConnection } from '#lib/mongodb';

import { checkSameDefinitions, keyOf, unknownGeneration } from '../definitions.js';
import { ReadStoreDefinitionError } from '../errors.js';
import type { Checkpoint, CollectionDefinition, Generation } from '../port.js';
import {
  collectionName,
  COUNTERS,
  GENERATIONS,
  type GenerationRow,
  indexKey,
  indexName,
  numberIn,
  type Target,
} from './layout.js';

/** Which generations there are, their collections and indexes, and their checkpoints. */
export class Catalogue {
  readonly rows: Collection<GenerationRow>;
  private readonly targets = new Map<string, Target>();

  constructor(private readonly connection: MongoConnection) {
    this.rows = connection.db.collection<GenerationRow>(GENERATIONS);
  }

  /** Removes what a drop that was broken off left. The list of collections is read first: theirs were made after. */
  async open(): Promise<void> {
    const { db } = this.connection;
    await this.rows.createIndex({ projection: 1, name: 1 }, { unique: true, name: 'one_of_a_name' });
    const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    const known = new Set((await this.rows.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id));
    for (const name of names) {
      const number = numberIn(name);
      if (number !== null && !known.has(number)) await this.dropCollection(name);
    }
  }

  /** Definitions in normal form. Begun by another process or broken off, it is gone on with. */
  async prepare(generation: Generation, definitions: readonly CollectionDefinition[], indexed: boolean): Promise<void> {
    const row = (await this.rows.findOne(named(generation))) ?? (await this.insert(generation, definitions, indexed));
    checkSameDefinitions(generation, row.collections, definitions);
    const target = targetOf(row);
    for (const definition of row.collections) await this.prepareCollection(target, definition, row);
    if (!row.ready) await this.rows.updateOne({ _id: row._id }, { $set: { ready: true } });
    this.forget(generation);
  }

  async claim(generation: Generation): Promise<Checkpoint> {
    const filter = { ...named(generation), ready: true };
    const row = await this.rows.findOneAndUpdate(filter, { $inc: { epoch: 1 } }, { returnDocument: 'after' });
    if (!row) throw unknownGeneration(generation);
    return { position: row.position, epoch: row.epoch };
  }

  /** Null for what was never prepared, or not to its end. */
  async row(generation: Generation): Promise<GenerationRow | null> {
    return this.rows.findOne({ ...named(generation), ready: true });
  }

  /** What calls need to know; looked up once. @throws ReadStoreDefinitionError for a generation that is not there */
  async target(generation: Generation): Promise<Target> {
    const key = keyOf(generation);
    const kept = this.targets.get(key);
    if (kept) return kept;
    const row = await this.row(generation);
    if (!row) throw unknownGeneration(generation);
    const target = targetOf(row);
    this.targets.set(key, target);
    return target;
  }

  /**
   * Whether the generation that was found empty is still the one of its name: another process may have dropped it, and
   * made it again, since it was looked up here.
   * @throws ReadStoreDefinitionError where there is none any more
   */
  async isStill(target: Target): Promise<boolean> {
    this.forget(target.generation);
    return (await this.target(target.generation)).number === target.number;
  }

  forget(generation: Generation): void {
    this.targets.delete(keyOf(generation));
  }

  /** First the row, so that nobody finds a half of it; collections that a crash leaves go at the next start. */
  async drop(generation: Generation): Promise<void> {
    this.forget(generation);
    const row = await this.rows.findOneAndDelete(named(generation));
    if (!row) return;
    const target = targetOf(row);
    for (const { name } of row.collections) await this.dropCollection(collectionName(target, name));
  }

  async generations(projection?: string): Promise<readonly Generation[]> {
    const filter = { ready: true, ...(projection === undefined ? {} : { projection }) };
    const rows = await this.rows.find(filter, { sort: { _id: 1 } }).toArray();
    return rows.map(({ projection: owner, name }) => ({ projection: owner, name }));
  }

  /** The row of whoever was first. */
  private async insert(
    { projection, name }: Generation,
    collections: readonly CollectionDefinition[],
    indexed: boolean,
  ): Promise<GenerationRow> {
    const counted = await this.connection.db
      .collection<{ readonly _id: string; readonly last: number }>(COUNTERS)
      .findOneAndUpdate({ _id: 'generations' }, { $inc: { last: 1 } }, { upsert: true, returnDocument: 'after' });
    const checkpoint = { position: '0', epoch: 0, runnerState: null, writes: 0, writing: false };
    const row: GenerationRow = {
      _id: counted?.last ?? 1,
      projection,
      name,
      collections,
      indexed,
      ready: false,
      ...checkpoint,
    };
    try {
      await this.rows.insertOne(row);
      return row;
    } catch (error) {
      const winner = isDuplicateKey(error) ? await this.rows.findOne({ projection, name }) : null;
      if (winner) return winner;
      throw error;
    }
  }

  /** Makes what is missing. @throws ReadStoreDefinitionError for an index that is another than the declared one */
  private async prepareCollection(
    target: Target,
    definition: CollectionDefinition,
    { indexed }: GenerationRow,
  ): Promise<void> {
    const { db } = this.connection;
    const physical = collectionName(target, definition.name);
    try {
      await db.createCollection(physical);
    } catch (error) {
      if (!isNamespaceThere(error)) throw error;
    }
    const wanted = indexed ? definition.indexes : [];
    const found = await db.collection(physical).listIndexes().toArray();
    for (const index of found) checkIndex(physical, index as FoundIndex, { ...definition, indexes: wanted });
    const missing = wanted.filter((field) => !found.some((index) => (index as FoundIndex).name === indexName(field)));
    if (missing.length === 0) return;
    const descriptions = missing.map((field) => ({ key: indexKey(field, definition), name: indexName(field) }));
    await db.collection(physical).createIndexes(descriptions);
  }

  private async dropCollection(name: string): Promise<void> {
    try {
      await this.connection.db.dropCollection(name);
    } catch (error) {
      if (!isNamespaceMissing(error)) throw error;
    }
  }
}

type FoundIndex = BsonDocument & { readonly name: string; readonly key: Readonly<Record<string, unknown>> };

/** What would let an index leave documents out, refuse or remove them, or compare in another order. */
const CHANGES_MEANING = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'collation', 'hidden'];

/** An index that somebody added to find faster may stay. */
function checkIndex(collection: string, { name, key, ...options }: FoundIndex, wanted: CollectionDefinition): void {
  if (name === '_id_') return;
  const field = wanted.indexes.find((one) => indexName(one) === name);
  const sameKey = field === undefined || JSON.stringify(key) === JSON.stringify(indexKey(field, wanted));
  const other = CHANGES_MEANING.find((option) => options[option] !== undefined && options[option] !== false);
  if (sameKey && other === undefined) return;
  const what = sameKey ? `is ${other}` : `has the key ${JSON.stringify(key)}`;
  throw new ReadStoreDefinitionError(`index ${name} of ${collection} ${what}, which no projection declares; drop it`);
}

function targetOf({ _id, projection, name, collections }: GenerationRow): Target {
  return { number: _id, generation: { projection, name }, collections };
}

function named({ projection, name }: Generation): { projection: string; name: string } {
  return { projection, name };
}
