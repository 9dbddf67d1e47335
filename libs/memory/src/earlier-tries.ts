import { type EventLog, type LoggedEvent, LruMap, type RecordedEvent } from '#lib/event-store';

/** Which seeds a stream's newest events carry, up to a version; never one too few of them. */
interface SeedIndex {
  version: number;
  readonly seeds: Set<string>;
}

/** A shorter stream is read as fast as it is indexed. */
const MIN_INDEXED = 64;
/** The newest events that are looked through; by number, since a store's clock may jump (docs/decisions/0005). */
export const WINDOW_EVENTS = 20_000;
const MAX_SEEDS = 2 * WINDOW_EVENTS;
const MAX_STREAMS = 256;
const SLICE = 1000;

/**
 * Finds what an earlier try of the same command wrote. Most commands have none, and on a stream with many writes that
 * must not cost a read of them all: the seeds of such streams are remembered and followed.
 */
export class EarlierTries {
  private readonly indexes = new LruMap<string, SeedIndex>(MAX_STREAMS);

  constructor(private readonly log: EventLog) {}

  /** The newest event of a seed among the newest WINDOW_EVENTS or more of a stream. */
  async inWindow(stream: string, seed: string, version: number): Promise<LoggedEvent | null> {
    if (version >= MIN_INDEXED) {
      const index = await this.indexed(stream, version);
      if (index && !index.seeds.has(seed)) return null;
    }
    return this.log.findBySeed(stream, seed, Number.NEGATIVE_INFINITY);
  }

  /** As inWindow, up to the stream's version of now. */
  async newest(stream: string, seed: string): Promise<LoggedEvent | null> {
    return this.inWindow(stream, seed, await this.log.store.streamVersion(stream));
  }

  /** The event a seed numbered so, among those of a stream from a revision on. */
  async since(stream: string, seed: string, sequenceIndex: number, fromRevision: number): Promise<LoggedEvent | null> {
    for await (const recorded of this.forwards(stream, fromRevision)) {
      if (!seedsIn(recorded).includes(seed)) continue;
      const event = this.log.codec.signedAlone(recorded);
      if (!event) continue;
      const { job_seed, sequence_index } = event.metadata;
      if (job_seed === seed && sequence_index === sequenceIndex) return event;
    }
    return null;
  }

  private async indexed(stream: string, version: number): Promise<SeedIndex | null> {
    const index = this.indexes.get(stream) ?? (await this.build(stream));
    for await (const recorded of this.forwards(stream, index.version)) {
      for (const seed of seedsIn(recorded)) index.seeds.add(seed);
      index.version = Math.max(index.version, recorded.revision + 1);
    }
    const whole = index.version >= version && index.seeds.size <= MAX_SEEDS;
    if (whole) this.indexes.set(stream, index);
    else this.indexes.delete(stream);
    return whole ? index : null;
  }

  private async build(stream: string): Promise<SeedIndex> {
    const seeds = new Set<string>();
    const { events, version } = await this.log.store.readStream(stream, { backwards: true, limit: SLICE });
    for (let slice = events; ;) {
      for (const recorded of slice) for (const seed of seedsIn(recorded)) seeds.add(seed);
      const last = slice.at(-1);
      if (!last || last.revision === 0 || version - last.revision >= WINDOW_EVENTS) return { version, seeds };
      const older = await this.log.store.readStream(stream, { backwards: true, limit: SLICE, from: last.revision - 1 });
      slice = older.events;
    }
  }

  private async *forwards(stream: string, fromRevision: number): AsyncGenerator<RecordedEvent> {
    for (let from = fromRevision; ;) {
      const { events } = await this.log.store.readStream(stream, { from, limit: SLICE });
      yield* events;
      if (events.length < SLICE) return;
      from += SLICE;
    }
  }
}

/** Every text that may be the event's seed: its own, and what content of that name holds. */
function seedsIn({ text }: RecordedEvent): string[] {
  return Array.from(text.matchAll(/"job_seed":"([^"\\]*)"/g), ([, seed]) => seed!);
}
