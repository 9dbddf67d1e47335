import { Gathered } from './gathered.js';
import { BEYOND_THE_END, type EventStore, type StreamPart, type StreamSlice } from './port.js';

type Reads = Pick<EventStore, 'readStream' | 'readStreams' | 'streamVersion' | 'knownVersion'>;

/**
 * Reads of streams, each as the store gives it. Those that are asked for side by side are one question, where the store
 * can (readStreams): a list whose items lead to a stream each costs what one of them does. Nothing is kept, and what is
 * wrong with one stream is told to nobody who asked for another.
 */
export class StreamReads {
  private readonly gathered = new Gathered<StreamPart, StreamSlice | undefined>((parts) => this.together(parts));

  constructor(private readonly store: Reads) {}

  /** @param limit 1 to 4096 */
  async slice(stream: string, from: number, limit: number): Promise<StreamSlice> {
    const together = this.store.readStreams && (await this.gathered.of({ stream, from, limit }));
    return together ?? this.store.readStream(stream, { from, limit });
  }

  async version(stream: string): Promise<number> {
    const known = this.store.knownVersion?.(stream);
    if (known !== undefined) return known;
    const together = this.store.readStreams && (await this.gathered.of({ stream, from: BEYOND_THE_END, limit: 1 }));
    return together?.version ?? this.store.streamVersion(stream);
  }

  /** Undefined for what is to be read by itself. */
  private async together(parts: readonly StreamPart[]): Promise<readonly (StreamSlice | undefined)[]> {
    const distinct = new Map(parts.map((part) => [nameOf(part), part]));
    const slices = distinct.size === 1 ? [] : await this.asked([...distinct.values()]);
    const byName = new Map([...distinct.keys()].map((name, i) => [name, slices[i]]));
    return parts.map((part) => byName.get(nameOf(part)));
  }

  private asked(parts: readonly StreamPart[]): Promise<readonly (StreamSlice | undefined)[]> {
    // Each then asks by itself, and is told what is wrong with its own stream.
    return this.store.readStreams!(parts).catch(() => []);
  }
}

function nameOf({ stream, from, limit }: StreamPart): string {
  return `${from} ${limit} ${stream}`;
}
