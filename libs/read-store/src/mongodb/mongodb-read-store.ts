import { canonicalize, type JsonObject } from '#lib/kernel';
import { MongoConnection, type MongoConnectionOptions } from '#lib/mongodb';

import { coalesce } from '../coalesce.js';
import { checkGeneration, keyOf, normalDefinitions } from '../definitions.js';
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
  PrepareOptions,
  ReadStore,
} from '../port.js';
import { BatchWriter } from './batch-writer.js';
import { Catalogue } from './catalogue.js';
import { DocumentReader } from './document-reader.js';
import { describing } from './failures.js';
import type { Target } from './layout.js';

/**
 * The read store on MongoDB: a collection for each collection of a generation, checkpoints in `read_generations`.
 * What `apply` has answered is seen by every later read of every process. How a batch is written with and without
 * transactions, and what a crash leaves: `BatchWriter`.
 * @throws MongoUrlError, MongoAwayError
 */
export async function openMongoReadStore(options: MongoConnectionOptions): Promise<ReadStore> {
  const connection = await MongoConnection.open(options);
  try {
    return await describing(() => readStoreOn(connection));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function readStoreOn(connection: MongoConnection): Promise<ReadStore> {
  const catalogue = new Catalogue(connection);
  await catalogue.open();
  return new MongoReadStore(connection, catalogue);
}

class MongoReadStore implements ReadStore {
  private readonly writer: BatchWriter;
  private readonly reader: DocumentReader;
  /** The last batch of each generation that this process writes: one after another, also where two callers ask at once. */
  private readonly tails = new Map<string, Promise<unknown>>();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly connection: MongoConnection,
    private readonly catalogue: Catalogue,
  ) {
    this.writer = new BatchWriter(connection, catalogue);
    this.reader = new DocumentReader(connection, catalogue);
  }

  async prepare(
    generation: Generation,
    collections: readonly CollectionDefinition[],
    { indexed = true }: PrepareOptions = {},
  ): Promise<void> {
    checkGeneration(generation);
    const definitions = normalDefinitions(collections);
    await this.ask(() => this.catalogue.prepare(generation, definitions, indexed));
  }

  async claim(generation: Generation): Promise<Checkpoint> {
    return this.ask(() => this.catalogue.claim(generation));
  }

  async checkpoint(generation: Generation): Promise<Checkpoint | null> {
    const row = await this.ask(() => this.catalogue.row(generation));
    return row && { position: row.position, epoch: row.epoch };
  }

  async apply(generation: Generation, { changes, from, to, runnerState }: Batch): Promise<'applied' | 'fenced'> {
    return this.ask(() =>
      this.inTurn(generation, async () => {
        const target = await this.catalogue.target(generation);
        const batch = {
          collections: coalesce(changes, target.collections),
          from,
          to,
          ...(runnerState === undefined ? {} : { runnerState: runnerState && canonicalize(runnerState) }),
        };
        const outcome = await this.writer.apply(target, batch);
        // Also the answer where the generation was dropped and perhaps made again.
        if (outcome === 'fenced') await this.catalogue.isStill(target);
        return outcome;
      }),
    );
  }

  async runnerState(generation: Generation): Promise<JsonObject | null> {
    const text = (await this.ask(() => this.catalogue.row(generation)))?.runnerState ?? null;
    return text === null ? null : (JSON.parse(text) as JsonObject);
  }

  async get(generation: Generation, collection: string, id: string): Promise<Document | null> {
    const isEmpty = (found: Document | null): boolean => found === null;
    return this.read(generation, isEmpty, (target) => this.reader.get(target, collection, id));
  }

  async find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage> {
    const isEmpty = ({ documents }: FoundPage): boolean => documents.length === 0;
    return this.read(generation, isEmpty, (target) => this.reader.find(target, collection, options));
  }

  async count(generation: Generation, collection: string): Promise<number> {
    const isEmpty = (count: number): boolean => count === 0;
    return this.read(generation, isEmpty, (target) => this.reader.count(target, collection));
  }

  async digest(generation: Generation): Promise<GenerationDigest> {
    const digest = async (): Promise<GenerationDigest> => {
      this.catalogue.forget(generation);
      return this.reader.digest(await this.catalogue.target(generation));
    };
    return this.ask(() => (this.connection.hasTransactions ? digest() : this.inTurn(generation, digest)));
  }

  async drop(generation: Generation): Promise<void> {
    await this.ask(() => this.inTurn(generation, () => this.catalogue.drop(generation)));
  }

  async generations(projection?: string): Promise<readonly Generation[]> {
    return this.ask(() => this.catalogue.generations(projection));
  }

  /** Carries out the batches that were asked for before. Again is no error. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      await Promise.allSettled(this.tails.values());
      await this.connection.close();
    })();
    return this.closing;
  }

  /** An empty answer may be that of a generation that another process has dropped: then the one of now is asked. */
  private async read<T>(
    generation: Generation,
    isEmpty: (answer: T) => boolean,
    ask: (target: Target) => Promise<T>,
  ): Promise<T> {
    return this.ask(async () => {
      const target = await this.catalogue.target(generation);
      const answer = await ask(target);
      if (!isEmpty(answer) || (await this.catalogue.isStill(target))) return answer;
      return ask(await this.catalogue.target(generation));
    });
  }

  private inTurn<T>(generation: Generation, task: () => Promise<T>): Promise<T> {
    const key = keyOf(generation);
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(task, task);
    this.tails.set(key, result);
    const forget = (): void => {
      if (this.tails.get(key) === result) this.tails.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  private async ask<T>(work: () => Promise<T>): Promise<T> {
    if (this.closing) throw new ReadStoreUnavailableError('it is closed');
    return describing(work);
  }
}
