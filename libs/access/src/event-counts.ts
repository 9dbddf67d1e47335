import { randomUUID } from 'node:crypto';

import { type EventLog, NO_STATE } from '#lib/event-store';
import { type JsonObject, systemSeed, traceId } from '#lib/kernel';

const INTERVAL_MS = 60_000;

/** Where something is counted. */
export interface Counter {
  readonly key: string;
  readonly stream: string;
  /** The actor of its events. */
  readonly actorId: string;
}

export interface EventCountOptions<D extends JsonObject> {
  readonly type: string;
  /** Part of the seeds of its events. */
  readonly component: string;
  /** At most so many counters at once. */
  readonly most: number;
  /** Whether the first that a counter counts is on record at once; else it is on record with those of its minute. */
  readonly isFirstAtOnce: boolean;
  /** What an event says of what was counted before and after; by default what was counted last. */
  readonly merge?: (before: D, after: D) => D;
  /** Told of what could not be appended, which is counted on, and of null once it is appended. */
  readonly onFault: (error: unknown) => void;
  /** Milliseconds since the Unix epoch; default Date.now. */
  readonly now?: () => number;
}

interface Entry<D> {
  readonly counter: Counter;
  data: D;
  count: number;
  /** No event of it before this moment. */
  notBefore: number;
}

/**
 * Counts in memory what may come often, and appends it afterwards as one event a minute for each counter, with `count`
 * beside its data, so that a flood does not fill the log and nobody waits for an append.
 */
export class EventCounts<D extends JsonObject> {
  private readonly entries = new Map<string, Entry<D>>();
  private readonly appends = new Set<Promise<void>>();
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly options: EventCountOptions<D>,
  ) {
    this.now = options.now ?? Date.now;
  }

  /** Whether it counts something that is not appended yet. */
  isCounting({ key }: Counter): boolean {
    return (this.entries.get(key)?.count ?? 0) > 0;
  }

  /** Whether counting there writes no other counter early. */
  hasRoomFor({ key }: Counter): boolean {
    return this.entries.has(key) || this.hasRoom() || this.forgetIdle();
  }

  /** Whether one more counter of that stream would be more than `most` of it. */
  isOneTooMany({ key, stream }: Counter, most: number): boolean {
    if (this.entries.has(key)) return false;
    let own = 0;
    for (const { counter } of this.entries.values()) if (counter.stream === stream) own += 1;
    return own >= most;
  }

  /** Where there are too many counters, who has waited longest is written early. */
  count(counter: Counter, data: D): void {
    const entry = this.entries.get(counter.key) ?? this.begin(counter, data);
    entry.data = entry.count === 0 ? data : this.merged(entry.data, data);
    entry.count += 1;
    if (this.now() >= entry.notBefore) this.flush(entry);
    else this.schedule();
  }

  /** Appends what was counted and not yet written. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const entry of this.entries.values()) if (entry.count > 0) this.flush(entry);
    await Promise.all(this.appends);
  }

  private begin(counter: Counter, data: D): Entry<D> {
    if (!this.hasRoom()) this.makeRoom();
    const notBefore = this.options.isFirstAtOnce ? 0 : this.now() + INTERVAL_MS;
    const entry = { counter, data, count: 0, notBefore };
    this.entries.set(counter.key, entry);
    return entry;
  }

  private merged(before: D, after: D): D {
    return this.options.merge?.(before, after) ?? after;
  }

  private schedule(): void {
    this.timer ??= setInterval(() => this.flushDue(), INTERVAL_MS / 4).unref();
  }

  private flushDue(): void {
    for (const entry of this.entries.values()) if (entry.count > 0 && this.now() >= entry.notBefore) this.flush(entry);
    this.forgetIdle();
  }

  private hasRoom(): boolean {
    return this.entries.size < this.options.most;
  }

  private makeRoom(): void {
    this.forgetIdle();
    for (const [key, entry] of this.entries) {
      if (this.hasRoom()) return;
      this.entries.delete(key);
      if (entry.count > 0) this.flush(entry);
    }
  }

  /** @returns whether there is room then */
  private forgetIdle(): boolean {
    for (const [key, entry] of this.entries)
      if (entry.count === 0 && this.now() >= entry.notBefore) this.entries.delete(key);
    return this.hasRoom();
  }

  private flush(entry: Entry<D>): void {
    const { counter, data, count } = entry;
    entry.count = 0;
    entry.notBefore = this.now() + INTERVAL_MS;
    const append = this.append(counter, { ...data, count })
      .then(
        () => this.options.onFault(null),
        (error: unknown) => {
          this.countAgain(entry, data, count);
          this.options.onFault(error);
        },
      )
      .finally(() => this.appends.delete(append));
    this.appends.add(append);
  }

  /**
   * With what comes. A counter that was written early for want of room comes back where there is some again; elsewhere the
   * fault is told, and its count is not kept: a store that is away must not make memory grow.
   */
  private countAgain(written: Entry<D>, data: D, count: number): void {
    const { key } = written.counter;
    const entry = this.entries.get(key) ?? written;
    entry.data = entry.count === 0 ? data : this.merged(data, entry.data);
    entry.count += count;
    if (this.hasRoom()) this.entries.set(key, entry);
    this.schedule();
  }

  private async append({ stream, actorId }: Counter, data: JsonObject): Promise<void> {
    const { component, type } = this.options;
    const seed = systemSeed(component, randomUUID());
    await this.log.execute({
      stream,
      fold: NO_STATE,
      provenance: { jobSeed: seed, sequenceIndex: 0, actor: { id: actorId, role: 'system' }, traceId: traceId(seed) },
      decide: () => [{ type, data }],
    });
  }
}
