import { setMaxListeners } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';

import {
  type Appended,
  comparePositions,
  type Conflict,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  type NonEmpty,
  type Page,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StoreUnavailableError,
  type StreamPart,
  type StreamSlice,
  type SubscribeOptions,
  type SubscriptionItem,
} from '../port.js';
import { Appender } from './appender.js';
import { catchUp, type CatchUpOptions } from './catch-up.js';
import { Connection } from './connection.js';
import { parseEventStoreDbUrl } from './connection-string.js';
import { headWhenever, LiveTail } from './live-tail.js';
import { Reader } from './reader.js';
import { StreamIds } from './stream-ids.js';
import { TailReads } from './tail-reads.js';

export interface EventStoreDbOptions {
  /** The connection string, esdb://user:password@host:2113?tls=true */
  readonly url: string;
  /** How long the server may be away when the store is opened, ms; default 0: asked once. */
  readonly waitMs?: number;
  /** Told once where it has to be waited for. */
  readonly onWaiting?: (reason: string) => void;
  /** Told of each subscription that ended without being asked to; it is begun again. */
  readonly onDrop?: (error: unknown) => void;
}

const DEFAULT_PAGE_SIZE = 1000;
const PAUSE_MS = 250;

/**
 * Opens a store on EventStoreDB, 23.10 or later, once it answers.
 * @throws EventStoreDbUrlError for a connection string that cannot be meant, StoreUnavailableError where nobody answers
 */
export async function openEventStoreDb({
  url,
  waitMs = 0,
  onWaiting,
  onDrop,
}: EventStoreDbOptions): Promise<EventStore> {
  const parsed = parseEventStoreDbUrl(url);
  const connection = await Connection.of(parsed);
  const store = new EventStoreDbEventStore(connection, onDrop);
  const until = Date.now() + waitMs;
  for (let isTold = false; ;) {
    try {
      await store.head();
      return store;
    } catch (error) {
      const reason = (error as Error).message;
      if (Date.now() >= until || !(error instanceof StoreUnavailableError)) {
        await store.close();
        throw error;
      }
      if (!isTold) onWaiting?.(reason);
      isTold = true;
      await rest(PAUSE_MS);
    }
  }
}

/**
 * The port on EventStoreDB. What shaped it:
 * - Appends go by the client's unary path, which `credentials` at each call select. The other, batchAppend, shares a
 *   table of appends among all clients of a process: closing one client ends those of others, and an id that is no UUID
 *   ends the process.
 * - The connection's end leaves open whether an append was written. That is StoreUnavailableError; the next append to
 *   the stream reads it first, and says `repeated` where the first was written.
 * - Ids are looked for here, in the whole stream (StreamIds); what the server compares are ids of single writings.
 * - Names that begin with $ are the server's: its events are passed over in every reading.
 * - Every call goes to the leader: a follower may not have yet what was acknowledged.
 * - A position is the commit position; `count` is not there.
 */
class EventStoreDbEventStore implements EventStore {
  private readonly reader: Reader;
  private readonly ids = new StreamIds();
  private readonly appender: Appender;
  private readonly together: TailReads;
  private readonly ends = new AbortController();
  private tail: { readonly live: LiveTail; users: number } | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly onDrop: CatchUpOptions['onDrop'],
  ) {
    setMaxListeners(0, this.ends.signal);
    this.reader = new Reader(connection);
    this.appender = new Appender(connection, this.reader, this.ids);
    this.together = new TailReads(this.reader, ({ stream, ...part }) => this.readStream(stream, part));
  }

  append(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>): Promise<Appended | Conflict> {
    return this.appender.append(stream, expected, events);
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    const slice = await this.reader.readStream(stream, options);
    if (!options.backwards) this.ids.take(stream, slice.events);
    return slice;
  }

  readStreams(parts: readonly StreamPart[]): Promise<readonly StreamSlice[]> {
    const tail = this.tail?.live;
    // Before it has a beginning, what is read may be older than that.
    return this.together.readStreams(tail?.start === undefined ? undefined : tail, parts);
  }

  streamVersion(stream: string): Promise<number> {
    return this.reader.streamVersion(stream);
  }

  readAll(options: ReadAllOptions): Promise<Page> {
    return this.reader.readAll(options);
  }

  head(): Promise<Position> {
    return this.reader.head();
  }

  eventAt(position: Position): Promise<RecordedEvent | undefined> {
    return this.reader.eventAt(position);
  }

  async *subscribeAll({
    after,
    types,
    pageSize = DEFAULT_PAGE_SIZE,
    signal,
  }: SubscribeOptions): AsyncGenerator<SubscriptionItem, void, undefined> {
    const either = signal ? AbortSignal.any([signal, this.ends.signal]) : this.ends.signal;
    const isOver = (): boolean => either.aborted;
    if (isOver()) return;
    const tail = this.useTail();
    try {
      // What is there now must be delivered before caughtUp, also where the tail has not got it yet.
      const goal = await headWhenever(this.reader, either, this.onDrop);
      await Promise.race([tail.begun, aborted(either)]);
      if (goal === undefined) return;
      let position = after;
      let isCaughtUp = false;
      while (!isOver()) {
        if (!tail.reaches(position)) {
          for await (const item of this.upTo(tail, {
            after: position,
            pageSize,
            signal: either,
            ...(types && { types }),
          })) {
            position = item.page.scannedTo;
            yield item;
          }
          continue;
        }
        const page = tail.read({ after: position, limit: pageSize, ...(types && { types }) });
        if (comparePositions(page.scannedTo, position) > 0) {
          position = page.scannedTo;
          yield { kind: 'page', page };
          continue;
        }
        if (!isCaughtUp && comparePositions(position, goal) >= 0) {
          isCaughtUp = true;
          yield { kind: 'caughtUp', position };
          if (isOver()) return;
        }
        await tail.signal.beyond(position, either);
      }
    } finally {
      await this.leaveTail();
    }
  }

  async close(): Promise<void> {
    if (this.ends.signal.aborted) return;
    this.ends.abort();
    await this.tail?.live.close();
    await this.connection.close();
  }

  /** By a subscription of its own, filtered on the server, until the tail reaches what comes next. */
  private async *upTo(
    tail: LiveTail,
    wanted: Omit<CatchUpOptions, 'onDrop'>,
  ): AsyncGenerator<SubscriptionItem & { kind: 'page' }, void, undefined> {
    const goal = tail.start!;
    let position = wanted.after;
    const options = { ...wanted, ...(this.onDrop && { onDrop: this.onDrop }) };
    for await (const item of catchUp(this.connection, options)) {
      if (item.kind === 'page') {
        position = item.page.scannedTo;
        yield { kind: 'page', page: { ...item.page, atHead: false } };
      } else if (comparePositions(position, goal) < 0) {
        // Everything of these types up to the goal, which stood when this began, has come.
        position = goal;
        yield { kind: 'page', page: { events: [], scannedTo: goal, atHead: false } };
      }
      if (tail.reaches(position)) return;
    }
  }

  private useTail(): LiveTail {
    this.tail ??= { live: new LiveTail(this.connection, this.reader, this.onDrop), users: 0 };
    this.tail.users++;
    return this.tail.live;
  }

  private async leaveTail(): Promise<void> {
    const { tail } = this;
    if (!tail || --tail.users > 0) return;
    this.tail = undefined;
    await tail.live.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
