import { type EventStore, type Page, positionOf } from '#lib/event-store';
import { type GenerationWriter } from './generation-writer.js';
import { PendingBatch, type Reading } from './pending-batch.js';
import { WriteQueue } from './write-queue.js';

export interface FollowerOptions {
  readonly events: EventStore;
  readonly maxBatchEvents: number;
  readonly maxBatchCharacters: number;
  readonly idleCheckpointMs: number;
  /** Whether somebody waits for the checkpoint to reach this position. */
  readonly isWanted: (position: string) => boolean;
  readonly onWritten: () => void;
  readonly onCaughtUp: () => void;
}

/**
 * One attempt to follow the events from the writer's checkpoint, until the first error or the stop. While a batch is
 * written the next is read and projected, and no more than one: that bounds memory.
 */
export class Follower {
  private readonly ended = new AbortController();
  private readonly queue: WriteQueue;
  private pending: PendingBatch;
  private failure: { readonly error: unknown } | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly reading: Reading,
    private readonly writer: GenerationWriter,
    private readonly options: FollowerOptions,
  ) {
    this.pending = new PendingBatch(writer.checkpoint.position);
    this.queue = new WriteQueue(writer, options.onWritten, (error) => this.fail(error));
  }

  /**
   * Settles once the signal aborts and what was read is written, or the subscription ends.
   * @throws PoisonEventError, FencedError, and what the stores throw
   */
  async follow(signal: AbortSignal): Promise<void> {
    try {
      await this.readPages(AbortSignal.any([signal, this.ended.signal]));
      this.write();
    } finally {
      clearTimeout(this.idleTimer);
      await this.queue.idle();
      this.ended.abort();
    }
    if (this.failure) throw this.failure.error;
  }

  /** Writes a checkpoint that somebody has begun to wait for. */
  writeIfWanted(): void {
    if (!this.ended.signal.aborted && this.options.isWanted(this.pending.to)) this.write();
  }

  private async readPages(signal: AbortSignal): Promise<void> {
    const { events, maxBatchEvents: pageSize, onCaughtUp } = this.options;
    const after = positionOf(this.writer.checkpoint.position);
    for await (const item of events.subscribeAll({ after, types: this.reading.projection.types, pageSize, signal })) {
      if (signal.aborted) return;
      if (item.kind === 'page') {
        await this.take(item.page);
        continue;
      }
      this.write();
      await this.queue.idle();
      if (!this.failure) onCaughtUp();
    }
  }

  private async take(page: Page): Promise<void> {
    try {
      this.pending.take(page, this.reading);
    } catch (error) {
      // What came before the poison event is good and is written.
      this.write();
      await this.queue.idle();
      return this.fail(error);
    }
    const { maxBatchEvents, maxBatchCharacters, isWanted } = this.options;
    const isAllThereIs = page.atHead && this.pending.events > 0;
    const isDue = this.pending.isFull(maxBatchEvents, maxBatchCharacters) || isAllThereIs;
    if (!isDue && !isWanted(this.pending.to)) return this.writeLater();
    await this.queue.idle();
    this.write();
  }

  private writeLater(): void {
    this.idleTimer ??= setTimeout(() => {
      this.idleTimer = undefined;
      this.write();
    }, this.options.idleCheckpointMs).unref();
  }

  private write(): void {
    const batch = this.pending;
    if (this.failure || (batch.events === 0 && batch.to === this.writer.checkpoint.position)) return;
    this.pending = new PendingBatch(batch.to);
    this.queue.add(batch);
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.ended.abort();
  }
}
