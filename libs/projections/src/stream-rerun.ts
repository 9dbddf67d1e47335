import { setImmediate as nextTurn } from 'node:timers/promises';
import { comparePositions, type Position, positionOf, type RecordedEvent, START } from '#lib/event-store';
import { canonicalize } from '#lib/kernel';
import { DigestBuilder, type Document, type Generation, type ReadStore } from '#lib/read-store';
import { AsideList, type AsideMark, liveMark, whyOtherAsides } from './aside.js';
import { byCodePoint, type DifferingDocument, hashOf, MOST_DIFFERING } from './differing-documents.js';
import { type GenerationWriter } from './generation-writer.js';
import { liveGeneration } from './ownership.js';
import { PendingBatch, type Reading } from './pending-batch.js';
import { type Projection } from './projection.js';
import { type RerunOptions, type RerunResult } from './rerun-options.js';
import { ProgressMeter } from './rerun-progress.js';

type StreamRerunOptions = RerunOptions & {
  readonly scratch: ReadStore;
  readonly stream: NonNullable<RerunOptions['stream']>;
};

interface Compared {
  readonly scratch: string;
  readonly live: string;
  readonly documents: { readonly scratch: number; readonly live: number };
  readonly differing: readonly DifferingDocument[];
}

/** Of texts of the usual length some 1 MiB. */
const PAGE = 128;
const A_TURN = 16;
const MAX_EVENTS = 500;
const MAX_CHARACTERS = 4 * 1024 * 1024;
/** Ids of the documents to be compared are held in memory. */
const MAX_ID_BYTES = 16 * 1024 * 1024;
/** A stream that is written all the time is followed so often. */
const MOST_COMPARISONS = 20;

/**
 * Projects one stream again and compares the documents that its events change from a revision on. A document is made of
 * one stream alone, unless the projection says how its events are partitioned: then the whole log is projected.
 */
export class StreamRerun {
  private readonly clock: () => number;
  private readonly meter: ProgressMeter;
  private readonly reading: Reading;
  private readonly touched = new Map<string, Set<string>>();
  private idBytes = 0;
  private batch = new PendingBatch(START);
  private before = 0;
  private processed = 0;
  private fromDigest: string | null = null;
  /** Where the next page begins, and the stream's last revision that was read. */
  private reached: Position = START;
  private next = 0;
  private last: number | null = null;

  constructor(
    private readonly projection: Projection,
    private readonly options: StreamRerunOptions,
    private readonly writer: GenerationWriter,
    private readonly mark: AsideMark,
  ) {
    this.clock = options.clock ?? ((): number => performance.now());
    this.meter = new ProgressMeter(START, this.clock, options.onProgress);
    this.reading = { projection, decode: options.decode, aside: new AsideList(mark.asides) };
  }

  async run(): Promise<RerunResult> {
    const { documents, events, stream } = this.options;
    const started = this.clock();
    const live = await liveGeneration(documents, this.projection);
    const goal = (await documents.checkpoint(live))?.position;
    let to = positionOf(goal ?? (await events.head()));
    await this.copyTo(to);
    let compared: Compared | null = null;
    let reason: string | null = goal === undefined ? 'there is no live generation to compare with' : null;
    for (let looks = 1; goal !== undefined; looks++) {
      compared = await this.compared(live);
      to = positionOf((await documents.checkpoint(live))?.position ?? to);
      // Where nothing came meanwhile, the documents that were compared were those of one place.
      if ((await this.copyTo(to)) === 0) break;
      if (looks < MOST_COMPARISONS) continue;
      reason = 'the stream goes on being written';
      break;
    }
    reason ??= whyOtherAsides(this.mark, await liveMark(documents, this.projection));
    const equal = compared !== null && compared.scratch === compared.live;
    const scratch_digest = compared?.scratch ?? (await this.digest());
    return {
      projection: this.projection.name,
      from: START,
      to,
      stream: { name: stream.name, from_revision: stream.fromRevision, to_revision: this.last },
      processed: this.processed,
      before: this.before,
      from_digest: this.fromDigest,
      scratch_digest,
      live_digest: compared?.live ?? null,
      equal,
      documents: { scratch: compared?.documents.scratch ?? this.count(), live: compared?.documents.live ?? null },
      differing: reason === null ? compared!.differing : null,
      seconds: (this.clock() - started) / 1000,
      ...(reason === null ? { comparable: true } : { comparable: false, reason }),
    };
  }

  /** Projects what lies up to a position, inclusive. @returns how many events it read */
  private async copyTo(goal: Position): Promise<number> {
    const before = this.processed + this.before;
    const { stream, signal } = this.options;
    this.meter.aimAt(goal);
    let turn = 0;
    for await (const event of this.eventsUpTo(goal)) {
      signal?.throwIfAborted();
      if (++turn % A_TURN === 0) await nextTurn();
      const isInRange = event.stream === stream.name && event.revision >= stream.fromRevision;
      if (isInRange && stream.fromRevision > 0) this.fromDigest ??= await this.digest();
      this.take(event, isInRange);
      if (this.batch.isFull(MAX_EVENTS, MAX_CHARACTERS)) await this.write();
    }
    await this.write();
    this.meter.reached(goal, this.processed + this.before);
    return this.processed + this.before - before;
  }

  private take(event: RecordedEvent, isInRange: boolean): void {
    const { batch } = this;
    const [changes, events] = [batch.changes.length, batch.events];
    batch.add(event, this.reading);
    batch.to = event.position;
    if (event.stream === this.options.stream.name) this.last = event.revision;
    if (!isInRange) {
      this.before += batch.events - events;
      return;
    }
    this.processed += batch.events - events;
    for (const { collection, id } of batch.changes.slice(changes)) this.touch(collection, id);
  }

  private touch(collection: string, id: string): void {
    const ids = this.touched.get(collection) ?? new Set<string>();
    if (ids.has(id)) return;
    this.idBytes += 2 * id.length;
    if (this.idBytes > MAX_ID_BYTES)
      throw new Error('the range changes more documents than are compared at once; begin at a later revision');
    this.touched.set(collection, ids.add(id));
  }

  private async write(): Promise<void> {
    const { batch } = this;
    if (batch.events === 0) return;
    this.batch = new PendingBatch(batch.to);
    await this.writer.write(batch);
    this.meter.reached(batch.to, this.processed + this.before);
  }

  /** Of all that was projected so far. */
  private async digest(): Promise<string> {
    await this.write();
    return (await this.options.scratch.digest(this.writer.generation)).digest;
  }

  private eventsUpTo(goal: Position): AsyncGenerator<RecordedEvent, void> {
    return this.projection.partition ? this.inLog(goal) : this.inStream(goal);
  }

  private async *inStream(goal: Position): AsyncGenerator<RecordedEvent, void> {
    const { events, stream } = this.options;
    for (;;) {
      await this.yieldTurn();
      const page = await events.readStream(stream.name, { from: this.next, limit: PAGE });
      for (const event of page.events) {
        if (comparePositions(event.position, goal) > 0) return;
        this.next = event.revision + 1;
        if (this.projection.types.includes(event.type)) yield event;
      }
      if (page.events.length < PAGE) return;
    }
  }

  private async *inLog(goal: Position): AsyncGenerator<RecordedEvent, void> {
    while (comparePositions(this.reached, goal) < 0) {
      await this.yieldTurn();
      const { types } = this.projection;
      const page = await this.options.events.readAll({ after: this.reached, limit: PAGE, types });
      for (const event of page.events) {
        if (comparePositions(event.position, goal) > 0) return;
        this.reached = event.position;
        yield event;
      }
      if (page.scannedTo === this.reached && page.events.length === 0) return;
      this.reached = comparePositions(page.scannedTo, goal) > 0 ? goal : page.scannedTo;
    }
  }

  /** Once a page, also where nothing in it is of this projection: the embedded store reads on this thread. */
  private async yieldTurn(): Promise<void> {
    this.options.signal?.throwIfAborted();
    await nextTurn();
  }

  private async compared(live: Generation): Promise<Compared> {
    const [mine, theirs] = [new DigestBuilder(), new DigestBuilder()];
    const differing: DifferingDocument[] = [];
    let turn = 0;
    for (const collection of [...this.touched.keys()].sort()) {
      mine.collection(collection);
      theirs.collection(collection);
      for (const id of [...this.touched.get(collection)!].sort(byCodePoint)) {
        this.options.signal?.throwIfAborted();
        if (++turn % A_TURN === 0) await nextTurn();
        const scratch = await this.options.scratch.get(this.writer.generation, collection, id);
        const found = await this.options.documents.get(live, collection, id);
        addTo(mine, scratch);
        addTo(theirs, found);
        const [was, is] = [hashOf(found), hashOf(scratch)];
        if (was !== is && differing.length < MOST_DIFFERING) differing.push({ collection, id, live: was, scratch: is });
      }
    }
    const documents = { scratch: mine.documents, live: theirs.documents };
    return { scratch: mine.hex(), live: theirs.hex(), documents, differing };
  }

  private count(): number {
    return [...this.touched.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

function addTo(digest: DigestBuilder, document: Document | null): void {
  if (document) digest.document(document.id, canonicalize(document.body));
}
