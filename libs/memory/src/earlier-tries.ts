import { type EventLog, type LoggedEvent, LruMap, type RecordedEvent } from '#lib/event-store';

/** Which seeds a stream's events of the last 24 hours carry, up to a version; never one too few. */
interface SeedIndex {
  version: number;
  readonly seeds: Set<string>;
}

/** A shorter stream is read as fast as it is indexed. */
const MIN_INDEXED = 64;
const MAX_SEEDS = 20_000;
const MAX_STREAMS = 256;
const SLICE = 1000;

/**
 * Finds what an earlier try of the same command wrote. Most commands have none, and on a stream with many writes that
 * must not cost a read of them all: the seeds of such streams are remembered and followed.
 */
export class EarlierTries {
  private readonly indexes = new LruMap<string, SeedIndex>(MAX_STREAMS);

  constructor(private readonly log: EventLog) {}

  /** The newest event of a seed among those of a stream recorded since a moment. */
  async inWindow(stream: string, seed: string, sinceMs: number, version: number): Promise<LoggedEvent | null> {
    if (version >= MIN_INDEXED) {
      const index = await this.indexed(stream, sinceMs, version);
      if (index && !index.seeds.has(seed)) return null;
    }
    return this.log.findBySeed(stream, seed, sinceMs);
  }

  /** The event a seed numbered so, among those of a stream from a revision on. */
  async since(stream: string, seed: string, sequenceIndex: number, fromRevision: number): Promise<LoggedEvent | null> {
    for await (const recorded of this.forwards(stream, fromRevision)) {
      if (!seedsIn(recorded).includes(seed)) continue;
      const event = this.log.codec.decode(recorded);
      const { job_seed, sequence_index } = event.metadata;
      if (job_seed === seed && sequence_index === sequenceIndex) return event;
    }
    return null;
  }

  private async indexed(stream: string, sinceMs: number, version: number): Promise<SeedIndex | null> {
    const index = this.indexes.get(stream) ?? (await this.build(stream, sinceMs));
    for await (const recorded of this.forwards(stream, index.version)) {
      for (const seed of seedsIn(recorded)) index.seeds.add(seed);
      index.version = Math.max(index.version, recorded.revision + 1);
    }
    const whole = index.version >= version && index.seeds.size <= MAX_SEEDS;
    if (whole) this.indexes.set(stream, index);
    else this.indexes.delete(stream);
    return whole ? index : null;
  }

  private async build(stream: string, sinceMs: number): Promise<SeedIndex> {
    const seeds = new Set<string>();
    const { events, version } = await this.log.store.readStream(stream, { backwards: true, limit: SLICE });
    for (let slice = events; ;) {
      for (const recorded of slice) for (const seed of seedsIn(recorded)) seeds.add(seed);
      const last = slice.at(-1);
      if (!last || last.revision === 0 || last.recordedAt < sinceMs || seeds.size > MAX_SEEDS)
        return { version, seeds };
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
