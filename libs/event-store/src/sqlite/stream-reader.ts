import { join } from 'node:path';

import { type DatabaseSync, describingFileErrors, eachRow, openStoreFileForReading, type Statement } from '#lib/sqlite';

import { type EventStore, type Position, positionOf, type RecordedEvent } from '../port.js';
import { EventReader } from './event-reader.js';
import { charactersOf, COLUMNS, type EventRow, recorded } from './event-rows.js';
import { EVENT_LOG } from './event-schema.js';

/** What a store is asked by whoever only reads it. */
export type StoreReads = Pick<EventStore, 'readStream' | 'readFirst' | 'streamVersion' | 'readAll' | 'head'>;

/** A stream and where its first event stands, which of a damaged stream need not be its revision 0. */
export interface StreamPlace {
  /** Streams are numbered in the order in which they began. */
  readonly number: number;
  readonly stream: string;
  readonly first: Position;
}

/** The streams of a data folder, for a thread that reads them beside its owner. Holds nothing up. */
export interface StreamReader extends StoreReads {
  /** Streams whose names begin with `prefix` and that hold an event, behind the one of that number, in order. */
  streamsAfter(number: number, prefix: string, limit: number): StreamPlace[];
  /**
   * Whole streams, each as `readStream` gives it, in one question. A stream whose end lies beyond so many characters of
   * text is left out, and so is one that has no event.
   */
  readWhole(streams: readonly string[], maxCharacters: number): ReadonlyMap<string, readonly RecordedEvent[]>;
  /** Those of these streams that were ever begun: each other has no event. */
  known(streams: readonly string[]): ReadonlySet<string>;
  close(): void;
}

/** @param folder path of the data folder @throws DataFileError, by each question too */
export function openStreamReader(folder: string): StreamReader {
  const path = join(folder, 'events.db');
  return new SqliteStreamReader(path, openStoreFileForReading(path, EVENT_LOG));
}

class SqliteStreamReader implements StreamReader {
  private readonly reader: EventReader;
  private readonly sql: ReturnType<typeof prepareStatements>;

  constructor(
    private readonly path: string,
    db: DatabaseSync,
  ) {
    this.reader = new EventReader(db);
    this.sql = prepareStatements(db);
  }

  readStream: EventStore['readStream'] = async (stream, options = {}) =>
    this.asked(() => this.reader.readStream(stream, options));

  readFirst = async (streams: readonly string[]) => this.asked(() => this.reader.readFirst(streams));

  streamVersion: EventStore['streamVersion'] = async (stream) => this.asked(() => this.reader.streamVersion(stream));

  readAll: EventStore['readAll'] = async (options) => this.asked(() => this.reader.readAll(options));

  head: EventStore['head'] = async () => positionOf(this.asked(() => this.reader.head()));

  streamsAfter(number: number, prefix: string, limit: number): StreamPlace[] {
    const rows = this.asked(() => this.sql.streams.all(number, prefix, endOf(prefix), limit));
    return rows.map(([id, stream, first]) => ({ number: id, stream, first: positionOf(first) }));
  }

  readWhole(streams: readonly string[], maxCharacters: number): ReadonlyMap<string, readonly RecordedEvent[]> {
    const whole = new Map<string, RecordedEvent[]>();
    let characters = 0;
    this.asked(() => {
      for (const row of eachRow(this.sql.whole, JSON.stringify(streams))) {
        const stream = row[6];
        characters += charactersOf(row);
        if (characters > maxCharacters) return whole.delete(stream);
        const events = whole.get(stream);
        if (events) events.push(recorded(row, stream));
        else whole.set(stream, [recorded(row, stream)]);
      }
      return true;
    });
    return whole;
  }

  known(streams: readonly string[]): ReadonlySet<string> {
    return new Set(this.asked(() => this.sql.known.all(JSON.stringify(streams))).map(([name]) => name));
  }

  close(): void {
    this.reader.close();
  }

  private asked<T>(question: () => T): T {
    return describingFileErrors(this.path, EVENT_LOG.name, question);
  }
}

/** The first name that comes after all that begin with a prefix. */
function endOf(prefix: string): string {
  const last = prefix.length - 1;
  return prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
}

function prepareStatements(db: DatabaseSync) {
  const prepare = <R>(sql: string): Statement<R> => {
    const statement = db.prepare<R>(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const first = '(SELECT position FROM events WHERE stream = streams.id ORDER BY revision LIMIT 1)';
  return {
    // By number and not by name, so that one page follows on the other: the names' index is kept out of it.
    streams: prepare<[id: number, name: string, first: number]>(
      `SELECT id, name, ${first} AS first FROM streams
       WHERE id > ? AND +name >= ? AND +name < ? AND first IS NOT NULL ORDER BY id LIMIT ?`,
    ),
    known: prepare<[name: string]>('SELECT name FROM streams WHERE name IN (SELECT value FROM json_each(?))'),
    whole: prepare<EventRow>(
      `SELECT ${COLUMNS}, streams.name
       FROM streams JOIN events ON events.stream = streams.id
       WHERE streams.id IN (SELECT id FROM streams WHERE name IN (SELECT value FROM json_each(?)))
       ORDER BY events.stream, revision`,
    ),
  };
}
