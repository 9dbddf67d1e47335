import {
  type EventStore,
  type ReadStreamOptions,
  type RecordedEvent,
  type StoreReads,
  StoreUnavailableError,
  type StreamSlice,
} from '#lib/event-store';

/** What a range of jobs is read from. */
export interface RangeReads extends StoreReads {
  /** As `StreamReader.readWhole`; absent in a store that is asked for each stream by itself. */
  readWhole?(streams: readonly string[], maxCharacters: number): ReadonlyMap<string, readonly RecordedEvent[]>;
  /** As `StreamReader.known`; absent in a store that is asked for each stream by itself. */
  known?(streams: readonly string[]): ReadonlySet<string>;
}

/** What a range of jobs may take in memory, in UTF-16 units of text; the jobs beyond it are read one by one. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const DEFAULT_LIMIT = 1000;

/**
 * The log as one range of jobs is replayed from: its streams are read in one question, and whatever else a replay asks is
 * asked once for the range. Nothing that was read for one range is given to the next, and nothing is taken as verified.
 */
export class RangeStore implements EventStore {
  private whole: ReadonlyMap<string, readonly RecordedEvent[]> = new Map();
  private readonly slices = new Map<string, Promise<StreamSlice>>();
  private readonly versions = new Map<string, Promise<number>>();
  private readonly firsts = new Map<string, Promise<RecordedEvent | undefined>>();

  constructor(private readonly reads: RangeReads) {}

  /** Reads the streams of a range. */
  begin(streams: readonly string[]): void {
    this.end();
    this.whole = this.reads.readWhole?.(streams, MAX_CHARACTERS) ?? new Map<string, readonly RecordedEvent[]>();
  }

  /** Asks in one question which of these streams there are not: most of those that could stand beside jobs. */
  learnAbsent(streams: readonly string[]): void {
    const known = this.reads.known?.(streams);
    if (!known) return;
    for (const stream of streams) if (!known.has(stream)) this.versions.set(stream, Promise.resolve(0));
  }

  /** Forgets what was read. */
  end(): void {
    for (const kept of [this.slices, this.versions, this.firsts]) kept.clear();
    this.whole = new Map();
  }

  /** Of a stream of the range, where it was read with the others. */
  firstOf(stream: string): RecordedEvent | undefined {
    return this.whole.get(stream)?.[0];
  }

  /** Those with which the streams of the range end, of each that was read with the others. */
  ends(): readonly RecordedEvent[] {
    return [...this.whole.values()].map((events) => events.at(-1)!);
  }

  /** The newest event of a type in a stream of the range, where it was read with the others. */
  lastOf(stream: string, type: string): RecordedEvent | undefined {
    return this.whole.get(stream)?.findLast((event) => event.type === type);
  }

  readStream(stream: string, options: ReadStreamOptions = {}): Promise<StreamSlice> {
    const events = this.whole.get(stream);
    if (events && options.backwards !== true) return Promise.resolve(sliceOf(events, options));
    const { from = '', limit = '', backwards = false } = options;
    return kept(this.slices, `${stream} ${from} ${limit} ${backwards}`, () => this.reads.readStream(stream, options));
  }

  /** Absent would be: each by itself. */
  readFirst(streams: readonly string[]): Promise<readonly RecordedEvent[]> {
    const unread = streams.filter((stream) => !this.firsts.has(stream));
    if (unread.length > 0) {
      const read = this.read(unread);
      for (const stream of unread)
        this.firsts.set(
          stream,
          read.then((events) => events.find((event) => event.stream === stream)),
        );
    }
    const all = streams.map((stream) => this.firsts.get(stream)!);
    return Promise.all(all).then((events) => events.filter((event) => event !== undefined));
  }

  streamVersion(stream: string): Promise<number> {
    return kept(this.versions, stream, () => this.reads.streamVersion(stream));
  }

  readAll: EventStore['readAll'] = (options) => this.reads.readAll(options);

  head: EventStore['head'] = () => this.reads.head();

  append(): Promise<never> {
    return Promise.reject(new StoreUnavailableError('a sweep of replays appends nothing itself'));
  }

  subscribeAll(): never {
    throw new StoreUnavailableError('a sweep of replays follows nothing');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async read(streams: readonly string[]): Promise<readonly RecordedEvent[]> {
    if (this.reads.readFirst) return this.reads.readFirst(streams);
    const slices = await Promise.all(streams.map((stream) => this.reads.readStream(stream, { limit: 1 })));
    return slices.flatMap(({ events }) => events.filter(({ revision }) => revision === 0));
  }
}

function kept<T>(known: Map<string, Promise<T>>, name: string, ask: () => Promise<T>): Promise<T> {
  let answer = known.get(name);
  if (!answer) {
    answer = ask();
    known.set(name, answer);
  }
  return answer;
}

/** As a store reads them. */
function sliceOf(
  events: readonly RecordedEvent[],
  { from = 0, limit = DEFAULT_LIMIT }: ReadStreamOptions,
): StreamSlice {
  const version = events.at(-1)!.revision + 1;
  const behind = from === 0 ? events : events.filter(({ revision }) => revision >= from);
  return { events: behind.length <= limit ? behind : behind.slice(0, limit), version };
}
