import { randomUUID } from 'node:crypto';
import { type Position, positionOf, START } from '#lib/event-store';
import { type Generation, type GenerationDigest, type ReadStore } from '#lib/read-store';
import { AsideList, type AsideMark, liveMark, whyOtherAsides } from './aside.js';
import { Copier } from './copier.js';
import { type DifferingDocument, differingDocuments, MOST_DIFFERING } from './differing-documents.js';
import { GenerationWriter } from './generation-writer.js';
import { liveGeneration } from './ownership.js';
import { type Projection } from './projection.js';
import { type RerunOptions, type RerunResult } from './rerun-options.js';
import { ProgressMeter } from './rerun-progress.js';
import { StreamRerun } from './stream-rerun.js';

const SCRATCH_PREFIX = 'scratch_';

/**
 * Runs a projection again from a position into a scratch generation, compares it with the live one and drops it
 * (spec/replay.md, "Replay of a range"). The live one is never touched and goes on: its digest is taken of one moment,
 * which says its position, and the scratch generation is then brought to exactly that position.
 * @throws PoisonEventError, and what the stores throw; the scratch generation is dropped all the same
 */
export async function rerun(projection: Projection, options: RerunOptions): Promise<RerunResult> {
  const { documents, scratch = documents } = options;
  const generation: Generation = {
    projection: projection.name,
    name: SCRATCH_PREFIX + randomUUID().replaceAll('-', ''),
  };
  await scratch.prepare(generation, projection.collections, { indexed: false });
  try {
    const mark = await liveMark(documents, projection);
    const writer = await GenerationWriter.claim(scratch, generation);
    const { stream } = options;
    if (stream) return await new StreamRerun(projection, { ...options, scratch, stream }, writer, mark).run();
    return await new Rerun(projection, { ...options, scratch }, writer, mark).run();
  } finally {
    await scratch.drop(generation);
  }
}

class Rerun {
  private readonly clock: () => number;
  private readonly meter: ProgressMeter;
  private readonly copier: Copier;
  private processed = 0;

  constructor(
    private readonly projection: Projection,
    private readonly options: RerunOptions & { readonly scratch: ReadStore },
    private readonly writer: GenerationWriter,
    private readonly mark: AsideMark,
  ) {
    this.clock = options.clock ?? ((): number => performance.now());
    this.meter = new ProgressMeter(START, this.clock, options.onProgress);
    const onWritten = (to: string, events: number): void => {
      this.processed += events;
      this.meter.reached(to, this.processed);
    };
    const reading = { projection, decode: options.decode, aside: new AsideList(mark.asides) };
    this.copier = new Copier(reading, writer, { ...options, onWritten });
  }

  async run(): Promise<RerunResult> {
    const started = this.clock();
    const from = positionOf(this.options.from ?? START);
    const live = await liveGeneration(this.options.documents, this.projection);
    const checkpoint = await this.options.documents.checkpoint(live);
    const goal = positionOf(this.options.to ?? checkpoint?.position ?? (await this.options.events.head()));
    this.meter.aimAt(goal);
    const from_digest = await this.copyBase(from);
    const before = this.processed;
    await this.copier.copyTo(goal);
    const liveDigest = checkpoint ? await this.options.documents.digest(live) : null;
    if (liveDigest && this.options.to === undefined) await this.copyOn(positionOf(liveDigest.position));
    const scratchDigest = await this.options.scratch.digest(this.writer.generation);
    const reason = await this.whyNotComparable(liveDigest);
    const equal = scratchDigest.digest === liveDigest?.digest;
    return {
      projection: this.projection.name,
      from,
      to: this.copier.at,
      processed: this.processed - before,
      before,
      from_digest,
      scratch_digest: scratchDigest.digest,
      live_digest: liveDigest?.digest ?? null,
      equal,
      documents: { scratch: scratchDigest.documents, live: liveDigest?.documents ?? null },
      differing: reason !== null ? null : equal ? [] : await this.differing(live),
      seconds: (this.clock() - started) / 1000,
      ...(reason === null ? { comparable: true } : { comparable: false, reason }),
    };
  }

  /** The live generation went on meanwhile. */
  private copyOn(to: Position): Promise<void> {
    this.meter.aimAt(to);
    return this.copier.copyTo(to);
  }

  /** What the range begins on; its digest, or null where it begins on nothing. */
  private async copyBase(from: Position): Promise<string | null> {
    if (from === START) return null;
    await this.copier.copyTo(from);
    return (await this.options.scratch.digest(this.writer.generation)).digest;
  }

  private async differing(live: Generation): Promise<readonly DifferingDocument[] | null> {
    const { documents, scratch } = this.options;
    const found = await differingDocuments(
      this.projection.collections.map(({ name }) => name),
      { store: documents, generation: live },
      { store: scratch, generation: this.writer.generation },
      MOST_DIFFERING,
    );
    return (await documents.checkpoint(live))?.position === this.copier.at ? found : null;
  }

  private async whyNotComparable(live: GenerationDigest | null): Promise<string | null> {
    if (!live) return 'there is no live generation to compare with';
    if (live.position !== this.copier.at)
      return `the live generation is at ${live.position}, the rerun ended at ${this.copier.at}`;
    return whyOtherAsides(this.mark, await liveMark(this.options.documents, this.projection));
  }
}
