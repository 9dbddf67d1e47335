import { comparePositions, type EventLog, positionOf, type Position, type RecordedEvent } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

export interface AuditFilter {
  readonly stream?: string;
  readonly type?: string;
  /** Only what this event caused, whatever stream it stands in. */
  readonly causation_id?: string;
  /** Only events at this position of the log or after it. */
  readonly from?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** Where an event stands, and who caused it. */
export interface AuditRow {
  readonly stream: string;
  readonly revision: number;
  /** Normal form of the principal. */
  readonly actor: string;
}

export interface RowPage {
  readonly rows: readonly AuditRow[];
  readonly next: string | null;
  /** Everything up to here is in the list. */
  readonly position: string;
}

/** Finds the place of an event by its id, also of one that was appended a moment ago; null where there is none. */
export interface EventPlaces {
  find(eventId: string): Promise<{ readonly stream: string; readonly revision: number } | null>;
}

const PAGE = 500;
/** So many events are looked through for what one caused before a page ends, found or not: no index holds it. */
const MOST_LOOKED_AT = 5_000;
const PREVIEW = 80;
const CURSOR = /^(0|[1-9]\d{0,18})$/;

/** Finds events by id and in lists, in the log itself: what is listed is never behind it. */
export class AuditIndex {
  constructor(
    private readonly places: EventPlaces,
    private readonly log: EventLog,
  ) {}

  async find(eventId: string): Promise<AuditRow | null> {
    const place = await this.places.find(eventId);
    if (!place) return null;
    const { events } = await this.log.store.readStream(place.stream, { from: place.revision, limit: 1 });
    return events[0]?.id === eventId ? this.row(events[0]) : null;
  }

  /** In the order of the log. @throws MaceError NOT_FOUND for a stream without events, INVALID_INPUT for a cursor that no such list gave */
  async page(filter: AuditFilter): Promise<RowPage> {
    const { cursor } = filter;
    if (cursor !== undefined && !CURSOR.test(cursor)) {
      throw new MaceError('INVALID_INPUT', 'query.cursor: next_cursor of the page before');
    }
    const head = await this.log.store.head();
    const { found, next } = filter.stream === undefined ? await this.ofLog(filter, head) : await this.ofStream(filter);
    return { rows: found.map((event) => this.row(event)), next, position: head };
  }

  /** The cursor is the position of the last event that was given. */
  private async ofLog({ type, causation_id: cause, from = 0, limit, cursor }: AuditFilter, head: Position) {
    const { store } = this.log;
    const found: RecordedEvent[] = [];
    let after = positionOf(cursor ?? Math.max(0, from - 1));
    if (store.eventAt && cursor === undefined && from > 0) {
      // Where positions are no numbers of events, none lies right before another.
      const first = await store.eventAt(positionOf(from));
      if (!first) throw new MaceError('INVALID_INPUT', `query.from: the position of an event; none lies at ${from}`);
      if ((type === undefined || first.type === type) && this.isCausedBy(cause, first)) found.push(first);
      after = positionOf(from);
    }
    const types = type === undefined ? {} : { types: [type] };
    // One more than is given tells whether there is a next page.
    for (let lookedAt = 0; found.length <= limit && comparePositions(after, head) < 0; lookedAt += PAGE) {
      if (cause !== undefined && lookedAt >= MOST_LOOKED_AT) return { found, next: after };
      const wanted = cause === undefined ? limit + 1 - found.length : PAGE;
      const page = await store.readAll({ after, limit: Math.min(PAGE, wanted), ...types });
      found.push(...page.events.filter((event) => this.isCausedBy(cause, event)));
      if (page.atHead) break;
      after = page.scannedTo;
    }
    return given(found, limit, ({ position }) => position);
  }

  /** The cursor is the revision of the next event to look at. */
  private async ofStream({ stream, type, causation_id: cause, from = 0, limit, cursor }: AuditFilter) {
    const found: RecordedEvent[] = [];
    const first = positionOf(from);
    for (let revision = Number(cursor ?? 0); found.length <= limit;) {
      const { events, version } = await this.log.store.readStream(stream!, { from: revision, limit: PAGE });
      if (version === 0) throw new MaceError('NOT_FOUND', `no stream ${stream!.slice(0, PREVIEW)}`);
      const wanted = events.filter(
        (event) =>
          (type === undefined || event.type === type) &&
          comparePositions(event.position, first) >= 0 &&
          this.isCausedBy(cause, event),
      );
      found.push(...wanted);
      if (events.length < PAGE) break;
      revision += events.length;
    }
    return given(found, limit, ({ revision }) => String(revision + 1));
  }

  /** As its signed text says. One that nobody signed is found too: whoever looks at it finds that. */
  private isCausedBy(cause: string | undefined, event: RecordedEvent): boolean {
    if (cause === undefined) return true;
    if (!event.text.includes(`"$causationId":"${cause}"`)) return false;
    const signed = this.log.codec.signedAlone(event);
    return !signed || signed.metadata.$causationId === cause;
  }

  private row(event: RecordedEvent): AuditRow {
    const { stream, revision } = event;
    // Nobody's where nobody signed it; whoever looks at it then finds that.
    return { stream, revision, actor: this.log.codec.signedAlone(event)?.metadata.actor.id ?? '' };
  }
}

function given(found: readonly RecordedEvent[], limit: number, cursorOf: (last: RecordedEvent) => string) {
  const events = found.slice(0, limit);
  return { found: events, next: found.length > limit ? cursorOf(events.at(-1)!) : null };
}
