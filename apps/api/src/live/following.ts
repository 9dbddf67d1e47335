import { setTimeout as sleep } from 'node:timers/promises';

import { comparePositions, type EventStore, type Page, type Position } from '#lib/event-store';

import { LiveBatch } from './live-batch.js';
import type { LiveEvent } from './live-event.js';
import type { LiveEvents } from './live-events.js';

export interface Pace {
  /** How long events are gathered before they are given out, ms. */
  readonly batchMs: number;
  /** Bytes of stored text after which a batch is given out at once. */
  readonly maxBatchBytes: number;
  /** Bytes of stored text, and batches, that are held for readers who are behind. */
  readonly maxHeldBytes: number;
  readonly maxHeldBatches: number;
  /** Between two tries to follow a log that cannot be followed, ms. */
  readonly pauseMs: number;
}

export const PACE: Pace = {
  batchMs: 100,
  maxBatchBytes: 512 * 1024,
  maxHeldBytes: 16 * 1024 * 1024,
  maxHeldBatches: 600,
  pauseMs: 1000,
};

/** Batches whose selections are kept: readers who keep up are never further behind. */
const FRESH = 2;
/** Selections that are kept of a batch may take this many bytes of stored text. */
const MAX_SELECTED_BYTES = 4 * 1024 * 1024;

/** Nothing lies beyond what a reader was given; or what does is not held any more. */
export type Next = LiveBatch | 'wait' | 'gone';

/**
 * The newest events of the log, verified, in batches that all readers share: the log is read once, however many follow it.
 * What is held is bounded, whoever reads and however slowly.
 */
export class Following {
  private readonly batches: LiveBatch[] = [];
  private held = 0;
  /** What lies before is in no batch any more; undefined until the log's head was found. */
  private begin: Position | undefined;
  /** Up to here batches were given out. */
  private end: Position | undefined;
  /** What was read since, and up to where. */
  private gathered: LiveEvent[] = [];
  private gatheredBytes = 0;
  private readTo: Position | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isFaulty = false;
  private readonly ending = new AbortController();
  private readonly waiting = new Set<() => void>();
  /** Settles once nothing is read any more. */
  readonly ended: Promise<void>;

  /** @param onFault told where the log cannot be followed, which is tried again; null once it can be */
  constructor(
    private readonly store: Pick<EventStore, 'head' | 'subscribeAll'>,
    private readonly events: LiveEvents,
    private readonly onFault: (error: unknown) => void,
    private readonly pace: Pace,
  ) {
    this.ended = this.follow(this.ending.signal);
  }

  stop(): void {
    this.ending.abort();
    clearTimeout(this.timer);
  }

  /** What comes after a position that was read up to. */
  next(cursor: Position): Next {
    const { begin, end, batches } = this;
    if (begin === undefined || end === undefined || comparePositions(cursor, begin) < 0) return 'gone';
    if (comparePositions(cursor, end) >= 0) return 'wait';
    // From the end, where readers are.
    let i = batches.length - 1;
    while (i > 0 && comparePositions(batches[i]!.from, cursor) > 0) i--;
    return batches[i]!;
  }

  /** Whether a reader at a position can go on here, and does not at once fall behind again. */
  canJoin(cursor: Position): boolean {
    const from = this.batches[this.batches.length >> 1]?.from ?? this.begin;
    return from !== undefined && comparePositions(cursor, from) >= 0;
  }

  /** Calls back once, at the next batch or when the head was found. Answers how to be called no more. */
  onceChanged(wake: () => void): () => void {
    this.waiting.add(wake);
    return () => void this.waiting.delete(wake);
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.followOn(signal);
      } catch (error) {
        if (!signal.aborted) this.told(error);
      }
      // The only way in which this sleep fails is the end.
      if (!signal.aborted) await sleep(this.pace.pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private told(error: unknown): void {
    this.isFaulty = error !== null;
    this.onFault(error);
  }

  private async followOn(signal: AbortSignal): Promise<void> {
    if (this.readTo === undefined) {
      this.begin = this.end = this.readTo = await this.store.head();
      this.wakeAll();
    }
    for await (const item of this.store.subscribeAll({ after: this.readTo, signal })) {
      if (item.kind === 'page') await this.take(item.page);
      if (signal.aborted) return;
      if (this.isFaulty) this.told(null);
    }
  }

  private async take(page: Page): Promise<void> {
    const events: LiveEvent[] = [];
    // In order: each is held against the one before it.
    for (const recorded of page.events) events.push(await this.events.of(recorded));
    if (this.ending.signal.aborted) return;
    // All of a page or, where the store failed meanwhile, none: it is read again.
    this.gathered.push(...events);
    for (const event of events) this.gatheredBytes += event.size;
    this.readTo = page.scannedTo;
    if (this.gatheredBytes >= this.pace.maxBatchBytes) this.giveOut();
    else this.timer ??= setTimeout(() => this.giveOut(), this.pace.batchMs);
  }

  private giveOut(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { end, readTo, gathered, batches, pace } = this;
    if (end === undefined || readTo === undefined) return;
    this.gathered = [];
    this.gatheredBytes = 0;
    this.end = readTo;
    const batch = new LiveBatch(end, readTo, gathered, MAX_SELECTED_BYTES);
    batches.push(batch);
    this.held += batch.size;
    batches.at(-1 - FRESH)?.forgetSelections();
    while ((this.held > pace.maxHeldBytes || batches.length > pace.maxHeldBatches) && batches.length > 1)
      this.held -= batches.shift()!.size;
    this.begin = batches[0]!.from;
    this.wakeAll();
  }

  private wakeAll(): void {
    const woken = [...this.waiting];
    this.waiting.clear();
    for (const wake of woken) wake();
  }
}
