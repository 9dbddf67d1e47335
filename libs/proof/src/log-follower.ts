import { setTimeout as sleep } from 'node:timers/promises';

import { type EventStore, type Position, type RecordedEvent } from '#lib/event-store';

import { ProofLogFencedError, type ProofStore } from './store/proof-store.js';

export interface FollowerOptions {
  readonly events: EventStore;
  readonly store: ProofStore;
  /** Before the leaves of these are added; what it throws keeps them waiting. */
  readonly onEvents: (events: readonly RecordedEvent[]) => Promise<void>;
  /** After leaves were added; makes a checkpoint where one is due. Never called twice at once. */
  readonly onLeaves: (size: number, root: string, position: Position, isDue: boolean) => Promise<void>;
  /** Whether somebody waits: then nothing is gathered. */
  readonly isWanted: () => boolean;
  /** Told of each fault that ends an attempt; null once leaves are added again. */
  readonly onFault: (fault: Error | null) => void;
  readonly everyMs: number;
  readonly batchEvents: number;
}

const PAGE = 1024;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Follows the events and adds their leaves, gathered: what nobody waits for is written once a batch is full or its time
 * is up, off the path of those who append.
 */
export class LogFollower {
  private pending: RecordedEvent[] = [];
  private size: number;
  private root: string;
  private at: Position;
  private work: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();
  private following: Promise<void> | undefined;

  constructor(private readonly options: FollowerOptions) {
    const { reader } = options.store;
    this.size = reader.size();
    this.root = reader.root(this.size);
    this.at = reader.position();
  }

  /** Position of the last event that is a leaf. */
  get position(): Position {
    return this.at;
  }

  get leaves(): number {
    return this.size;
  }

  start(): void {
    this.following ??= this.followOn();
  }

  /** Adds what has been read, and a checkpoint, now rather than when its time is up. */
  hurry(): void {
    void this.flush(true).catch(() => undefined);
  }

  /** Adds everything the store holds, with a checkpoint; then ends. @throws what the stores throw */
  async close(): Promise<void> {
    this.ended.abort();
    clearTimeout(this.timer);
    await this.following;
    await this.work.catch(() => undefined);
    await this.readToHead();
    clearTimeout(this.timer);
  }

  /** Everything up to the head as it is now, without a subscription. */
  async readToHead(): Promise<void> {
    this.pending = [];
    for (let atHead = false; !atHead;) {
      const page = await this.options.events.readAll({ after: this.at, limit: PAGE });
      this.pending.push(...page.events);
      atHead = page.atHead;
      await this.flush(atHead);
    }
  }

  private async followOn(): Promise<void> {
    let pause = FIRST_PAUSE_MS;
    while (!this.ended.signal.aborted) {
      const before = this.size;
      try {
        await this.follow();
      } catch (error) {
        this.options.onFault(error as Error);
        if (error instanceof ProofLogFencedError) return;
      }
      pause = this.size > before ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
      if (!this.ended.signal.aborted) await this.rest(pause);
    }
  }

  private async follow(): Promise<void> {
    await this.work.catch(() => undefined);
    this.pending = [];
    const { events, batchEvents, isWanted } = this.options;
    const { signal } = this.ended;
    for await (const item of events.subscribeAll({ after: this.at, pageSize: PAGE, signal })) {
      if (signal.aborted) return;
      if (item.kind === 'caughtUp') {
        if (this.pending.length > 0) await this.flush(true);
        continue;
      }
      this.pending.push(...item.page.events);
      const isWholeBatch = this.pending.length >= batchEvents;
      if (isWholeBatch || isWanted()) await this.flush(item.page.atHead);
      else this.flushLater();
    }
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.flush(true).catch(() => undefined);
    }, this.options.everyMs).unref();
  }

  /** One at a time; what fails is read again from where the log stands. */
  private flush(isDue: boolean): Promise<void> {
    const turn = this.work.catch(() => undefined).then(() => this.write(isDue));
    this.work = turn;
    return turn;
  }

  private async write(isDue: boolean): Promise<void> {
    const { store, onEvents, onLeaves, onFault } = this.options;
    const events = this.pending;
    this.pending = [];
    if (events.length > 0) {
      try {
        await onEvents(events);
        const { size, root } = await store.append(this.size, events);
        [this.size, this.root, this.at] = [size, root, events.at(-1)!.position];
        onFault(null);
      } catch (error) {
        // Back where they were: leaves follow each other without a gap.
        this.pending = [...events, ...this.pending];
        onFault(error as Error);
        throw error;
      }
    }
    await onLeaves(this.size, this.root, this.at, isDue);
    if (!isDue) this.flushLater();
  }

  /** The only way in which this sleep fails is the end. */
  private rest(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.ended.signal, ref: false }).catch(() => undefined);
  }
}
