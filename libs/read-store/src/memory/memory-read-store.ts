import type { Json, JsonObject } from '#lib/kernel';
import { addedText, coalesce, mergedText, type CoalescedCollection } from '../coalesce.js';
import { writeCursor } from '../cursor.js';
import {
  checkGeneration,
  checkSameDefinitions,
  keyOf,
  definitionOf,
  normalDefinitions,
  unknownGeneration,
} from '../definitions.js';
import { DigestBuilder } from '../digest.js';
import { ReadStoreUnavailableError } from '../errors.js';
import type {
  Batch,
  Checkpoint,
  CollectionDefinition,
  Document,
  FindOptions,
  FoundPage,
  Generation,
  GenerationDigest,
  ReadStore,
  Scalar,
} from '../port.js';
import { checkedQuery, type Query, type Restriction } from '../query.js';
import { compareCodePoints, compareScalars, indexedValue } from '../scalars.js';

interface Kept {
  readonly generation: Generation;
  readonly definitions: readonly CollectionDefinition[];
  /** Canonical texts by id, so that nobody can change what is stored. */
  readonly documents: ReadonlyMap<string, Map<string, string>>;
  checkpoint: Checkpoint;
  runnerState: string | null;
}

/** The contract in the plainest way, for tests; finds by looking at every document. */
export class MemoryReadStore implements ReadStore {
  private readonly kept = new Map<string, Kept>();
  private closed = false;

  async prepare(generation: Generation, collections: readonly CollectionDefinition[]): Promise<void> {
    this.checkOpen();
    checkGeneration(generation);
    const definitions = normalDefinitions(collections);
    const found = this.kept.get(keyOf(generation));
    if (found) return checkSameDefinitions(generation, found.definitions, definitions);
    this.kept.set(keyOf(generation), {
      generation: { projection: generation.projection, name: generation.name },
      definitions,
      documents: new Map(definitions.map(({ name }) => [name, new Map()])),
      checkpoint: { position: '0', epoch: 0 },
      runnerState: null,
    });
  }

  async claim(generation: Generation): Promise<Checkpoint> {
    const kept = this.require(generation);
    kept.checkpoint = { position: kept.checkpoint.position, epoch: kept.checkpoint.epoch + 1 };
    return kept.checkpoint;
  }

  async checkpoint(generation: Generation): Promise<Checkpoint | null> {
    this.checkOpen();
    return this.kept.get(keyOf(generation))?.checkpoint ?? null;
  }

  async apply(generation: Generation, { changes, from, to, runnerState }: Batch): Promise<'applied' | 'fenced'> {
    const kept = this.require(generation);
    const coalesced = coalesce(changes, kept.definitions);
    const { position, epoch } = kept.checkpoint;
    if (position !== from.position || epoch !== from.epoch) return 'fenced';
    for (const collection of coalesced)
      write(collection, kept.documents.get(collection.collection) ?? new Map<string, string>());
    kept.checkpoint = { position: to, epoch };
    if (runnerState !== undefined) kept.runnerState = runnerState === null ? null : JSON.stringify(runnerState);
    return 'applied';
  }

  async runnerState(generation: Generation): Promise<JsonObject | null> {
    this.checkOpen();
    const text = this.kept.get(keyOf(generation))?.runnerState ?? null;
    return text === null ? null : (JSON.parse(text) as JsonObject);
  }

  async get(generation: Generation, collection: string, id: string): Promise<Document | null> {
    const text = this.documents(generation, collection).get(id);
    return text === undefined ? null : { id, body: JSON.parse(text) as JsonObject };
  }

  async find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage> {
    const definition = definitionOf(this.require(generation).definitions, generation, collection);
    const query = checkedQuery(definition, options);
    const found = [...this.documents(generation, collection)]
      .map(([id, text]) => ({ id, body: JSON.parse(text) as JsonObject }))
      .filter((document) => query.restrictions.every((restriction) => holds(restriction, document)))
      .sort((a, b) => inOrder(query, a, b))
      .filter((document) => query.after === null || isAfter(query, document, query.after));
    const documents = found.slice(0, query.limit);
    const last = documents.at(-1);
    if (found.length <= query.limit || !last) return { documents, next: null };
    return { documents, next: writeCursor(query.sort, valueOf(last, query.sort.field), last.id) };
  }

  async count(generation: Generation, collection: string): Promise<number> {
    return this.documents(generation, collection).size;
  }

  async digest(generation: Generation): Promise<GenerationDigest> {
    const kept = this.require(generation);
    const builder = new DigestBuilder();
    for (const { name } of kept.definitions) {
      builder.collection(name);
      const documents = [...this.documents(generation, name)].sort(([a], [b]) => compareCodePoints(a, b));
      for (const [id, text] of documents) builder.document(id, text);
    }
    return { digest: builder.hex(), position: kept.checkpoint.position, documents: builder.documents };
  }

  async drop(generation: Generation): Promise<void> {
    this.checkOpen();
    this.kept.delete(keyOf(generation));
  }

  async generations(projection?: string): Promise<readonly Generation[]> {
    this.checkOpen();
    return [...this.kept.values()]
      .map(({ generation }) => generation)
      .filter((generation) => projection === undefined || generation.projection === projection);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private require(generation: Generation): Kept {
    this.checkOpen();
    const kept = this.kept.get(keyOf(generation));
    if (!kept) throw unknownGeneration(generation);
    return kept;
  }

  private documents(generation: Generation, collection: string): Map<string, string> {
    const { definitions, documents } = this.require(generation);
    return documents.get(definitionOf(definitions, generation, collection).name)!;
  }

  private checkOpen(): void {
    if (this.closed) throw new ReadStoreUnavailableError('it is closed');
  }
}

function write({ puts, merges, adds, deletes }: CoalescedCollection, documents: Map<string, string>): void {
  for (const id of deletes) documents.delete(id);
  for (const [id, body] of pairs(puts)) documents.set(id, body);
  for (const [id, fields] of pairs(merges)) documents.set(id, mergedText(documents.get(id) ?? '{}', fields));
  for (const [id, more] of pairs(adds)) documents.set(id, addedText(documents.get(id) ?? null, more));
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i + 1 < flat.length; i += 2) yield [flat[i] ?? '', flat[i + 1] ?? ''];
}

function valueOf(
  { id, body }: { readonly id: string; readonly body: { readonly [field: string]: Json } },
  field: string,
): Scalar {
  return field === 'id' ? id : indexedValue(body, field);
}

function holds(restriction: Restriction, document: Document): boolean {
  const value = valueOf(document, restriction.field);
  if (restriction.kind === 'equal') return compareScalars(value, restriction.value) === 0;
  const { type, from, below } = restriction;
  if (typeof value !== type) return false;
  return (
    (from === undefined || compareScalars(value, from) >= 0) &&
    (below === undefined || compareScalars(value, below) < 0)
  );
}

function inOrder({ sort }: Query, a: Document, b: Document): number {
  const order = compareScalars(valueOf(a, sort.field), valueOf(b, sort.field)) || compareCodePoints(a.id, b.id);
  return sort.descending ? -order : order;
}

function isAfter({ sort }: Query, document: Document, after: { readonly value: Scalar; readonly id: string }): boolean {
  const byValue = sort.field === 'id' ? 0 : compareScalars(valueOf(document, sort.field), after.value);
  const order = byValue || compareCodePoints(document.id, after.id);
  return sort.descending ? order < 0 : order > 0;
}
