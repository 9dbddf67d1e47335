import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DamagedFileError, DataFileError, FileWorker, openStoreFile, openStoreFileForReading } from '#lib/sqlite';
import { ReadStoreCorruptError, ReadStoreUnavailableError } from '../errors.js';
import type { Checkpoint, Generation, GenerationDigest } from '../port.js';
import { DocumentReader } from './document-reader.js';
import { isDamaged, isSqliteError, isUnknownName, valueOf, type Answer, type WriteRequest } from './messages.js';
import { READ_STORE_FORMAT } from './tables.js';
import type { WritingThread } from './writing-thread.js';

/** A file of read models: written by a thread, read by a connection of the calling thread. */
export class DocumentFile {
  private isClosed = false;

  private constructor(
    readonly path: string,
    private readonly reader: DocumentReader,
    private readonly thread: WritingThread,
    /** A thread that has nothing but this file, as long as the file is in the making. */
    private own: WritingThread | undefined,
  ) {}

  /**
   * Made where it is missing.
   * @throws DataFileError, NewerFormatError, ReadStoreCorruptError
   */
  static open(path: string, thread: WritingThread, own?: WritingThread): DocumentFile {
    // Here and not only in the thread, because errors lose their class between threads.
    describing(path, () => openStoreFile(path, READ_STORE_FORMAT).close());
    const reader = describing(path, () => new DocumentReader(openStoreFileForReading(path, READ_STORE_FORMAT)));
    try {
      describing(path, () => reader.probe());
    } catch (error) {
      reader.close();
      // What its own rows name is not there.
      const { cause } = error as Error;
      throw isUnknownName(cause) ? new ReadStoreCorruptError(path, messageOf(cause), { cause: error }) : error;
    }
    return new DocumentFile(path, reader, thread, own);
  }

  get isInTheMaking(): boolean {
    return this.own !== undefined;
  }

  async write(request: WriteRequest): Promise<Checkpoint | 'applied' | 'fenced' | null> {
    this.checkOpen();
    try {
      return await (this.own ?? this.thread).write({ path: this.path, request });
    } finally {
      this.reader.wrote();
    }
  }

  read<T>(work: (reader: DocumentReader) => T): T {
    this.checkOpen();
    return describing(this.path, () => work(this.reader));
  }

  async digest(generation: Generation): Promise<GenerationDigest> {
    this.checkOpen();
    const worker = await FileWorker.start<Generation, Answer<GenerationDigest>>({
      entry: new URL('./digest.worker.cjs', import.meta.url),
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

  /** Everything on the disk; written from then on by the thread of all the others. */
  async settle(): Promise<void> {
    const { own } = this;
    if (!own) return;
    await own.stop();
    for (const path of [this.path, `${this.path}-wal`, dirname(this.path)]) await sync(path);
    this.own = undefined;
  }

  /** No more reads; the writer then finds nobody in the way of emptying the WAL. Again is no error. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.reader.close();
    await this.own?.stop();
  }

  /** Closes it for good and takes it off the disk. */
  async remove(): Promise<void> {
    await this.close();
    if (!this.own) await this.thread.write({ path: this.path, request: 'release' });
    await removeFile(this.path);
  }

  private checkOpen(): void {
    if (this.isClosed) throw new ReadStoreUnavailableError('it is closed');
  }
}

/** With what SQLite keeps beside it; what is not there is no error. */
export async function removeFile(path: string): Promise<void> {
  for (const file of [`${path}-wal`, `${path}-shm`, path]) await rm(file, { force: true });
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  try {
    await file?.sync();
  } finally {
    await file?.close();
  }
}

/** SQLite's errors said in the port's words. */
function describing<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const original = error instanceof DataFileError ? error.cause : error;
    if (error instanceof DamagedFileError) throw new ReadStoreCorruptError(path, error.problem, { cause: error });
    if (isDamaged(original)) throw new ReadStoreCorruptError(path, messageOf(original), { cause: error });
    if (error instanceof DataFileError || !isSqliteError(error)) throw error;
    throw new ReadStoreUnavailableError(messageOf(error), { cause: error });
  }
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
