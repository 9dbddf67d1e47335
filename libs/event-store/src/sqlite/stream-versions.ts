import { LruMap } from '../lru-map.js';

const MAX_KNOWN = 50_000;

interface UnderWay {
  appends: number;
  /** Whether there was only one of them all the time. */
  alone: boolean;
}

/**
 * What a process knows of the versions of streams, so that it need not ask the file. Only one process may write in a
 * data folder, so a version changes only by an append of this one: nothing is known of a stream while an append to it is
 * under way, because reads may see it before its answer arrives, and no read may be older than another before it.
 */
export class StreamVersions {
  private known = new LruMap<string, number>(MAX_KNOWN);
  private readonly underWay = new Map<string, UnderWay>();

  /** Undefined where the file must be asked. */
  get(stream: string): number | undefined {
    return this.known.get(stream);
  }

  /** What the file said, in the same turn of the event loop. */
  learn(stream: string, version: number): void {
    if (!this.underWay.has(stream)) this.known.set(stream, version);
  }

  forget(): void {
    this.known = new LruMap(MAX_KNOWN);
  }

  appendBegins(stream: string): void {
    this.known.delete(stream);
    const others = this.underWay.get(stream);
    if (!others) this.underWay.set(stream, { appends: 1, alone: true });
    else {
      others.appends++;
      others.alone = false;
    }
  }

  /** With the stream's version where the append's answer says it; without where its outcome is unknown. */
  appendEnds(stream: string, version?: number): void {
    const underWay = this.underWay.get(stream);
    if (!underWay) throw new Error('an append ends that never began');
    if (--underWay.appends > 0) return;
    this.underWay.delete(stream);
    if (underWay.alone && version !== undefined) this.known.set(stream, version);
  }
}
