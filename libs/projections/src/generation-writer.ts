import { type JsonObject } from '#lib/kernel';
import { type Change, type Checkpoint, type Generation, InvalidChangeError, type ReadStore } from '#lib/read-store';
import { FencedError, PoisonEventError } from './errors.js';
import { type PendingBatch } from './pending-batch.js';

/** The owner's pen: writes batches one after another, each from the checkpoint that the one before left. */
export class GenerationWriter {
  private constructor(
    private readonly documents: ReadStore,
    readonly generation: Generation,
    private current: Checkpoint,
  ) {}

  /** Takes ownership; whoever had it is fenced. The generation must have been prepared. */
  static async claim(documents: ReadStore, generation: Generation): Promise<GenerationWriter> {
    return new GenerationWriter(documents, generation, await documents.claim(generation));
  }

  get checkpoint(): Checkpoint {
    return this.current;
  }

  /**
   * After a fault it is unknown what was written; the store knows.
   * @throws FencedError
   */
  async recover(): Promise<void> {
    const kept = await this.documents.checkpoint(this.generation);
    if (kept?.epoch !== this.current.epoch) throw new FencedError(this.generation.projection);
    this.current = kept;
  }

  /** @throws FencedError, PoisonEventError, and what the store throws */
  async write(batch: PendingBatch, runnerState?: JsonObject): Promise<void> {
    try {
      await this.apply(batch.changes, batch.to, runnerState);
    } catch (error) {
      if (!(error instanceof InvalidChangeError)) throw error;
      await this.writeSingly(batch);
    }
  }

  /** Replaces what is kept beside the checkpoint, which stays where it is. @throws FencedError */
  async keep(runnerState: JsonObject | null): Promise<void> {
    await this.apply([], this.current.position, runnerState);
  }

  private async writeSingly(batch: PendingBatch): Promise<void> {
    for (const { event, changes } of batch.singly()) {
      try {
        await this.apply(changes, event.position);
      } catch (error) {
        throw error instanceof InvalidChangeError
          ? new PoisonEventError(this.generation.projection, event, error)
          : error;
      }
    }
    await this.apply([], batch.to);
  }

  private async apply(changes: readonly Change[], to: string, runnerState?: JsonObject | null): Promise<void> {
    const state = runnerState === undefined ? {} : { runnerState };
    const outcome = await this.documents.apply(this.generation, { changes, from: this.current, to, ...state });
    if (outcome === 'fenced') throw new FencedError(this.generation.projection);
    this.current = { position: to, epoch: this.current.epoch };
  }
}
