import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#lib/kernel';
import { canonicalize } from '#lib/kernel';
import {
  DataFileError,
  FileWorker,
  FileWorkerGoneError,
  openStoreFile,
  openStoreFileForReading,
  workerEntry,
} from '#lib/sqlite';
import { coalesce } from '../coalesce.js';
import { checkGeneration, normalDefinitions } from '../definitions.js';
import { ReadStoreCorruptError, ReadStoreUnavailableError } from '../errors.js';
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
import { DocumentReader } from './document-reader.js';
import { isDamaged, isSqliteError, valueOf, type Answer, type WorkerData, type WriteRequest } from './messages.js';
import { FILE_NAME, READ_STORE_FORMAT } from './tables.js';

export interface SqliteReadStoreOptions {
  /** The folder of read.db; made where it is missing. */
  readonly folder: string;
  /** For a scratch file that nobody opens again; a crash makes it worthless. Default false. */
  readonly disposable?: boolean;
}

type Writer = FileWorker<WriteRequest, Answer<Checkpoint | 'applied' | 'fenced' | null>>;

/**
 * The embedded read store: read.db, written by a thread that owns it, read by a connection of the calling thread.
 * What `apply` has answered is seen by every later read.
 */
export class SqliteReadStore implements ReadStore {
  private closing: Promise<void> | undefined;

  private constructor(
    private readonly path: string,
    private readonly writer: Writer,
    private readonly reader: DocumentReader,
  ) {}

  /** @throws DataFileError, NewerFormatError, ReadStoreCorruptError */
  static async open({ folder, disposable = false }: SqliteReadStoreOptions): Promise<SqliteReadStore> {
    const path = join(folder, FILE_NAME);
    await mkdir(folder, { recursive: true });
    // Here and not only in the thread, because errors lose their class between threads.
    describing(path, () => openStoreFile(path, READ_STORE_FORMAT).close());
    const writer: Writer = await FileWorker.start({
      entry: workerEntry(import.meta.url, './read-store.worker.js'),
      name: 'read-store',
      data: { path, disposable } satisfies WorkerData,
      maxBatch: 64,
      maxWeight: 64,
    });
    try {
      const reader = describing(path, () => new DocumentReader(openStoreFileForReading(path, READ_STORE_FORMAT)));
      describing(path, () => reader.probe());
      return new SqliteReadStore(path, writer, reader);
    } catch (error) {
      await writer.stop();
      throw error;
    }
  }

  async prepare(
    generation: Generation,
    collections: readonly CollectionDefinition[],
    { indexed = true }: PrepareOptions = {},
  ): Promise<void> {
    checkGeneration(generation);
    await this.write({ kind: 'prepare', generation, definitions: normalDefinitions(collections), indexed });
    this.reader.forget(generation);
  }

  async claim(generation: Generation): Promise<Checkpoint> {
    return (await this.write({ kind: 'claim', generation })) as Checkpoint;
  }

  async apply(generation: Generation, { changes, from, to, runnerState }: Batch): Promise<'applied' | 'fenced'> {
    const collections = coalesce(
      changes,
      this.read(() => this.reader.definitions(generation)),
    );
    const batch = {
      collections,
      from,
      to,
      ...(runnerState === undefined ? {} : { runnerState: runnerState && canonicalize(runnerState) }),
    };
    return (await this.write({ kind: 'apply', generation, batch })) as 'applied' | 'fenced';
  }

  async checkpoint(generation: Generation): Promise<Checkpoint | null> {
    return this.read(() => this.reader.checkpoint(generation));
  }

  async runnerState(generation: Generation): Promise<JsonObject | null> {
    return this.read(() => this.reader.runnerState(generation));
  }

  async get(generation: Generation, collection: string, id: string): Promise<Document | null> {
    return this.read(() => this.reader.get(generation, collection, id));
  }

  async find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage> {
    return this.read(() => this.reader.find(generation, collection, options));
  }

  async count(generation: Generation, collection: string): Promise<number> {
    return this.read(() => this.reader.count(generation, collection));
  }

  async digest(generation: Generation): Promise<GenerationDigest> {
    this.checkOpen();
    const worker = await FileWorker.start<Generation, Answer<GenerationDigest>>({
      entry: workerEntry(import.meta.url, './digest.worker.js'),
      name: 'read-store-digest',
      data: { path: this.path },
      maxBatch: 1,
      maxWeight: 1,
    });
    try {
      return valueOf(this.path, await worker.request(generation));
    } finally {
      await worker.stop();
    }
  }

  async drop(generation: Generation): Promise<void> {
    this.reader.forget(generation);
    await this.write({ kind: 'drop', generation });
    this.reader.forget(generation);
  }

  async generations(projection?: string): Promise<readonly Generation[]> {
    return this.read(() => this.reader.generations(projection));
  }

  /** Carries out what was asked before. Again is no error. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      // The reader first: the writer then finds nobody in the way of emptying the WAL.
      this.reader.close();
      await this.writer.stop();
    })();
    return this.closing;
  }

  private async write(request: WriteRequest): Promise<Checkpoint | 'applied' | 'fenced' | null> {
    this.checkOpen();
    let given: Answer<Checkpoint | 'applied' | 'fenced' | null>;
    try {
      given = await this.writer.request(request);
    } catch (error) {
      if (error instanceof FileWorkerGoneError) throw new ReadStoreUnavailableError(error.message, { cause: error });
      throw error;
    }
    return valueOf(this.path, given);
  }

  private read<T>(work: () => T): T {
    this.checkOpen();
    return describing(this.path, work);
  }

  private checkOpen(): void {
    if (this.closing) throw new ReadStoreUnavailableError('it is closed');
  }
}

/** SQLite's errors said in the port's words. */
function describing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const original = error instanceof DataFileError ? error.cause : error;
    if (isDamaged(original)) throw new ReadStoreCorruptError(path, messageOf(original), { cause: error });
    if (error instanceof DataFileError || !isSqliteError(error)) throw error;
    throw new ReadStoreUnavailableError(messageOf(error), { cause: error });
  }
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
