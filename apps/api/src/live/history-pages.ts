import { comparePositions, type EventStore, type Position, type RecordedEvent } from '#lib/event-store';

import type { LiveEvent } from './live-event.js';
import type { LiveEvents } from './live-events.js';
import { Selected } from './live-batch.js';
import type { Selection } from './selection.js';

const PAGE = 256;

/** What one reader missed, a page at a time, as the log has it. */
export class HistoryPages {
  /** Of a followed stream: the revision to read next, once it is known. */
  private revision = 0;

  constructor(
    private readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'head'>,
    private readonly events: LiveEvents,
    private readonly selection: Selection,
  ) {}

  /** @throws what the store throws */
  after(cursor: Position): Promise<Selected> {
    const { stream } = this.selection;
    return stream === undefined ? this.ofLog(cursor) : this.ofStream(stream, cursor);
  }

  private async ofLog(cursor: Position): Promise<Selected> {
    const { types } = this.selection;
    const page = await this.store.readAll({ after: cursor, limit: PAGE, ...(types && { types }) });
    return this.selected(page.events, page.scannedTo);
  }

  /** Asked first, the head bounds what a stream without further events says of the whole log. */
  private async ofStream(stream: string, cursor: Position): Promise<Selected> {
    const head = await this.store.head();
    const { events, version } = await this.store.readStream(stream, { from: this.revision, limit: PAGE });
    const last = events.at(-1);
    const isWhole = this.revision + events.length >= version;
    const upTo = isWhole || !last || comparePositions(last.position, head) > 0 ? head : last.position;
    const missed = events.filter(
      ({ position }) => comparePositions(position, cursor) > 0 && comparePositions(position, upTo) <= 0,
    );
    // What lies beyond the head that was asked for is read again.
    this.revision += events.filter(({ position }) => comparePositions(position, upTo) <= 0).length;
    return this.selected(missed, comparePositions(upTo, cursor) > 0 ? upTo : cursor);
  }

  private async selected(recorded: readonly RecordedEvent[], upTo: Position): Promise<Selected> {
    const found: LiveEvent[] = [];
    for (const one of recorded) found.push(await this.events.of(one));
    return new Selected(
      found.filter((event) => this.selection.takes(event)),
      this.selection,
      upTo,
    );
  }
}
