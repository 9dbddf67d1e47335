import { comparePositions, type Position } from '#lib/event-store';

import type { LiveEvent, Shown } from './live-event.js';
import type { Selection } from './selection.js';

/** What one kind of reader gets of a batch. */
export class Selected {
  private encoded: Buffer | undefined;

  constructor(
    readonly events: readonly LiveEvent[],
    private readonly selection: Selection,
    /** Everything up to here was looked at. */
    readonly upTo: Position,
  ) {}

  get shown(): readonly Shown[] {
    return this.events.map((event) => event.shown(this.selection.view));
  }

  /** All of them as server-sent events: one buffer, whoever asks for it. */
  get frames(): Buffer {
    const { view } = this.selection;
    const only = this.events.length === 1 ? this.events[0] : undefined;
    return (this.encoded ??= only ? only.frame(view) : Buffer.concat(this.events.map((event) => event.frame(view))));
  }

  get size(): number {
    return this.events.reduce((sum, { size }) => sum + size, 0);
  }
}

/** What came within a tenth of a second, for everybody who follows. */
export class LiveBatch {
  private selected = new Map<string, Selected>();
  private kept = 0;
  readonly size: number;

  /**
   * @param from everything after it and up to `upTo` is in `events`
   * @param maxKept bytes of selections that are kept for the next reader of their kind
   */
  constructor(
    readonly from: Position,
    readonly upTo: Position,
    readonly events: readonly LiveEvent[],
    private readonly maxKept: number,
  ) {
    this.size = events.reduce((sum, { size }) => sum + size, 0);
  }

  /** What a reader gets who was given everything up to `cursor`. */
  select(selection: Selection, cursor: Position): Selected {
    // Who read further than here by itself begins in the middle.
    if (comparePositions(cursor, this.from) > 0) return this.made(selection, cursor);
    const known = this.selected.get(selection.key);
    if (known) return known;
    const made = this.made(selection);
    if (this.kept + made.size <= this.maxKept) {
      this.kept += made.size;
      this.selected.set(selection.key, made);
    }
    return made;
  }

  /** Who still comes for it is late, and one of few. */
  forgetSelections(): void {
    this.selected = new Map();
    this.kept = this.maxKept;
  }

  private made(selection: Selection, after?: Position): Selected {
    const events = this.events.filter(
      (event) => selection.takes(event) && (after === undefined || comparePositions(event.position, after) > 0),
    );
    return new Selected(events, selection, this.upTo);
  }
}
