import { comparePositions, type Position } from '#lib/event-store';

import type { Following } from './following.js';
import type { HistoryPages } from './history-pages.js';
import type { Selected } from './live-batch.js';
import type { Shown } from './live-event.js';
import type { LogPlaces } from './log-places.js';
import type { Selection } from './selection.js';

/** Why a reader is given nothing more: too slow, this process stops, all is given that was asked for, or its owner closed it. */
export type EndReason = 'slow_reader' | 'server_stopping' | 'up_to_date' | 'closed';

export type TailItem =
  | {
      readonly kind: 'events';
      /** At least one, in the order of the log. */
      readonly events: readonly Shown[];
      /** The same as server-sent events; shared with other readers, and not to be changed. */
      readonly frames: Buffer;
    }
  /** The last item. What comes after `resumeAfter` was not given. */
  | { readonly kind: 'ended'; readonly reason: EndReason; readonly resumeAfter: Position };

/** What a reader of the log stands on. */
export interface ReaderParts {
  readonly following: Following;
  readonly history: HistoryPages;
  readonly selection: Selection;
  readonly places: LogPlaces;
  readonly onEnd: () => void;
  /** Where it ends by itself; never where undefined. */
  readonly until: Position | undefined;
}

/**
 * One who follows the log: what it missed is read for it alone, and from there on it shares what is read for all. It pulls;
 * one that pulls too slowly ends, so that nothing waits for it in memory.
 */
export class TailReader implements AsyncIterable<TailItem> {
  private isLive = false;
  private over: EndReason | undefined;
  private wake: (() => void) | undefined;
  private isDone = false;

  private readonly following: Following;

  constructor(
    private readonly parts: ReaderParts,
    private cursor: Position,
  ) {
    this.following = parts.following;
  }

  /** A place as its reader is told it. */
  idOf(position: string): string {
    return this.parts.places.idOf(position);
  }

  /** Everything up to here was given, or is not for this reader. */
  get position(): Position {
    return this.cursor;
  }

  /** Whether whoever takes long over what it was given is to be waited for no longer: it was closed, or is too slow. */
  get mustEnd(): boolean {
    return this.over !== undefined || (this.isLive && this.following.next(this.cursor) === 'gone');
  }

  /**
   * Not to be called again before it has answered. After `ended` there is nothing.
   * @throws what the store throws while it reads what was missed
   */
  async next(): Promise<TailItem> {
    for (;;) {
      if (this.over !== undefined) return this.end(this.over);
      const { until } = this.parts;
      if (until !== undefined && comparePositions(this.cursor, until) >= 0) return this.end('up_to_date');
      const selected = await this.look();
      // Closed meanwhile.
      if (this.over !== undefined) return this.end(this.over);
      if (selected === 'gone') return this.end('slow_reader');
      if (selected === 'wait') {
        await this.changed();
        continue;
      }
      this.cursor = selected.upTo;
      if (selected.events.length === 0) continue;
      return {
        kind: 'events',
        get events() {
          return selected.shown;
        },
        get frames() {
          return selected.frames;
        },
      };
    }
  }

  /** Ends it, also where it waits. Again changes nothing. */
  close(reason: EndReason = 'closed'): void {
    this.over ??= reason;
    this.wake?.();
    this.end(this.over);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TailItem, void, undefined> {
    try {
      for (;;) {
        const item = await this.next();
        yield item;
        if (item.kind === 'ended') return;
      }
    } finally {
      this.close();
    }
  }

  private async look(): Promise<Selected | 'wait' | 'gone'> {
    if (!this.isLive) {
      if (!this.following.canJoin(this.cursor)) {
        const missed = await this.parts.history.after(this.cursor);
        if (missed.upTo !== this.cursor) return missed;
        // Looked at again after the reading: whoever waits for what came meanwhile waits for ever.
        if (!this.following.canJoin(this.cursor)) return 'wait';
      }
      this.isLive = true;
    }
    const next = this.following.next(this.cursor);
    return typeof next === 'string' ? next : next.select(this.parts.selection, this.cursor);
  }

  private async changed(): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.following.onceChanged(resolve);
      this.wake = () => {
        forget();
        resolve();
      };
    });
    this.wake = undefined;
  }

  private end(reason: EndReason): TailItem {
    if (!this.isDone) {
      this.isDone = true;
      this.over ??= reason;
      this.parts.onEnd();
    }
    return { kind: 'ended', reason, resumeAfter: this.cursor };
  }
}
