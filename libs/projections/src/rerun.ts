import { randomUUID } from 'node:crypto';
import { type EventStore, type Position, positionOf, START } from '#lib/event-store';
import { type Generation, type GenerationDigest, type ReadStore } from '#lib/read-store';
import { AsideList, asideMark, type AsideMark, sameAsides } from './aside.js';
import { Copier } from './copier.js';
import { type DifferingDocument, differingDocuments } from './differing-documents.js';
import { GenerationWriter } from './generation-writer.js';
import { liveGeneration } from './ownership.js';
import { type Decode, type Projection } from './projection.js';
import { ProgressMeter, type RerunProgress } from './rerun-progress.js';

export interface RerunOptions {
  readonly events: EventStore;
  /** Where the live generation is; only read, unless it is the scratch place too. */
  readonly documents: ReadStore;
  /** Where the scratch generation is made; default `documents`. A store of its own keeps the live file small. */
  readonly scratch?: ReadStore;
  readonly decode: Decode;
  /** Exclusive; default START. What lies before it is projected first, so that the range meets the state it met. */
  readonly from?: string;
  /** Inclusive; default as far as the live generation is. */
  readonly to?: string;
  readonly onProgress?: (progress: RerunProgress) => void;
  readonly signal?: AbortSignal;
  /** As of CopierOptions. */
  readonly pageSize?: number;
  readonly maxBatchEvents?: number;
  readonly maxBatchCharacters?: number;
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
}

interface RerunFigures {
  readonly projection: string;
  readonly from: string;
  readonly to: string;
  /** Events of the range that the projection read. */
  readonly processed: number;
  /** Events before the range that it read. */
  readonly before: number;
  /** Of the documents as they were at `from`; null where that is the beginning. */
  readonly from_digest: string | null;
  readonly scratch_digest: string;
  readonly live_digest: string | null;
  /** Whether the digests are the same; where they are not comparable it proves nothing either way. */
  readonly equal: boolean;
  readonly documents: { readonly scratch: number; readonly live: number | null };
  /**
   * The first documents that differ, at most 20; empty where none does. Null where they cannot be told: nothing can be
   * compared, or the live generation went on before they were found.
   */
  readonly differing: readonly DifferingDocument[] | null;
  readonly seconds: number;
}

export type RerunResult = RerunFigures &
  ({ readonly comparable: true } | { readonly comparable: false; readonly reason: string });

const SCRATCH_PREFIX = 'scratch_';
const MOST_DIFFERING = 20;

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
    return await new Rerun(projection, { ...options, scratch }, writer, mark).run();
  } finally {
    await scratch.drop(generation);
  }
}

/** Without which events the live documents are made, and so the scratch ones too. */
async function liveMark(documents: ReadStore, projection: Projection): Promise<AsideMark> {
  return asideMark(await documents.runnerState(await liveGeneration(documents, projection)));
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
    const { asides, settling } = await liveMark(this.options.documents, this.projection);
    if (settling !== null || this.mark.settling !== null || !sameAsides(asides, this.mark.asides))
      return 'which events are parked changed meanwhile';
    return null;
  }
}
