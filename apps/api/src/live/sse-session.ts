import type { ServerResponse } from 'node:http';

/** One thing that is told live, for who reads no server-sent events. */
export interface LiveThing {
  readonly kind: 'event' | 'unverified' | 'progress';
  /** Who has it goes on after this position. */
  readonly position: string;
  readonly value: object;
}

/** Why there is nothing more, and where to go on. */
export interface LastWord {
  readonly error_code?: string;
  readonly reason: string;
  readonly resume_after: string;
}

/** What a stream of server-sent events is made of. */
export type SseItem =
  | { readonly kind: 'frames'; readonly bytes: Buffer; readonly things: readonly LiveThing[] }
  /** The last. */
  | { readonly kind: 'ended'; readonly event: string; readonly data: LastWord };

export interface SseSource {
  /** Called again once what it answered was written. */
  next(): Promise<SseItem>;
  /** Ends it, also where it waits; `next` then answers that it ended. */
  close(): void;
  /** Whether it has ended, so that nobody waits for a reader who does not read. */
  readonly mustEnd: boolean;
  /** Where a reader who has everything up to now goes on; what was answered last included. */
  readonly mark: string;
  /** A position as its reader is told it, to come again with. */
  idOf(position: string): string;
}

/** Why somebody may read no further; undefined while they may. */
export interface SseRefusal {
  readonly error_code: string;
  readonly reason: string;
}

/** Whether the reader still may: at once where that is known, as it is but after a revocation. */
export type SseCheck = () => SseRefusal | undefined | Promise<SseRefusal | undefined>;

export interface SsePace {
  /** Between two signs of life, ms. */
  readonly beatMs: number;
  /** How long a reader may take nothing, ms. */
  readonly stallMs: number;
  /** Between two looks at a reader who takes nothing, ms. */
  readonly lookMs: number;
  /** How long a reader has to take the last event, ms. */
  readonly farewellMs: number;
  /** After which a reader should come again, ms. */
  readonly retryMs: number;
}

export const SSE_PACE: SsePace = {
  beatMs: 15_000,
  stallMs: 30_000,
  lookMs: 500,
  farewellMs: 5_000,
  retryMs: 2_000,
};

export const SSE_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Nginx and those that follow it hold back what they could gather.
  'x-accel-buffering': 'no',
} as const;

const NOT_TAKEN = { error_code: 'WAIT_TIMEOUT', reason: 'slow_reader' };

/**
 * Writes a source to one reader, as fast as the reader takes it: of what is not taken yet at most one item lies in memory.
 * Signs of life are comments, with an id where one has moved without an event.
 */
export class SseSession {
  private told: string;
  private isWriting = true;
  private refusal: SseRefusal | undefined;
  private readonly beat: NodeJS.Timeout;
  readonly closed: Promise<void>;

  /** @param after where the reader says it is; it is told where that is if it says nothing */
  constructor(
    private readonly raw: ServerResponse,
    private readonly source: SseSource,
    private readonly check: SseCheck,
    after: string | undefined,
    private readonly pace: SsePace = SSE_PACE,
  ) {
    this.told = source.mark;
    raw.on('close', () => source.close());
    // What happens to the connection is told by its closing.
    raw.on('error', () => source.close());
    raw.write(`retry: ${pace.retryMs}\n${after === undefined ? `id: ${this.told}\n` : ''}\n`);
    this.beat = setInterval(() => void this.lookAgain(true), pace.beatMs);
    this.closed = this.run();
  }

  /** Looks whether the reader still may, as after a revocation. */
  async lookAgain(beats = false): Promise<void> {
    const refusal = this.check();
    const found = refusal instanceof Promise ? await refusal : refusal;
    if (found) return this.refuse(found);
    if (beats && !this.isWriting && !this.raw.writableEnded && !this.raw.destroyed) this.raw.write(this.sign());
  }

  private async run(): Promise<void> {
    try {
      for (;;) {
        this.isWriting = false;
        const item = await this.source.next();
        this.isWriting = true;
        const last = item.kind === 'ended' ? this.last(item.event, item.data) : await this.give(item.bytes);
        if (last !== undefined) return await this.end(last);
      }
    } catch {
      // The store failed while it was read: the reader comes again, and is told by then.
      await this.end(this.last('closed', { error_code: 'DATA_UNAVAILABLE', reason: 'the_log_cannot_be_read' }));
    } finally {
      clearInterval(this.beat);
      this.source.close();
    }
  }

  /** The last event where there is to be none after it. */
  private async give(bytes: Buffer): Promise<string | undefined> {
    const known = this.check();
    const refusal = known instanceof Promise ? await known : known;
    // What is not told any more is not part of where to go on.
    if (refusal) return this.last('closed', { ...refusal, resume_after: this.told });
    if (this.raw.destroyed) return undefined;
    this.told = this.source.mark;
    if (this.raw.write(bytes) || (await this.taken())) return undefined;
    return this.last('dropped', { ...NOT_TAKEN, resume_after: this.told });
  }

  /** Whether the reader took what was written, before it had to. */
  private taken(): Promise<boolean> {
    const { raw, source, pace } = this;
    return new Promise((resolve) => {
      const until = performance.now() + pace.stallMs;
      const finish = (isTaken: boolean) => (): void => {
        clearInterval(looking);
        raw.off('drain', drained).off('close', drained);
        resolve(isTaken);
      };
      const drained = finish(true);
      const late = finish(false);
      const looking = setInterval(() => {
        if (source.mustEnd) drained();
        else if (performance.now() > until) late();
      }, pace.lookMs);
      raw.on('drain', drained).on('close', drained);
    });
  }

  private sign(): string {
    const { mark } = this.source;
    if (mark === this.told) return ': still here\n\n';
    // Without data no event comes of it, and a reader who comes again need not go through what is not for it.
    this.told = mark;
    return `: still here\nid: ${mark}\n\n`;
  }

  private refuse(refusal: SseRefusal): void {
    this.refusal ??= refusal;
    this.source.close();
  }

  private last(event: string, data: object): string {
    const said = this.refusal ? { ...this.refusal, resume_after: this.told } : data;
    return `event: ${this.refusal ? 'closed' : event}\ndata: ${JSON.stringify(said)}\n\n`;
  }

  private async end(last: string): Promise<void> {
    const { raw } = this;
    if (raw.destroyed) return;
    await new Promise<void>((resolve) => {
      const given = setTimeout(() => raw.destroy(), this.pace.farewellMs);
      raw.once('close', () => {
        clearTimeout(given);
        resolve();
      });
      raw.end(last);
    });
  }
}
