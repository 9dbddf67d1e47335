import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import {
  type DataFolder,
  DamagedFileError,
  describeFileError,
  describingFileErrors,
  FileWorker,
  openStoreFile,
  openStoreFileForReading,
  sqliteCode,
} from '#lib/sqlite';

import { checkAppend, checkUnsealed } from '../checks.js';
import { HeadSignal, livePages } from '../live-pages.js';
import {
  type Appended,
  type Conflict,
  DuplicateEventError,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  MAX_APPEND_BYTES,
  type NonEmpty,
  type Page,
  type Position,
  positionOf,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  StorageFullError,
  StoreUnavailableError,
  type StreamPart,
  type StreamSlice,
  type SubscribeOptions,
  type SubscriptionItem,
} from '../port.js';
import {
  type AppendAnswer,
  type AppendAsked,
  type EventLogWorkerData,
  packAppends,
  type PackedAppends,
} from './append-messages.js';
import { EventReader } from './event-reader.js';
import { EVENT_LOG } from './event-schema.js';
import { LogTail } from './log-tail.js';
import { refuseUnpackable, textsOf } from './order-messages.js';
import { StreamVersions } from './stream-versions.js';

export interface SqliteEventStoreOptions {
  /** Who holds it may write in it. */
  readonly folder: DataFolder;
  /** Told where the writing thread has ended: nothing can be appended any more until a restart. */
  readonly onWriterGone?: (reason: Error) => void;
}

const MAX_BATCH = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Pages of this size are given out one a turn, so that reading the whole log lets other work through. */
const LARGE_PAGE = 64;

/** Stores opened in one folder, one after another or at once, share what is known: each may append. */
const VERSIONS = new WeakMap<DataFolder, StreamVersions>();

/**
 * The embedded event store: events.db in the data folder, written by one thread, read here.
 * @throws DataFileError, NewerFormatError where the file cannot be used
 */
export async function openSqliteEventStore({ folder, onWriterGone }: SqliteEventStoreOptions): Promise<EventStore> {
  if (!folder.isHeld) throw new Error(`the data folder ${folder.path} was released already`);
  const path = join(folder.path, 'events.db');
  // Here and not first in the thread, so that a refusal arrives as the error it is.
  openStoreFile(path, EVENT_LOG).close();
  const data: EventLogWorkerData = { path };
  const live = new LiveEnd();
  const writer = await FileWorker.start<AppendAsked, AppendAnswer>({
    entry: new URL('./event-log.worker.cjs', import.meta.url),
    name: 'event-log',
    data,
    maxBatch: MAX_BATCH,
    maxWeight: MAX_BATCH_BYTES,
    weigh: ({ bytes }) => bytes,
    pack: packAppends,
    handOver: (packed) => {
      const { numbers, bytes, keys } = packed as PackedAppends;
      return [numbers.buffer, bytes.buffer, keys.buffer];
    },
    onAnswers: (requests, answers) => live.take(requests, answers),
    ...(onWriterGone ? { onGone: onWriterGone } : {}),
  });
  try {
    const reader = new EventReader(openStoreFileForReading(path, EVENT_LOG));
    describingFileErrors(path, EVENT_LOG.name, () => refuseOddPositions(path, reader));
    const versions = VERSIONS.get(folder) ?? new StreamVersions();
    VERSIONS.set(folder, versions);
    // Since another store was closed, its file may have been replaced.
    versions.forget();
    return new SqliteEventStore(path, writer, reader, versions, live);
  } catch (error) {
    await writer.stop();
    throw error;
  }
}

/** Positions without an event that are told one by one; whoever reads the log passes over so many in a moment. */
const MOST_MISSING = 1_000_000;

/** Positions count events from 1 on: what stands before them nobody reads, and whoever reads the log comes to no end of a gap. */
function refuseOddPositions(path: string, reader: EventReader): void {
  const [first, head, count] = [reader.first(), reader.head(), reader.count(0)];
  const problem =
    first < 1
      ? `has an event at position ${first}, before the first`
      : head - count > MOST_MISSING
        ? `has an event at position ${head}, and ${count} in all`
        : null;
  if (problem === null) return;
  throw new DamagedFileError(path, problem, `Keep a copy of it, then restore ${EVENT_LOG.name} from a backup.`);
}

/** Where those who follow the log are: what was appended last, and whom to wake. */
class LiveEnd {
  readonly signal = new HeadSignal();
  readonly tail = new LogTail();

  /** A batch at once, so that who is woken by its first append finds all of it. */
  take(requests: readonly AppendAsked[], answers: readonly AppendAnswer[]): void {
    for (const [i, answer] of answers.entries()) {
      if (answer.outcome !== 'appended') continue;
      const { stream, events, ...asked } = requests[i]!;
      const { version, position, recordedAt, sealed } = answer;
      if (sealed) events[0]!.order!.take({ texts: textsOf(sealed), lastHash: sealed.lastHash });
      const bytes = sealed?.bytes.length ?? asked.bytes;
      this.tail.push({ stream, bytes, events, version, position, recordedAt });
    }
    if (this.tail.last > 0) this.signal.moveTo(positionOf(this.tail.last));
  }
}

class SqliteEventStore implements EventStore {
  constructor(
    private readonly path: string,
    private readonly writer: FileWorker<AppendAsked, AppendAnswer>,
    private readonly reader: EventReader,
    private readonly versions: StreamVersions,
    private readonly live: LiveEnd,
  ) {}

  async append(
    stream: string,
    expected: ExpectedVersion,
    events: NonEmpty<EventToAppend>,
  ): Promise<Appended | Conflict> {
    const answer = await this.ask(asked(stream, expected, events));
    switch (answer.outcome) {
      case 'appended':
      case 'repeated': {
        const position = positionOf(answer.position);
        // Of a repetition nobody was told yet: its first answer was lost.
        this.live.signal.moveTo(position);
        return { outcome: 'appended', repeated: answer.outcome === 'repeated', version: answer.version, position };
      }
      case 'conflict':
        return answer;
      case 'duplicate':
        throw new DuplicateEventError(answer.id);
      case 'full':
        throw new StorageFullError(answer.reason);
    }
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    return this.read((reader) => reader.readStream(stream, options));
  }

  async readFirst(streams: readonly string[]): Promise<readonly RecordedEvent[]> {
    return this.read((reader) => reader.readFirst(streams));
  }

  async readStreams(parts: readonly StreamPart[]): Promise<readonly (StreamSlice | undefined)[]> {
    return this.read((reader) => {
      const slices = reader.readStreams(parts);
      slices.forEach((slice, i) => slice && this.versions.learn(parts[i]!.stream, slice.version));
      return slices;
    });
  }

  async streamVersion(stream: string): Promise<number> {
    return this.read((reader) => {
      const known = this.versions.get(stream);
      if (known !== undefined) return known;
      const version = reader.streamVersion(stream);
      this.versions.learn(stream, version);
      return version;
    });
  }

  knownVersion(stream: string): number | undefined {
    return this.live.signal.isClosed ? undefined : this.versions.get(stream);
  }

  async readAll(options: ReadAllOptions): Promise<Page> {
    return this.given(this.read((reader) => reader.readAll(options)));
  }

  async head(): Promise<Position> {
    return this.read((reader) => positionOf(reader.head()));
  }

  async count(after: Position): Promise<number> {
    return this.read((reader) => reader.count(Number(after)));
  }

  localBytes(): number {
    return this.live.signal.isClosed ? 0 : this.reader.bytes();
  }

  subscribeAll(options: SubscribeOptions): AsyncIterable<SubscriptionItem> {
    const { signal, tail } = this.live;
    const read = (page: ReadAllOptions): Promise<Page> => {
      const known = tail.read(page);
      return known ? this.given(known) : this.readAll(page);
    };
    return livePages(read, signal, options);
  }

  private async given(page: Page): Promise<Page> {
    if (page.events.length >= LARGE_PAGE || !page.atHead) await nextTurn();
    return page;
  }

  async close(): Promise<void> {
    if (!this.live.signal.isClosed) {
      this.live.signal.close();
      // First, so that the writer is the last and takes the WAL with it.
      this.reader.close();
    }
    await this.writer.stop();
  }

  private async ask(request: AppendAsked): Promise<AppendAnswer> {
    const { stream } = request;
    this.versions.appendBegins(stream);
    try {
      const answer = await this.writer.request(request);
      const isLast = answer.outcome === 'appended' || answer.outcome === 'conflict';
      this.versions.appendEnds(stream, isLast ? answer.version : undefined);
      return answer;
    } catch (error) {
      this.versions.appendEnds(stream);
      throw new StoreUnavailableError((error as Error).message, { cause: error });
    }
  }

  /** What is wrong with the file is said like at its opening; what is wrong with the question stays as it is. */
  private read<T>(question: (reader: EventReader) => T): T {
    if (this.live.signal.isClosed) throw new StoreUnavailableError(`${this.path} is closed`);
    try {
      return question(this.reader);
    } catch (error) {
      if (sqliteCode(error) === undefined) throw error;
      const described = describeFileError(this.path, EVENT_LOG.name, error) as Error;
      throw new StoreUnavailableError(described.message, { cause: described });
    }
  }
}

/** What is a whole order, and small enough whatever it becomes, is sealed by the thread that writes it. */
function asked(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>): AppendAsked {
  const order = events[0].order;
  const unsealed = order?.unsealed;
  const isWhole = unsealed?.ids.length === events.length && unsealed.ids.every((id, i) => id === events[i]!.id);
  if (!unsealed || !isWhole || order.mostBytes > MAX_APPEND_BYTES)
    return { stream, expected, bytes: checkAppend(stream, expected, events), events };
  checkUnsealed(stream, expected, events);
  refuseUnpackable(unsealed);
  return { stream, expected, bytes: unsealed.utf8.length, events, unsealed };
}
