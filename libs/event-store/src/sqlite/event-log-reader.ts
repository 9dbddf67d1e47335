import { join } from 'node:path';

import { describingFileErrors, openStoreFileForReading, type Statement } from '#lib/sqlite';

import { type Position, type RecordedEvent } from '../port.js';
import { EVENT_LOG } from './event-schema.js';

type Row = readonly [
  position: number,
  revision: number,
  id: string,
  type: string,
  recordedAt: number,
  text: string,
  stream: string,
];

/** Rows that one call to the driver gives; larger fetches gain nothing. */
const FETCH = 256;

/** The event log of a data folder, for a thread that reads it beside its owner. Holds nothing up. */
export interface EventLogReader {
  /**
   * Every event whose position lies in (after, to], in order; a row that names no stream is not among them.
   * @throws DataFileError where the file cannot be read, a damaged page among them
   */
  range(after: number, to: number): RecordedEvent[];
  close(): void;
}

/** @param folder path of the data folder @throws DataFileError */
export function openEventLogReader(folder: string): EventLogReader {
  const path = join(folder, 'events.db');
  const db = openStoreFileForReading(path, EVENT_LOG);
  const statement: Statement<Row> = db.prepare(
    `SELECT position, revision, lower(hex(events.id)), type, recorded_at, text, streams.name
     FROM events JOIN streams ON streams.id = events.stream
     WHERE position > ? AND position <= ? ORDER BY position LIMIT ${FETCH}`,
  );
  statement.setReturnArrays(true);
  const range = (after: number, to: number): RecordedEvent[] => {
    const events: RecordedEvent[] = [];
    for (let seen = after; ;) {
      const rows = statement.all(seen, to);
      for (const row of rows) events.push(recorded(row));
      if (rows.length < FETCH) return events;
      seen = rows.at(-1)![0];
    }
  };
  return {
    range: (after, to) => describingFileErrors(path, EVENT_LOG.name, () => range(after, to)),
    close: () => db.close(),
  };
}

function recorded([position, revision, id, type, recordedAt, text, stream]: Row): RecordedEvent {
  return { stream, revision, position: String(position) as Position, id, type, text, recordedAt };
}
