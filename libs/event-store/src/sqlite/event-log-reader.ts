import { join } from 'node:path';

import { describingFileErrors, openStoreFileForReading, type Statement } from '#lib/sqlite';

import { type RecordedEvent } from '../port.js';
import { COLUMNS, type EventRow, recorded } from './event-rows.js';
import { EVENT_LOG } from './event-schema.js';

/** A row with the length in bytes of its text as it is stored. */
type Row = readonly [...EventRow, bytes: number];

/** Rows that one call to the driver gives; larger fetches gain nothing. */
const FETCH = 256;
/** Where the driver ends a text. */
const END = '\0';

/** The event log of a data folder, for a thread that reads it beside its owner. Holds nothing up. */
export interface EventLogReader {
  /**
   * Every event whose position lies in (after, to], in order, and from 0 on those too that stand before the first position;
   * a row that names no stream is not among them.
   * @throws DataFileError where the file cannot be read, a damaged page among them
   */
  range(after: number, to: number): RecordedEvent[];
  /**
   * Positions of those events that an index does not have, or has in another place: whoever reads their stream, or looks for
   * their id, does not find them. Of a stream that is not found by its name it is the first.
   * @throws DataFileError as above
   */
  hidden(after: number, to: number): ReadonlySet<number>;
  close(): void;
}

/** @param folder path of the data folder @throws DataFileError */
export function openEventLogReader(folder: string): EventLogReader {
  const path = join(folder, 'events.db');
  const db = openStoreFileForReading(path, EVENT_LOG);
  const statement: Statement<Row> = db.prepare(
    `SELECT ${COLUMNS}, streams.name, octet_length(text)
     FROM events JOIN streams ON streams.id = events.stream
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ${FETCH}`,
  );
  statement.setReturnArrays(true);
  // The plus keeps SQLite from going to the row by its number, past the index. Of a stream its first event tells.
  const hidden: Statement<readonly [position: number]> = db.prepare(
    `SELECT position FROM events JOIN streams ON streams.id = events.stream
     WHERE position > ? AND position <= ? AND NOT (
       EXISTS (SELECT 1 FROM events AS led
               WHERE led.stream IS events.stream AND led.revision IS events.revision AND +led.position = events.position)
       AND EXISTS (SELECT 1 FROM events AS led
                   WHERE led.stream IS events.stream AND led.id IS events.id AND +led.position = events.position)
       AND (revision > 0 OR EXISTS (SELECT 1 FROM streams AS led WHERE led.name IS streams.name AND +led.id = streams.id)))`,
  );
  hidden.setReturnArrays(true);
  const lowest = (after: number): number => (after === 0 ? Number.MIN_SAFE_INTEGER : after);
  const range = (after: number, to: number): RecordedEvent[] => {
    const events: RecordedEvent[] = [];
    for (let seen = lowest(after); ;) {
      const rows = statement.all(seen, to);
      for (const row of rows) events.push(asStored(row));
      if (rows.length < FETCH) return events;
      seen = rows.at(-1)![0];
    }
  };
  return {
    range: (after, to) => describingFileErrors(path, EVENT_LOG.name, () => range(after, to)),
    hidden: (after, to) =>
      describingFileErrors(
        path,
        EVENT_LOG.name,
        () => new Set(hidden.all(lowest(after), to).map(([position]) => position)),
      ),
    close: () => db.close(),
  };
}

/** What somebody wrote behind a text's end is not shown by the driver; here the event has another text for it. */
function asStored(row: Row): RecordedEvent {
  const event = recorded(row, row[6]);
  return Buffer.byteLength(event.text) === row[7] ? event : { ...event, text: `${event.text}${END}` };
}
