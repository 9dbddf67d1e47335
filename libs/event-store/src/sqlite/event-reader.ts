import { type DatabaseSync } from '#lib/sqlite';

import { checkLimit } from '../checks.js';
import {
  type Page,
  type Position,
  positionOf,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type StreamSlice,
} from '../port.js';

interface EventRow {
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly recordedAt: number;
  readonly text: string;
}

const DEFAULT_LIMIT = 1000;
/** A page ends after so many bytes of text, so that large events do not make pages of gigabytes. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** With a type filter one page looks at no more than this many events: about 20 milliseconds of the main thread. */
const FILTER_WINDOW = 16_384;

const COLUMNS = `
  events.position, streams.name AS stream, events.revision, lower(hex(events.id)) AS id, events.type,
  events.recorded_at AS recordedAt, events.text
  FROM events JOIN streams ON streams.id = events.stream`;
const OF_STREAM = 'events.stream = (SELECT id FROM streams WHERE name = ?)';

/** Reads on a connection of its own: a point read is cheaper than a message to the writing thread. */
export class EventReader {
  private readonly sql: ReturnType<typeof prepareStatements>;

  constructor(private readonly db: DatabaseSync) {
    this.sql = prepareStatements(db);
  }

  streamVersion(stream: string): number {
    return this.sql.version.get(stream)?.version ?? 0;
  }

  head(): number {
    return this.sql.head.get()!.head;
  }

  readStream(stream: string, { from, limit = DEFAULT_LIMIT, backwards = false }: ReadStreamOptions): StreamSlice {
    checkLimit(limit);
    // Version first: what is appended in between lies beyond it and is left out, so the two agree.
    const version = this.streamVersion(stream);
    if (version === 0) return { events: [], version };
    const last = version - 1;
    const rows = backwards
      ? this.sql.backwards.all(stream, Math.min(from ?? last, last), limit)
      : this.sql.forwards.all(stream, from ?? 0, version, limit);
    return { events: rows.map(recorded), version };
  }

  readAll({ after, limit, types }: ReadAllOptions): Page {
    checkLimit(limit);
    const from = Number(after);
    const head = this.head();
    if (from >= head) return { events: [], scannedTo: after, atHead: true };
    const end = types ? Math.min(head, from + FILTER_WINDOW) : head;
    const rows = types
      ? this.sql.ofTypes.iterate(from, end, JSON.stringify(types), limit)
      : this.sql.all.iterate(from, end, limit);

    const events: RecordedEvent[] = [];
    let characters = 0;
    let isCut = false;
    for (const row of rows) {
      events.push(recorded(row));
      characters += row.text.length;
      if (events.length === limit || characters >= MAX_PAGE_CHARACTERS) {
        isCut = true;
        break;
      }
    }
    const scannedTo = isCut ? events.at(-1)!.position : positionOf(end);
    return { events, scannedTo, atHead: scannedTo === positionOf(head) };
  }

  close(): void {
    this.db.close();
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    version: db.prepare<{ version: number }>(
      'SELECT revision + 1 AS version FROM events WHERE ' + OF_STREAM + ' ORDER BY revision DESC LIMIT 1',
    ),
    head: db.prepare<{ head: number }>('SELECT coalesce(max(position), 0) AS head FROM events'),
    forwards: db.prepare<EventRow>(
      `SELECT ${COLUMNS} WHERE ${OF_STREAM} AND revision >= ? AND revision < ? ORDER BY revision LIMIT ?`,
    ),
    backwards: db.prepare<EventRow>(
      `SELECT ${COLUMNS} WHERE ${OF_STREAM} AND revision <= ? ORDER BY revision DESC LIMIT ?`,
    ),
    all: db.prepare<EventRow>(`SELECT ${COLUMNS} WHERE position > ? AND position <= ? ORDER BY position LIMIT ?`),
    ofTypes: db.prepare<EventRow>(
      `SELECT ${COLUMNS} WHERE position > ? AND position <= ? AND type IN (SELECT value FROM json_each(?))
       ORDER BY position LIMIT ?`,
    ),
  };
}

function recorded(row: EventRow): RecordedEvent {
  return { ...row, position: String(row.position) as Position };
}
