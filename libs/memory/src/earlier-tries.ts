import { type EventLog, type LoggedEvent, LruMap, nextSlice, type RecordedEvent, sliceIsOver } from '#lib/event-store';

/**
 * Which seeds a stream's newest events carry, up to a version; never one too few of them, and seldom one too many. Their
 * hashes are kept: a seed that was found in a text would keep the whole text in memory.
 */
interface SeedIndex {
  readonly version: number;
  readonly seeds: Set<number>;
  readonly bytes: number;
}

/** A shorter stream is read as fast as it is indexed. */
const MIN_INDEXED = 64;
/** The newest events that are looked through; by number, since a store's clock may jump (docs/decisions/0005). */
export const WINDOW_EVENTS = 20_000;
const MAX_SEEDS = 2 * WINDOW_EVENTS;
const INDEXES_BYTES = 32 * 1024 * 1024;
/** Of a number in a set, and of the set. */
const SEED_BYTES = 40;
const SET_BYTES = 1024;
/** Events that are read at once: of the largest values some two MiB. */
const PAGE = 128;

/**
 * Finds what an earlier try of the same command wrote. Most commands have none, and on a stream with many writes that
 * must not cost a read of them all: the seeds of such streams are remembered and followed.
 */
export class EarlierTries {
  private readonly indexes = new LruMap<string, SeedIndex>(INDEXES_BYTES, ({ bytes }) => bytes);

  constructor(private readonly log: EventLog) {}

  /** The newest event of a seed among the newest WINDOW_EVENTS or more of a stream. */
  async inWindow(stream: string, seed: string, version: number): Promise<LoggedEvent | null> {
    if (version >= MIN_INDEXED) {
      const index = await this.indexed(stream, version);
      if (index && !index.seeds.has(hashOf(seed))) return null;
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
    const known = this.indexes.get(stream) ?? (await this.build(stream));
    const { seeds } = known;
    let reached = known.version;
    for await (const recorded of this.forwards(stream, reached)) {
      for (const seed of seedsIn(recorded)) seeds.add(hashOf(seed));
      reached = recorded.revision + 1;
    }
    const index = { version: reached, seeds, bytes: SET_BYTES + seeds.size * SEED_BYTES };
    const whole = reached >= version && seeds.size <= MAX_SEEDS;
    if (whole) this.indexes.set(stream, index);
    else this.indexes.delete(stream);
    return whole ? index : null;
  }

  private async build(stream: string): Promise<Pick<SeedIndex, 'version' | 'seeds'>> {
    const seeds = new Set<number>();
    const { events, version } = await this.log.store.readStream(stream, { backwards: true, limit: PAGE });
    for (let page = events; ;) {
      if (sliceIsOver()) await nextSlice();
      for (const recorded of page) for (const seed of seedsIn(recorded)) seeds.add(hashOf(seed));
      const last = page.at(-1);
      if (!last || last.revision === 0 || version - last.revision >= WINDOW_EVENTS) return { version, seeds };
      const older = await this.log.store.readStream(stream, { backwards: true, limit: PAGE, from: last.revision - 1 });
      page = older.events;
    }
  }

  private async *forwards(stream: string, fromRevision: number): AsyncGenerator<RecordedEvent> {
    for (let from = fromRevision; ;) {
      const { events } = await this.log.store.readStream(stream, { from, limit: PAGE });
      if (sliceIsOver()) await nextSlice();
      yield* events;
      if (events.length < PAGE) return;
      from += PAGE;
    }
  }
}

/** Every text that may be the event's seed: its own, and what content of that name holds. */
function seedsIn({ text }: RecordedEvent): string[] {
  return Array.from(text.matchAll(/"job_seed":"([^"\\]*)"/g), ([, seed]) => seed!);
}

/** FNV-1a, of 32 bits. Two seeds of one hash cost a look through the stream, and change no answer. */
function hashOf(seed: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
  return hash;
}
