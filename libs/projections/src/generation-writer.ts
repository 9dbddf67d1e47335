import { type JsonObject } from '#lib/kernel';
import { type Change, type Checkpoint, type Generation, InvalidChangeError, type ReadStore } from '#lib/read-store';
import { FencedError, PoisonEventError, refusalOf } from './errors.js';
import { type PendingBatch } from './pending-batch.js';

/** The owner's pen: writes batches one after another, each from the checkpoint that the one before left. */
export class GenerationWriter {
  private constructor(
    private readonly documents: ReadStore,
    readonly generation: Generation,
    private current: Checkpoint,
    private beside: JsonObject,
  ) {}

  /** Takes ownership; whoever had it is fenced. The generation must have been prepared. */
  static async claim(documents: ReadStore, generation: Generation): Promise<GenerationWriter> {
    const checkpoint = await documents.claim(generation);
    return new GenerationWriter(documents, generation, checkpoint, (await documents.runnerState(generation)) ?? {});
  }

  get checkpoint(): Checkpoint {
    return this.current;
  }

  /** What is kept beside the checkpoint. */
  get kept(): JsonObject {
    return this.beside;
  }

  /**
   * After a fault it is unknown what was written; the store knows.
   * @throws FencedError
   */
  async recover(): Promise<void> {
    const kept = await this.documents.checkpoint(this.generation);
    if (kept?.epoch !== this.current.epoch) throw new FencedError(this.generation.projection);
    this.beside = (await this.documents.runnerState(this.generation)) ?? {};
    this.current = kept;
  }

  /**
   * @param change what is kept otherwise from then on; null takes a member away
   * @throws FencedError, PoisonEventError, and what the store throws
   */
  async write(batch: PendingBatch, change?: JsonObject): Promise<void> {
    try {
      await this.apply(batch.changes, batch.to, change);
    } catch (error) {
      if (!(error instanceof InvalidChangeError)) throw error;
      await this.writeSingly(batch, ({ position }) => position);
      await this.apply([], batch.to, change);
    }
  }

  /** Writes what belongs before the checkpoint, which stays where it is. @throws as `write` does */
  async amend(batch: PendingBatch, change: JsonObject): Promise<void> {
    const { position } = this.current;
    try {
      await this.apply(batch.changes, position, change);
    } catch (error) {
      if (!(error instanceof InvalidChangeError)) throw error;
      await this.writeSingly(batch, () => position);
      await this.apply([], position, change);
    }
  }

  /** Changes what is kept beside the checkpoint, which stays where it is; null takes a member away. @throws FencedError */
  async keep(change: JsonObject): Promise<void> {
    await this.apply([], this.current.position, change);
  }

  private async writeSingly(batch: PendingBatch, toOf: (event: { position: string }) => string): Promise<void> {
    for (const { event, changes } of batch.singly()) {
      try {
        await this.apply(changes, toOf(event));
      } catch (error) {
        throw error instanceof InvalidChangeError
          ? new PoisonEventError(this.generation.projection, event, 'storing', error)
          : error;
      }
    }
  }

  private async apply(changes: readonly Change[], to: string, change?: JsonObject): Promise<void> {
    const beside = change && present({ ...this.beside, ...change });
    const state = beside ? { runnerState: Object.keys(beside).length > 0 ? beside : null } : {};
    const outcome = await this.documents.apply(this.generation, { changes, from: this.current, to, ...state });
    if (outcome === 'fenced') throw await refusalOf(this.documents, this.generation, this.current);
    this.current = { position: to, epoch: this.current.epoch };
    if (beside) this.beside = beside;
  }
}

function present(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== null));
}
