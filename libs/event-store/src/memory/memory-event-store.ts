import { checkAppend, checkLimit } from '../checks.js';
import { HeadSignal, livePages } from '../live-pages.js';
import {
  type Appended,
  type Conflict,
  DuplicateEventError,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  type NonEmpty,
  type Page,
  type Position,
  positionOf,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailableError,
  type StreamSlice,
  type SubscribeOptions,
  type SubscriptionItem,
} from '../port.js';

/** Keeps events in memory, for tests of what stands on the port. */
export class MemoryEventStore implements EventStore {
  private readonly log: RecordedEvent[] = [];
  private readonly streams = new Map<string, RecordedEvent[]>();
  private readonly signal = new HeadSignal();

  async append(
    stream: string,
    expected: ExpectedVersion,
    events: NonEmpty<EventToAppend>,
  ): Promise<Appended | Conflict> {
    checkAppend(stream, expected, events);
    this.refuseWhenClosed();
    const stored = this.streams.get(stream) ?? [];
    const before = this.placeOfRepetition(stored, expected, events);
    if (before !== undefined) {
      const last = stored[before + events.length - 1]!;
      return { outcome: 'appended', repeated: true, version: last.revision + 1, position: last.position };
    }
    const known = new Set(stored.map(({ id }) => id));
    const duplicate = events.find(({ id }) => known.has(id));
    if (duplicate) throw new DuplicateEventError(duplicate.id);
    const matches = expected === 'exists' ? stored.length > 0 : stored.length === (expected === 'none' ? 0 : expected);
    if (!matches) return { outcome: 'conflict', version: stored.length };

    this.streams.set(stream, stored);
    for (const { id, type, text } of events) {
      const position = positionOf(this.log.length + 1);
      const event = { stream, revision: stored.length, position, id, type, text, recordedAt: Date.now() };
      stored.push(event);
      this.log.push(event);
    }
    const position = await this.head();
    this.signal.moveTo(position);
    return { outcome: 'appended', repeated: false, version: stored.length, position };
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    this.refuseWhenClosed();
    const { limit = 1000, backwards = false } = options;
    checkLimit(limit);
    const stored = this.streams.get(stream) ?? [];
    const from = options.from ?? (backwards ? stored.length - 1 : 0);
    const events = backwards ? stored.slice(0, from + 1).reverse() : stored.slice(from);
    return { events: events.slice(0, limit), version: stored.length };
  }

  async streamVersion(stream: string): Promise<number> {
    this.refuseWhenClosed();
    return this.streams.get(stream)?.length ?? 0;
  }

  async readAll({ after, limit, types }: ReadAllOptions): Promise<Page> {
    this.refuseWhenClosed();
    checkLimit(limit);
    const head = positionOf(this.log.length);
    if (Number(after) >= Number(head)) return { events: [], scannedTo: after, atHead: true };
    const rest = this.log.slice(Number(after));
    const events = (types ? rest.filter(({ type }) => types.includes(type)) : rest).slice(0, limit);
    const scannedTo = events.length === limit ? events.at(-1)!.position : head;
    return { events, scannedTo, atHead: scannedTo === head };
  }

  async head(): Promise<Position> {
    this.refuseWhenClosed();
    return positionOf(this.log.length);
  }

  async count(after: Position): Promise<number> {
    this.refuseWhenClosed();
    return Math.max(0, this.log.length - Number(after));
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<SubscriptionItem> {
    return livePages((page) => this.readAll(page), this.signal, options);
  }

  async close(): Promise<void> {
    this.signal.close();
  }

  /** The revision at which the stream holds exactly these events already. */
  private placeOfRepetition(
    stored: readonly RecordedEvent[],
    expected: ExpectedVersion,
    events: NonEmpty<EventToAppend>,
  ): number | undefined {
    const numeric = expected === 'none' ? 0 : expected;
    const from = numeric === 'exists' ? stored.findIndex(({ id }) => id === events[0].id) : numeric;
    if (from < 0 || !events.every(({ id }, i) => stored[from + i]?.id === id)) return undefined;
    return from;
  }

  private refuseWhenClosed(): void {
    if (this.signal.isClosed) throw new StoreUnavailableError('it is closed');
  }
}
