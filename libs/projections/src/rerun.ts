import { randomUUID } from 'node:crypto';
import {
  comparePositions as compareEventPositions,
  type EventStore,
  type Page,
  type Position,
  positionOf,
  START,
} from '#lib/event-store';
import { type Generation, type GenerationDigest, type ReadStore } from '#lib/read-store';
import { GenerationWriter } from './generation-writer.js';
import { PendingBatch } from './pending-batch.js';
import { type Decode, liveGeneration, type Projection } from './projection.js';
import { ProgressMeter, type RerunProgress } from './rerun-progress.js';
import { WriteQueue } from './write-queue.js';

export interface RerunOptions {
  readonly events: EventStore;
  /** Where the live generation is; only read, unless it is the scratch place too. */
  readonly documents: ReadStore;
  /** Where the scratch generation is made; default `documents`. A store of its own keeps the live file small. */
  readonly scratch?: ReadStore;
  readonly decode: Decode;
  /** Exclusive; default START. */
  readonly from?: string;
  /** Inclusive; default as far as the live generation is. */
  readonly to?: string;
  readonly onProgress?: (progress: RerunProgress) => void;
  readonly signal?: AbortSignal;
  /** 1 to 4096; default 128: of a page of 1000 so much outlived the young generation that collecting it took half the time. */
  readonly pageSize?: number;
  /** Default 512: larger batches hold more for the collector, smaller ones cost the writer more commits. */
  readonly maxBatchEvents?: number;
  /** Default 8 Mi. */
  readonly maxBatchCharacters?: number;
  /** Milliseconds, from any origin. */
  readonly clock?: () => number;
}

interface RerunFigures {
  readonly projection: string;
  readonly from: string;
  readonly to: string;
  /** Events that the projection read. */
  readonly processed: number;
  readonly scratch_digest: string;
  readonly live_digest: string | null;
  /** Whether the digests are the same; where they are not comparable it proves nothing either way. */
  readonly equal: boolean;
  readonly documents: { readonly scratch: number; readonly live: number | null };
  readonly seconds: number;
}

export type RerunResult = RerunFigures &
  ({ readonly comparable: true } | { readonly comparable: false; readonly reason: string });

const DEFAULTS = { pageSize: 128, maxBatchEvents: 512, maxBatchCharacters: 8 * 1024 * 1024 };
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
    return await new Rerun(
      projection,
      { ...DEFAULTS, ...options, scratch },
      await GenerationWriter.claim(scratch, generation),
    ).run();
  } finally {
    await scratch.drop(generation);
  }
}

class Rerun {
  private readonly clock: () => number;
  private processed = 0;
  private at: Position;

  constructor(
    private readonly projection: Projection,
    private readonly options: RerunOptions & typeof DEFAULTS & { readonly scratch: ReadStore },
    private readonly writer: GenerationWriter,
  ) {
    this.clock = options.clock ?? ((): number => performance.now());
    this.at = positionOf(options.from ?? START);
  }

  async run(): Promise<RerunResult> {
    const started = this.clock();
    const from = this.at;
    const live = liveGeneration(this.projection);
    const checkpoint = await this.options.documents.checkpoint(live);
    const goal = positionOf(this.options.to ?? checkpoint?.position ?? (await this.options.events.head()));
    const meter = new ProgressMeter(from, this.clock, this.options.onProgress);
    await this.copyTo(goal, meter);
    const liveDigest = checkpoint ? await this.options.documents.digest(live) : null;
    if (liveDigest && this.options.to === undefined) await this.copyTo(positionOf(liveDigest.position), meter);
    const scratchDigest = await this.options.scratch.digest(this.writer.generation);
    const reason = this.whyNotComparable(from, liveDigest);
    return {
      projection: this.projection.name,
      from,
      to: this.at,
      processed: this.processed,
      scratch_digest: scratchDigest.digest,
      live_digest: liveDigest?.digest ?? null,
      equal: scratchDigest.digest === liveDigest?.digest,
      documents: { scratch: scratchDigest.documents, live: liveDigest?.documents ?? null },
      seconds: (this.clock() - started) / 1000,
      ...(reason === null ? { comparable: true } : { comparable: false, reason }),
    };
  }

  private whyNotComparable(from: Position, live: GenerationDigest | null): string | null {
    if (!live) return 'there is no live generation to compare with';
    if (from !== START)
      return `the live generation holds events up to ${from} too, the rerun does not; only documents made of later events alone can be equal`;
    if (live.position !== this.at) return `the live generation is at ${live.position}, the rerun ended at ${this.at}`;
    return null;
  }

  /** Reads, projects and writes up to a position, inclusive; one already passed needs nothing. */
  private async copyTo(wanted: Position, meter: ProgressMeter): Promise<void> {
    // A checkpoint of another log may lie beyond the head, where there is nothing to wait for.
    const head = await this.options.events.head();
    const goal = compareEventPositions(wanted, head) > 0 ? head : wanted;
    if (compareEventPositions(this.at, goal) >= 0) return;
    meter.aimAt(goal);
    let failure: { readonly error: unknown } | undefined;
    const queue = new WriteQueue(
      this.writer,
      ({ events, to }) => {
        this.processed += events;
        meter.reached(to, this.processed);
      },
      (error) => (failure ??= { error }),
    );
    let batch = new PendingBatch(this.at);
    try {
      while (compareEventPositions(this.at, goal) < 0 && !failure) {
        this.options.signal?.throwIfAborted();
        const before = this.at;
        const page = await this.readPage();
        batch.take(page, this.projection, this.options.decode, goal);
        this.at = positionOf(batch.to);
        if (this.at === before) break;
        if (!batch.isFull(this.options.maxBatchEvents, this.options.maxBatchCharacters)) continue;
        // One batch is written while the next is gathered, and no more: memory stays flat.
        await queue.idle();
        queue.add(batch);
        batch = new PendingBatch(this.at);
      }
      queue.add(batch);
    } finally {
      await queue.idle();
    }
    if (failure) throw failure.error;
  }

  private readPage(): Promise<Page> {
    return this.options.events.readAll({ after: this.at, limit: this.options.pageSize, types: this.projection.types });
  }
}
