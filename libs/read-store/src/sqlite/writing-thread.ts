import { FileWorker, FileWorkerGoneError } from '#lib/sqlite';
import { ReadStoreUnavailableError } from '../errors.js';
import type { Checkpoint } from '../port.js';
import { valueOf, type FileRequest, type WorkerData, type WriteAnswer } from './messages.js';

/** A thread that owns files of read models and is the one that changes them. */
export class WritingThread {
  private constructor(private readonly worker: FileWorker<FileRequest, WriteAnswer>) {}

  static async start(name: string, data: WorkerData): Promise<WritingThread> {
    const entry = new URL('./read-store.worker.cjs', import.meta.url);
    return new WritingThread(await FileWorker.start({ entry, name, data, maxBatch: 64, maxWeight: 64 }));
  }

  /** @throws what the answer of the thread stands for, ReadStoreUnavailableError where the thread is gone */
  async write(request: FileRequest): Promise<Checkpoint | 'applied' | 'fenced' | null> {
    try {
      return valueOf(request.path, await this.worker.request(request));
    } catch (error) {
      if (error instanceof FileWorkerGoneError) throw new ReadStoreUnavailableError(error.message, { cause: error });
      throw error;
    }
  }

  /** Carries out what was asked before and lets go of its files. */
  stop(): Promise<void> {
    return this.worker.stop();
  }
}
