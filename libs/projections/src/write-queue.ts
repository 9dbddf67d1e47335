import { type JsonObject } from '#lib/kernel';
import { type GenerationWriter } from './generation-writer.js';
import { type PendingBatch } from './pending-batch.js';

/**
 * Batches written one after another. After the first that fails no other is: it would move the checkpoint past what
 * was not written.
 */
export class WriteQueue {
  private last: Promise<void> = Promise.resolve();
  private failed = false;

  constructor(
    private readonly writer: GenerationWriter,
    private readonly onWritten: (batch: PendingBatch) => void,
    private readonly onFailure: (error: unknown) => void,
    /** What is kept beside the checkpoint of a batch. */
    private readonly beside?: (batch: PendingBatch) => JsonObject,
  ) {}

  add(batch: PendingBatch): void {
    this.last = this.last.then(() => this.write(batch));
  }

  /** Settles, and never rejects, when everything added so far is written or given up. */
  idle(): Promise<void> {
    return this.last;
  }

  private async write(batch: PendingBatch): Promise<void> {
    if (this.failed) return;
    try {
      await this.writer.write(batch, this.beside?.(batch));
      this.onWritten(batch);
    } catch (error) {
      this.failed = true;
      this.onFailure(error);
    }
  }
}
