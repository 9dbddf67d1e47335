import { checkLimit } from '../checks.js';
import type { Position, StreamPart, StreamSlice } from '../port.js';
import type { LiveTail } from './live-tail.js';
import type { Reader } from './reader.js';

/**
 * A tail to which nothing comes for so long is not waited for: streams are read instead. One that lags and goes on is: to
 * read would take longer, in a process that is that busy.
 */
const MOST_STILL_MS = 1_000;

/**
 * Reads of parts of streams side by side. The server answers for one stream at a time; but of streams that the live tail
 * knows, whose parts lie beyond their ends, one question for the head answers all: once the tail has reached it, their
 * versions are those of now, whoever wrote to them.
 */
export class TailReads {
  private asking: Promise<unknown> = Promise.resolve();
  private next: Promise<Position> | undefined;

  constructor(
    private readonly reader: Pick<Reader, 'head'>,
    private readonly read: (part: StreamPart) => Promise<StreamSlice>,
  ) {}

  /** Each as `readStream` gives it, in their order. @throws RangeError, and what the server answers for one of them */
  async readStreams(tail: LiveTail | undefined, parts: readonly StreamPart[]): Promise<readonly StreamSlice[]> {
    for (const { limit } of parts) checkLimit(limit);
    const isOfNow =
      tail !== undefined &&
      parts.some((part) => emptyPart(tail, part)) &&
      (await tail.reached(await this.head(), MOST_STILL_MS));
    // The parts that the tail knows are answered in this turn, in which it is at the head.
    const answer = async (part: StreamPart): Promise<StreamSlice> =>
      (isOfNow ? emptyPart(tail, part) : undefined) ?? (await this.watched(tail, part));
    return Promise.all(parts.map(answer));
  }

  private async watched(tail: LiveTail | undefined, part: StreamPart): Promise<StreamSlice> {
    const learn = tail?.versions.watch(part.stream);
    const slice = await this.read(part);
    learn?.(slice.version);
    return slice;
  }

  /** The head as of now. One question at a time is under way: who asks meanwhile shares the next. */
  private head(): Promise<Position> {
    this.next ??= this.asking.then(() => {
      this.next = undefined;
      const head = this.reader.head();
      this.asking = head.catch(() => undefined);
      return head;
    });
    return this.next;
  }
}

/** The answer for a part that holds no event, as far as the tail knows; undefined for what is to be read. */
function emptyPart({ versions }: LiveTail, { stream, from }: StreamPart): StreamSlice | undefined {
  const version = versions.of(stream);
  return version !== undefined && from >= version ? { events: [], version } : undefined;
}
