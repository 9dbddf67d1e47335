import { LruMap } from '../lru-map.js';

/** With names of at most MAX_NAME characters, about 10 MB; the streams asked for longest ago go first. */
const MAX_STREAMS = 10_000;
const MAX_NAME = 512;

interface Watched {
  /** Undefined until the stream was read. */
  version: number | undefined;
  /** Number of events that it has at least, by those that came meanwhile. */
  least: number;
}

/**
 * Versions of streams as of the end of the live tail: each was read once, and is counted on from then by what comes. Who
 * wants them as of now waits until the tail reaches the head.
 */
export class TailVersions {
  private streams = new LruMap<string, Watched>(MAX_STREAMS);
  /** True where every stream of the log is counted: what is not here is not there. */
  private isWhole = false;
  private count = 0;

  /** The tail begins with the log: nothing was read, and nothing need be, as long as all its streams have room here. */
  beginsWithTheLog(): void {
    this.isWhole = true;
  }

  /** Undefined where the stream must be read. */
  of(stream: string): number | undefined {
    const watched = this.streams.get(stream);
    return watched ? watched.version : this.isWhole ? 0 : undefined;
  }

  /** Called before a stream is read, so that nothing is missed that comes meanwhile; the answer takes what was read. */
  watch(stream: string): (version: number) => void {
    const watched = this.streams.get(stream) ?? this.added(stream, { version: undefined, least: 0 });
    return (version) => void (watched.version = Math.max(version, watched.version ?? 0, watched.least));
  }

  /** What came at the end of the tail. */
  saw(stream: string, revision: number): void {
    const watched =
      this.streams.get(stream) ?? (this.isWhole ? this.added(stream, { version: 0, least: 0 }) : undefined);
    if (!watched) return;
    watched.least = Math.max(watched.least, revision + 1);
    if (watched.version !== undefined) watched.version = Math.max(watched.version, watched.least);
  }

  /** Of a stream that was deleted or cut short, what was read is no more. */
  forget(stream: string): void {
    this.isWhole = false;
    this.streams.delete(stream);
  }

  forgetAll(): void {
    this.isWhole = false;
    this.streams = new LruMap(MAX_STREAMS);
  }

  private added(stream: string, watched: Watched): Watched {
    const hasRoom = stream.length <= MAX_NAME;
    if (hasRoom) this.streams.set(stream, watched);
    // Half of what there is room for is kept in any case.
    if (!hasRoom || ++this.count === MAX_STREAMS / 2) this.isWhole = false;
    return watched;
  }
}
