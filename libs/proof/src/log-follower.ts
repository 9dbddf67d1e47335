import { setTimeout as sleep } from 'node:timers/promises';

import { comparePositions, type EventStore, type Page, type Position, type RecordedEvent } from '#lib/event-store';

import { ProofLogFencedError, type ProofStore } from './store/proof-store.js';

export interface FollowerOptions {
  readonly events: EventStore;
  readonly store: ProofStore;
  /** Of each page that is read, before anything of it is a leaf. */
  readonly onPage: (page: Pick<Page, 'events' | 'isOwn'>) => void;
  /** Before this position leaves are added by themselves, and a checkpoint over them is due; null where nowhere. */
  readonly splitAt: () => Position | null;
  /** Before the leaves of these are added; what it throws keeps them waiting. */
  readonly onEvents: (events: readonly RecordedEvent[]) => Promise<void>;
  /** After leaves were added; makes a checkpoint where one is due, and answers false where it failed. Never twice at once. */
  readonly onLeaves: (size: number, root: string, position: Position, isDue: boolean) => Promise<boolean>;
  /** Whether somebody waits: then nothing is gathered. */
  readonly isWanted: () => boolean;
  /** Told of each fault that ends an attempt; null once leaves are added again. */
  readonly onFault: (fault: Error | null) => void;
  readonly everyMs: number;
  readonly batchEvents: number;
}

const PAGE = 4096;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** So many times `everyMs` after what was due and could not be made, it is tried again. */
export const RETRY_PERIODS = 5;

/**
 * Follows the events and adds their leaves, gathered: what nobody waits for is written once a batch is full or its time
 * is up, off the path of those who append.
 */
export class LogFollower {
  private pending: RecordedEvent[] = [];
  private size: number;
  private root: string;
  private at: Position;
  /** How far the log reaches before `splitAt`: checkpoints end there; null where it does not reach there. */
  private edge: { readonly size: number; readonly root: string; readonly at: Position } | null = null;
  private work: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private readonly ended = new AbortController();
  private attempt = new AbortController();
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
    void this.flush(true).catch(() => this.attempt.abort());
  }

  /**
   * Forgets leaves beyond the first `size`, which no checkpoint covers, and follows the events from there once more.
   * @param onCut called when they are gone, before anything else is added or signed
   */
  async rewind(size: number, onCut: () => void): Promise<void> {
    const turn = this.work
      .catch(() => undefined)
      .then(async () => {
        await this.options.store.cut(size);
        const { reader } = this.options.store;
        [this.size, this.root, this.at] = [reader.size(), reader.root(size), reader.position()];
        this.pending = [];
        this.edge = null;
        onCut();
        this.attempt.abort();
      });
    this.work = turn;
    await turn;
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
      this.options.onPage(page);
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
    this.attempt = new AbortController();
    const signal = AbortSignal.any([this.ended.signal, this.attempt.signal]);
    for await (const item of events.subscribeAll({ after: this.at, pageSize: PAGE, signal })) {
      if (signal.aborted) return;
      if (item.kind === 'caughtUp') {
        if (this.pending.length > 0) await this.flush(true);
        continue;
      }
      this.options.onPage(item.page);
      this.pending.push(...item.page.events);
      const isWholeBatch = this.pending.length >= batchEvents;
      if (isWholeBatch || isWanted()) await this.flush(item.page.atHead);
      else this.flushLater();
    }
  }

  /** What fails is tried again though nothing more comes: the next attempt begins where the log stands. */
  private flushLater(inMs = this.options.everyMs): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.hurry();
    }, inMs).unref();
  }

  /** One at a time; what fails is read again from where the log stands. */
  private flush(isDue: boolean): Promise<void> {
    const turn = this.work.catch(() => undefined).then(() => this.write(isDue));
    this.work = turn;
    return turn;
  }

  private async write(isDue: boolean): Promise<void> {
    const { onLeaves } = this.options;
    const events = this.pending;
    this.pending = [];
    const split = this.splitOf(events);
    if (split > 0) await this.add(events.splice(0, split), events);
    if (split >= 0) this.edge = { size: this.size, root: this.root, at: this.at };
    const { edge } = this;
    // Again each time: what of it could not be signed is due for as long.
    const isEdgeDone = !edge || (await onLeaves(edge.size, edge.root, edge.at, true));
    if (events.length > 0) await this.add(events, []);
    const isDone = (await onLeaves(this.size, this.root, this.at, isDue)) && isEdgeDone;
    if (!isDue) this.flushLater();
    else if (!isDone && !this.ended.signal.aborted) this.flushLater(RETRY_PERIODS * this.options.everyMs);
  }

  private splitOf(events: readonly RecordedEvent[]): number {
    const at = this.options.splitAt();
    return at === null ? -1 : events.findIndex(({ position }) => comparePositions(position, at) === 0);
  }

  /** @param behind what comes after these, and goes back with them where they cannot be added */
  private async add(events: readonly RecordedEvent[], behind: readonly RecordedEvent[]): Promise<void> {
    const { store, onEvents, onFault } = this.options;
    try {
      await onEvents(events);
      const { size, root } = await store.append(this.size, events);
      [this.size, this.root, this.at] = [size, root, events.at(-1)!.position];
      onFault(null);
    } catch (error) {
      // Back where they were: leaves follow each other without a gap.
      this.pending = [...events, ...behind, ...this.pending];
      onFault(error as Error);
      throw error;
    }
  }

  /** The only way in which this sleep fails is the end. */
  private rest(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.ended.signal, ref: false }).catch(() => undefined);
  }
}
