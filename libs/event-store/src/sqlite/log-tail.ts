import {
  type EventToAppend,
  type Page,
  type Position,
  positionOf,
  type ReadAllOptions,
  type RecordedEvent,
} from '../port.js';

/** An append that was committed, as it was asked for. */
export interface TailAppend {
  readonly stream: string;
  /** Of the texts, UTF-8. */
  readonly bytes: number;
  readonly events: readonly EventToAppend[];
  /** Number of events in the stream after the append. */
  readonly version: number;
  /** Position of the last event. */
  readonly position: number;
  readonly recordedAt: number;
}

/** An event of the tail. It has no string of its own for its text: one is made for each reader who asks. */
class TailEvent implements RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly position: Position;

  constructor(
    private readonly appended: EventToAppend,
    readonly stream: string,
    readonly revision: number,
    position: number,
    readonly recordedAt: number,
  ) {
    this.id = appended.id;
    this.type = appended.type;
    this.position = String(position) as Position;
  }

  get text(): string {
    return this.appended.text;
  }

  get utf8(): Uint8Array | undefined {
    return this.appended.utf8;
  }
}

/** The events of an append, with where the log has them. */
interface TailPart {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  readonly events: readonly TailEvent[];
}

/**
 * Some 400 jobs: what is appended in the quarter of a second in which the slowest subscriber writes its batch. Who is
 * further behind reads the file, which costs this thread more than following does.
 */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * The newest events of a log, without a gap, as this process appended them: a dozen subscribers who follow the log would
 * otherwise each read from the file what this process has just sent there.
 */
export class LogTail {
  private parts: TailPart[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Position of the newest event known here; 0 for none. */
  get last(): number {
    return this.parts.at(-1)?.last ?? 0;
  }

  /** Takes appends in the order of their positions. What does not follow on the last event begins a new tail. */
  push(append: TailAppend): void {
    const part = partOf(append);
    if (this.parts.length > 0 && part.first !== this.last + 1) this.forget();
    this.parts.push(part);
    this.bytes += part.bytes;
    while (this.bytes > this.maxBytes && this.parts.length > 1) this.bytes -= this.parts.shift()!.bytes;
  }

  /**
   * What lies beyond `after`, as the log would give it at the moment when the newest event here was its last; null where
   * something in between is not known here.
   */
  read({ after, limit, types }: ReadAllOptions): Page | null {
    const from = Number(after);
    if (this.parts.length === 0 || from > this.last || from + 1 < this.parts[0]!.first) return null;
    const events: RecordedEvent[] = [];
    for (let i = this.indexAfter(from); i < this.parts.length; i++) {
      const { first, events: there } = this.parts[i]!;
      for (let n = Math.max(0, from + 1 - first); n < there.length; n++) {
        const event = there[n]!;
        if (types && !types.includes(event.type)) continue;
        events.push(event);
        if (events.length < limit) continue;
        return { events, scannedTo: event.position, atHead: first + n === this.last, isOwn: true };
      }
    }
    return { events, scannedTo: positionOf(this.last), atHead: true, isOwn: true };
  }

  forget(): void {
    this.parts = [];
    this.bytes = 0;
  }

  /** Index of the first append with an event beyond a position; looked for from the end, where readers are. */
  private indexAfter(position: number): number {
    let i = this.parts.length;
    while (i > 0 && this.parts[i - 1]!.last > position) i--;
    return i;
  }
}

function partOf({ stream, bytes, events, version, position: last, recordedAt }: TailAppend): TailPart {
  const count = events.length;
  const first = last - count + 1;
  const there = events.map((event, n) => new TailEvent(event, stream, version - count + n, first + n, recordedAt));
  return { bytes, first, last, events: there };
}
