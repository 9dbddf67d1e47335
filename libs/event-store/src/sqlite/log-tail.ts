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
  readonly events: readonly EventToAppend[];
  /** Number of events in the stream after the append. */
  readonly version: number;
  /** Position of the last event. */
  readonly position: number;
  readonly recordedAt: number;
}

/**
 * Some 400 jobs: what is appended in the quarter of a second in which the slowest subscriber writes its batch. Who is
 * further behind reads the file, which costs this thread more than following does.
 */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * The newest events of a log, without a gap, as this process appended them: a dozen subscribers who follow the log would
 * otherwise each read from the file what this process has just sent there.
 */
export class LogTail {
  private appends: TailAppend[] = [];
  private characters = 0;

  constructor(private readonly maxCharacters = MAX_CHARACTERS) {}

  /** Position of the newest event known here; 0 for none. */
  get last(): number {
    return this.appends.at(-1)?.position ?? 0;
  }

  /** Takes appends in the order of their positions. What does not follow on the last event begins a new tail. */
  push(append: TailAppend): void {
    if (this.appends.length > 0 && firstOf(append) !== this.last + 1) this.forget();
    this.appends.push(append);
    this.characters += charactersOf(append);
    while (this.characters > this.maxCharacters && this.appends.length > 1) {
      this.characters -= charactersOf(this.appends.shift()!);
    }
  }

  /**
   * What lies beyond `after`, as the log would give it at the moment when the newest event here was its last; null where
   * something in between is not known here.
   */
  read({ after, limit, types }: ReadAllOptions): Page | null {
    const from = Number(after);
    if (this.appends.length === 0 || from > this.last || from + 1 < firstOf(this.appends[0]!)) return null;
    const events: RecordedEvent[] = [];
    for (let i = this.indexAfter(from); i < this.appends.length; i++) {
      const { stream, events: appended, version, position, recordedAt } = this.appends[i]!;
      const count = appended.length;
      for (let n = 0; n < count; n++) {
        const at = position - count + 1 + n;
        const { id, type, text } = appended[n]!;
        if (at <= from || (types && !types.includes(type))) continue;
        const revision = version - count + n;
        events.push({ stream, revision, position: String(at) as Position, id, type, text, recordedAt });
        if (events.length === limit) return { events, scannedTo: positionOf(at), atHead: at === this.last };
      }
    }
    return { events, scannedTo: positionOf(this.last), atHead: true };
  }

  forget(): void {
    this.appends = [];
    this.characters = 0;
  }

  /** Index of the first append with an event beyond a position; looked for from the end, where readers are. */
  private indexAfter(position: number): number {
    let i = this.appends.length;
    while (i > 0 && this.appends[i - 1]!.position > position) i--;
    return i;
  }
}

function firstOf({ position, events }: TailAppend): number {
  return position - events.length + 1;
}

function charactersOf({ events }: TailAppend): number {
  let characters = 0;
  for (const { id, type, text } of events) characters += id.length + type.length + text.length;
  return characters;
}
