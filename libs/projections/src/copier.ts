import { setImmediate as nextTurn } from 'node:timers/promises';
import { comparePositions, type EventStore, type Page, type Position, positionOf } from '#lib/event-store';
import { type JsonObject } from '#lib/kernel';
import { type GenerationWriter } from './generation-writer.js';
import { PendingBatch, type Reading } from './pending-batch.js';
import { WriteQueue } from './write-queue.js';

export interface CopierOptions {
  readonly events: EventStore;
  readonly signal?: AbortSignal | undefined;
  /** 1 to 4096; default 128: of a page of 1000 so much outlived the young generation that collecting it took half the time. */
  readonly pageSize?: number;
  /** Default 512: larger batches hold more for the collector, smaller ones cost the writer more commits. */
  readonly maxBatchEvents?: number;
  /** Default 8 Mi. */
  readonly maxBatchCharacters?: number;
  /** Others are answered meanwhile: they have a turn before each few events, and batches are small. */
  readonly givesWay?: boolean;
  /** What is kept beside each batch's checkpoint, of the events written with it. */
  readonly beside?: (events: number) => JsonObject;
  /** Told of each batch once it is written: up to where, and of how many events. */
  readonly onWritten?: (to: string, events: number) => void;
}

const DEFAULTS = { pageSize: 128, maxBatchEvents: 512, maxBatchCharacters: 8 * 1024 * 1024 };
/** So many events are some two thirds of a millisecond of the main thread. */
const A_TURN = 16;
/** What is gathered of a batch is soon free again. */
const BESIDE_OTHERS = { pageSize: A_TURN, maxBatchEvents: 64 };
/** Where each page is a question over the network, during whose answer others have their turns anyway. */
const PAGE_OVER_NETWORK = 512;

/** Projects what is in the log into a generation, by pages and in bulk, up to a position and no further. */
export class Copier {
  private readonly options: CopierOptions & typeof DEFAULTS;
  private reached: Position;

  /** Goes on from the writer's checkpoint. */
  constructor(
    private readonly reading: Reading,
    private readonly writer: GenerationWriter,
    options: CopierOptions,
  ) {
    // A store whose positions have gaps is asked for the event at one, and is on a server.
    const beside = options.events.eventAt ? { ...BESIDE_OTHERS, pageSize: PAGE_OVER_NETWORK } : BESIDE_OTHERS;
    this.options = { ...DEFAULTS, ...(options.givesWay ? beside : {}), ...options };
    this.reached = positionOf(writer.checkpoint.position);
  }

  /** Up to where everything was read and, after `copyTo`, written. */
  get at(): Position {
    return this.reached;
  }

  /**
   * Up to a position, inclusive; one already passed, or beyond the head, needs nothing more than there is.
   * @throws PoisonEventError, FencedError, the signal's reason, and what the stores throw
   */
  async copyTo(wanted: Position): Promise<void> {
    const { signal, maxBatchEvents, maxBatchCharacters, onWritten, beside, givesWay } = this.options;
    // A checkpoint of another log may lie beyond the head, where there is nothing to wait for.
    const head = await this.options.events.head();
    const goal = comparePositions(wanted, head) > 0 ? head : wanted;
    if (comparePositions(this.reached, goal) >= 0) return;
    let failure: { readonly error: unknown } | undefined;
    const queue = new WriteQueue(
      this.writer,
      ({ events, to }) => onWritten?.(to, events),
      (error) => (failure ??= { error }),
      beside && (({ events }) => beside(events)),
    );
    let batch = new PendingBatch(this.reached);
    try {
      while (comparePositions(this.reached, goal) < 0 && !failure) {
        signal?.throwIfAborted();
        if (givesWay) await nextTurn();
        const before = this.reached;
        for (const [i, part] of this.partsOf(await this.readPage()).entries()) {
          if (i > 0) await nextTurn();
          batch.take(part, this.reading, goal);
          this.reached = positionOf(batch.to);
          if (!batch.isFull(maxBatchEvents, maxBatchCharacters)) continue;
          // One batch is written while the next is gathered, and no more: memory stays flat.
          await queue.idle();
          queue.add(batch);
          batch = new PendingBatch(this.reached);
        }
        if (this.reached === before) break;
      }
      queue.add(batch);
    } finally {
      await queue.idle();
    }
    if (failure) throw failure.error;
  }

  /** What is projected in one turn. */
  private partsOf(page: Page): readonly Page[] {
    const { events } = page;
    if (!this.options.givesWay || events.length <= A_TURN) return [page];
    const parts: Page[] = [];
    for (let from = 0; from < events.length; from += A_TURN) {
      const part = events.slice(from, from + A_TURN);
      const isLast = from + A_TURN >= events.length;
      parts.push(isLast ? { ...page, events: part } : { ...page, events: part, scannedTo: part.at(-1)!.position });
    }
    return parts;
  }

  private readPage(): Promise<Page> {
    const { events, pageSize: limit } = this.options;
    return events.readAll({ after: this.reached, limit, types: this.reading.projection.types });
  }
}
