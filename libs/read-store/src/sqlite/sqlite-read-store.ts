import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#lib/kernel';
import { canonicalize } from '#lib/kernel';
import { coalesce } from '../coalesce.js';
import { checkGeneration, normalDefinitions } from '../definitions.js';
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
import { ApartFiles } from './apart-files.js';
import { DocumentFile } from './document-file.js';
import { FILE_NAME } from './tables.js';
import { WritingThread } from './writing-thread.js';

export interface SqliteReadStoreOptions {
  /** The folder of read.db; made where it is missing. */
  readonly folder: string;
  /** For a scratch file that nobody opens again; a crash makes it worthless. Default false. */
  readonly disposable?: boolean;
}

/**
 * The embedded read store: read.db, written by a thread that owns it, read by a connection of the calling thread. A
 * generation in the making has a file and a thread of its own: commands wait for what is written for them, and SQLite
 * lets one write to a file at a time. What `apply` has answered is seen by every later read.
 */
export class SqliteReadStore implements ReadStore {
  private closing: Promise<void> | undefined;
  /** What makes and removes files, one after another. */
  private turns: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly thread: WritingThread,
    private readonly main: DocumentFile,
    /** None for a disposable store. */
    private readonly apart: ApartFiles | null,
  ) {}

  /** @throws DataFileError, NewerFormatError, ReadStoreCorruptError */
  static async open({ folder, disposable = false }: SqliteReadStoreOptions): Promise<SqliteReadStore> {
    await mkdir(folder, { recursive: true });
    const thread = await WritingThread.start('read-store', { disposable });
    try {
      const main = DocumentFile.open(join(folder, FILE_NAME), thread);
      const apart = disposable ? null : await ApartFiles.open(folder, main, thread);
      return new SqliteReadStore(thread, main, apart);
    } catch (error) {
      await thread.stop();
      throw error;
    }
  }

  prepare(
    generation: Generation,
    collections: readonly CollectionDefinition[],
    { indexed = true, inTheMaking = false }: PrepareOptions = {},
  ): Promise<void> {
    return this.inTurn(async () => {
      checkGeneration(generation);
      const definitions = normalDefinitions(collections);
      const isNew = this.file(generation).read((reader) => reader.checkpoint(generation)) === null;
      if (isNew && inTheMaking) await this.apart?.make(generation);
      const file = this.file(generation);
      await file.write({ kind: 'prepare', generation, definitions, indexed });
      file.read((reader) => reader.forget(generation));
      if (!inTheMaking) await this.apart?.settle(generation);
    });
  }

  async claim(generation: Generation): Promise<Checkpoint> {
    return (await this.file(generation).write({ kind: 'claim', generation })) as Checkpoint;
  }

  async apply(generation: Generation, { changes, from, to, runnerState }: Batch): Promise<'applied' | 'fenced'> {
    const file = this.file(generation);
    const collections = coalesce(
      changes,
      file.read((reader) => reader.definitions(generation)),
    );
    const batch = {
      collections,
      from,
      to,
      ...(runnerState === undefined ? {} : { runnerState: runnerState && canonicalize(runnerState) }),
    };
    return (await file.write({ kind: 'apply', generation, batch })) as 'applied' | 'fenced';
  }

  async checkpoint(generation: Generation): Promise<Checkpoint | null> {
    return this.file(generation).read((reader) => reader.checkpoint(generation));
  }

  async runnerState(generation: Generation): Promise<JsonObject | null> {
    return this.file(generation).read((reader) => reader.runnerState(generation));
  }

  async get(generation: Generation, collection: string, id: string): Promise<Document | null> {
    return this.file(generation).read((reader) => reader.get(generation, collection, id));
  }

  async find(generation: Generation, collection: string, options: FindOptions): Promise<FoundPage> {
    return this.file(generation).read((reader) => reader.find(generation, collection, options));
  }

  async count(generation: Generation, collection: string): Promise<number> {
    return this.file(generation).read((reader) => reader.count(generation, collection));
  }

  async digest(generation: Generation): Promise<GenerationDigest> {
    return this.file(generation).digest(generation);
  }

  drop(generation: Generation): Promise<void> {
    return this.inTurn(async () => {
      this.main.read((reader) => reader.forget(generation));
      // First of all: without its row a file is nobody's, and the next start removes what this one did not.
      await this.main.write({ kind: 'drop', generation });
      this.main.read((reader) => reader.forget(generation));
      await this.apart?.remove(generation);
    });
  }

  /** read.db has a row of each, wherever it is kept. */
  async generations(projection?: string): Promise<readonly Generation[]> {
    return this.main.read((reader) => reader.generations(projection));
  }

  /** Carries out what was asked before. Again is no error. */
  close(): Promise<void> {
    this.closing ??= (async () => {
      await this.turns;
      await this.apart?.close();
      await this.main.close();
      await this.thread.stop();
    })();
    return this.closing;
  }

  /** @throws ReadStoreUnavailableError once it is closed */
  private file(generation: Generation): DocumentFile {
    if (this.closing) throw new ReadStoreUnavailableError('it is closed');
    return this.apart?.of(generation) ?? this.main;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.turns.then(work);
    this.turns = turn.catch(() => undefined);
    return turn;
  }
}
