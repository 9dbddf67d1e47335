import { type DatabaseSync, eachRow, type Statement } from '#lib/sqlite';

import { checkLimit } from '../checks.js';
import {
  type Page,
  positionOf,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamPart,
  type StreamSlice,
} from '../port.js';
import { charactersOf, COLUMNS, type EventRow, recorded, type StreamRow } from './event-rows.js';

type OfPart = readonly [part: number, version: number | null];
/** A row for each event of a part, or one without an event; with the first of a part its stream's version, where there is the stream. */
type PartRow =
  | readonly [...StreamRow, ...OfPart]
  | readonly [position: null, revision: null, id: string, type: null, recordedAt: null, text: null, ...OfPart];

const DEFAULT_LIMIT = 1000;
/** A page ends after so many characters of text, so that large events do not make pages of gigabytes. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/**
 * So many rows are fetched at once, under 60 MiB of them (an append is under 1 MiB). Larger fetches gain nothing, and
 * fetching row by row costs half as much again.
 */
const FETCH = 64;
/** With a type filter one page looks at no more than this many events: about 20 milliseconds of the main thread. */
const FILTER_WINDOW = 16_384;

const OF_ALL = `${COLUMNS}, streams.name FROM events JOIN streams ON streams.id = events.stream`;
const OF_STREAM = 'FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?)';

/** Reads on a connection of its own: a point read is cheaper than a message to the writing thread. */
export class EventReader {
  private readonly sql: ReturnType<typeof prepareStatements>;

  constructor(private readonly db: DatabaseSync) {
    this.sql = prepareStatements(db);
  }

  streamVersion(stream: string): number {
    return this.sql.version.get(stream)?.[0] ?? 0;
  }

  head(): number {
    return this.sql.head.get()![0];
  }

  /** Of the file with all that is committed, whether it lies in the WAL yet or not. */
  bytes(): number {
    return this.sql.bytes.get()![0];
  }

  /** 1 where there is none. */
  first(): number {
    return this.sql.least.get()![0];
  }

  /** From the start it is the size of an index, which takes a hundredth of what reading the rows does. */
  count(after: number): number {
    return after === 0 ? this.sql.countAll.get()![0] : this.sql.countAfter.get(after)![0];
  }

  readStream(stream: string, { from, limit = DEFAULT_LIMIT, backwards = false }: ReadStreamOptions): StreamSlice {
    checkLimit(limit);
    if (backwards) return this.readBackwards(stream, from, limit);
    const first = from ?? 0;
    // One more than is wanted: where it is not there, the page ends with the stream's last event. Asking costs more.
    const rows = this.sql.forwards.all(stream, first, limit + 1);
    const events = rows.slice(0, limit).map((row) => recorded(row, stream));
    if (rows.length > 0 && rows.length <= limit) return { events, version: events.at(-1)!.revision + 1 };
    const version = this.streamVersion(stream);
    if (events.length === 0 && version > first) return this.readStream(stream, { from: first, limit });
    return { events, version };
  }

  readFirst(streams: readonly string[]): readonly RecordedEvent[] {
    return this.sql.first.all(JSON.stringify(streams)).map((row) => recorded(row, row[6]));
  }

  readStreams(parts: readonly StreamPart[]): readonly (StreamSlice | undefined)[] {
    for (const { limit } of parts) checkLimit(limit);
    const found = parts.map(() => ({ events: [] as RecordedEvent[], version: 0 }));
    let isTooLarge = false;
    let characters = 0;
    let last = -1;
    const asked = JSON.stringify(parts.map((part) => [part.stream, part.from, endOf(part)]));
    for (const row of eachRow(this.sql.parts, asked)) {
      const [part, version] = [row[6], row[7]];
      const slice = found[part]!;
      if (version !== null) slice.version = version;
      last = part;
      if (row[0] === null) continue;
      slice.events.push(recorded(row, parts[part]!.stream));
      characters += charactersOf(row);
      isTooLarge = characters >= MAX_PAGE_CHARACTERS;
      if (isTooLarge) break;
    }
    // The part at which it was broken off may have had more.
    return found.map((slice, i) => (isTooLarge && i >= last ? undefined : wholeOrNothing(slice, parts[i]!)));
  }

  private readBackwards(stream: string, from: number | undefined, limit: number): StreamSlice {
    // Version first: what is appended in between lies beyond it and is left out, so the two agree.
    const version = this.streamVersion(stream);
    if (version === 0) return { events: [], version };
    const last = Math.min(from ?? version, version - 1);
    return { events: this.sql.backwards.all(stream, last, limit).map((row) => recorded(row, stream)), version };
  }

  readAll({ after, limit, types }: ReadAllOptions): Page {
    checkLimit(limit);
    const from = Number(after);
    const head = this.head();
    if (from >= head) return { events: [], scannedTo: after, atHead: true };
    const end = types ? Math.min(head, from + FILTER_WINDOW) : head;
    const wanted = types && JSON.stringify(types);

    const events: RecordedEvent[] = [];
    let characters = 0;
    // Fetch after fetch gives what one would: what lies up to the head never changes.
    for (let seen = from; ;) {
      const count = Math.min(FETCH, limit - events.length);
      const rows = wanted ? this.sql.ofTypes.all(seen, end, wanted, count) : this.sql.all.all(seen, end, count);
      for (const row of rows) {
        events.push(recorded(row, row[6]));
        characters += charactersOf(row);
        if (events.length === limit || characters >= MAX_PAGE_CHARACTERS) {
          const scannedTo = positionOf(row[0]);
          return { events, scannedTo, atHead: row[0] === head };
        }
      }
      if (rows.length < count) return { events, scannedTo: positionOf(end), atHead: end === head };
      seen = rows.at(-1)![0];
    }
  }

  close(): void {
    this.db.close();
  }
}

function prepareStatements(db: DatabaseSync) {
  const prepare = <R>(sql: string): Statement<R> => {
    const statement = db.prepare<R>(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  return {
    version: prepare<[number]>(`SELECT revision + 1 ${OF_STREAM} ORDER BY revision DESC LIMIT 1`),
    head: prepare<[number]>('SELECT coalesce(max(position), 0) FROM events'),
    least: prepare<[number]>('SELECT coalesce(min(position), 1) FROM events'),
    bytes: prepare<[number]>('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size'),
    countAll: prepare<[number]>('SELECT count(*) FROM events'),
    countAfter: prepare<[number]>('SELECT count(*) FROM events WHERE position > ?'),
    forwards: prepare<StreamRow>(`SELECT ${COLUMNS} ${OF_STREAM} AND revision >= ? ORDER BY revision LIMIT ?`),
    backwards: prepare<StreamRow>(`SELECT ${COLUMNS} ${OF_STREAM} AND revision <= ? ORDER BY revision DESC LIMIT ?`),
    parts: prepare<PartRow>(
      `SELECT one.position, one.revision, lower(hex(one.id)), one.type, one.recorded_at, one.text, asked.key,
         CASE WHEN one.revision IS NULL OR one.revision = asked.value ->> 1
           THEN (SELECT revision + 1 FROM events WHERE stream = streams.id ORDER BY revision DESC LIMIT 1) END
       FROM json_each(?) AS asked
       LEFT JOIN streams ON streams.name = asked.value ->> 0
       LEFT JOIN events AS one
         ON one.stream = streams.id AND one.revision >= asked.value ->> 1 AND one.revision < asked.value ->> 2`,
    ),
    first: prepare<EventRow>(
      `SELECT ${OF_ALL} WHERE streams.name IN (SELECT value FROM json_each(?)) AND revision = 0 ORDER BY position`,
    ),
    all: prepare<EventRow>(`SELECT ${OF_ALL} WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`),
    ofTypes: prepare<EventRow>(
      `SELECT ${OF_ALL} WHERE position > ? AND position <= ? AND type IN (SELECT value FROM json_each(?))
       ORDER BY position LIMIT ?`,
    ),
  };
}

/** The revision before which a part ends. */
function endOf({ from, limit }: StreamPart): number {
  return Math.min(from + limit, Number.MAX_SAFE_INTEGER);
}

/** A stream in which events are missing is read in its own way, and so is one whose rows came in another order. */
function wholeOrNothing(slice: StreamSlice, { from, limit }: StreamPart): StreamSlice | undefined {
  const { events, version } = slice;
  const isWhole = events.length === Math.max(0, Math.min(limit, version - from));
  return isWhole && events.every(({ revision }, i) => revision === from + i) ? slice : undefined;
}
