import { eventAt, type EventStore, type Page, positionOf, type RecordedEvent } from '#lib/event-store';
import { AsideList, asideMark, keptAside, sameAsides } from './aside.js';
import { type Aside, isOpen } from './domain/parking.js';
import { type GenerationWriter } from './generation-writer.js';
import { PendingBatch, type Reading } from './pending-batch.js';
import { partitionOf } from './partition.js';
import { comparePositions } from './positions.js';

export interface SettleOptions extends Omit<Reading, 'aside'> {
  readonly events: EventStore;
  readonly signal?: AbortSignal | undefined;
}

const PAGE = 200;
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Brings a generation's documents from what they were made without to what they are to be made without: what is held back
 * no more is applied in its order. A partition has no document in common with another one, so that it may come later
 * than events that lie behind it. Broken off anywhere it goes on where it was.
 * @throws FencedError, PoisonEventError, the signal's reason, and what the stores throw
 */
export async function settle(
  writer: GenerationWriter,
  wanted: readonly Aside[],
  options: SettleOptions,
): Promise<void> {
  const { asides: before, settling } = asideMark(writer.kept);
  if (settling === null && sameAsides(before, wanted)) return;
  const released = before.filter(
    (one) => isOpen(one) && !wanted.some((other) => isOpen(other) && other.position === one.position),
  );
  if (released.length > 0 && settling === null) await writer.keep({ settling: {} });
  for (const { position } of released) await new Release(writer, wanted, options).from(position);
  await writer.keep(keptAside({ asides: wanted, settling: null }));
}

/** What was held back of one partition, applied up to the checkpoint. */
class Release {
  private batch: PendingBatch;
  private readonly reading: Reading;

  constructor(
    private readonly writer: GenerationWriter,
    wanted: readonly Aside[],
    private readonly options: SettleOptions,
  ) {
    this.reading = { ...options, aside: new AsideList(wanted) };
    this.batch = new PendingBatch(writer.checkpoint.position);
  }

  async from(position: string): Promise<void> {
    const done = asideMark(this.writer.kept).settling?.[position];
    const first = await eventAt(this.options.events, positionOf(position));
    if (!first) throw new Error(`no event is at position ${position}, where one was parked`);
    try {
      for await (const event of this.heldFrom(first)) {
        this.options.signal?.throwIfAborted();
        if (done !== undefined && comparePositions(event.position, done) <= 0) continue;
        this.batch.add(event, this.reading);
        if (this.batch.isFull(MAX_EVENTS, MAX_CHARACTERS)) await this.write(position);
      }
    } finally {
      // What came before an event that is refused is good.
      await this.write(position);
    }
  }

  private async write(position: string): Promise<void> {
    const { batch } = this;
    this.batch = new PendingBatch(batch.to);
    const through = batch.last;
    if (through === null) return;
    const settling = { ...asideMark(this.writer.kept).settling, [position]: through };
    await this.writer.amend(batch, { settling });
  }

  private heldFrom(first: RecordedEvent): AsyncGenerator<RecordedEvent, void> {
    return this.options.projection.partition ? this.inLog(first) : this.inStream(first);
  }

  /** A stream is a partition: what lies behind it in the log need not be read. */
  private async *inStream({ stream, revision }: RecordedEvent): AsyncGenerator<RecordedEvent, void> {
    for (let from = revision; ;) {
      const { events, version } = await this.options.events.readStream(stream, { from, limit: PAGE });
      for (const event of events) {
        if (this.isBeyond(event.position)) return;
        if (this.options.projection.types.includes(event.type)) yield event;
      }
      from += events.length;
      if (events.length === 0 || from >= version) return;
    }
  }

  private async *inLog(first: RecordedEvent): AsyncGenerator<RecordedEvent, void> {
    const { events, projection } = this.options;
    yield first;
    const partition = this.partitionOf(first);
    for (let after = first.position; comparePositions(after, this.writer.checkpoint.position) < 0;) {
      const page: Page = await events.readAll({ after, limit: PAGE, types: projection.types });
      for (const event of page.events) {
        if (this.isBeyond(event.position)) return;
        if (this.partitionOf(event) === partition) yield event;
      }
      if (page.scannedTo === after) return;
      after = page.scannedTo;
    }
  }

  /** Null for what cannot be decoded, which is of no partition and was skipped by itself. */
  private partitionOf(event: RecordedEvent): string | null {
    try {
      return partitionOf(this.options.projection, this.options.decode, event);
    } catch {
      return null;
    }
  }

  private isBeyond(position: string): boolean {
    return comparePositions(position, this.writer.checkpoint.position) > 0;
  }
}
