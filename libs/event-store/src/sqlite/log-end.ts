import { existsSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { DataFileError, describingFileErrors, NewerFormatError, openDatabase } from '#lib/sqlite';

import { EVENT_LOG } from './event-schema.js';

/** What the end of a log says of it. */
export interface LogEnd {
  /** Position of the last event; 0 where there is none. */
  readonly position: number;
  /** Milliseconds since the Unix epoch at which it was taken; null where there is none. */
  readonly recordedAt: number | null;
  /** Its stored text; null where there is none. */
  readonly text: string | null;
  /** Stored texts of one stream, in their order. */
  readonly ofStream: readonly string[];
  /** Those of another that were stored last, newest first. */
  readonly newestOfStream: readonly string[];
  /** True where the last process ended before it had brought everything into the file: the newest events may lie beside it. */
  readonly isBehind: boolean;
  /** Events in the file; positions count them from 1. */
  readonly count: number;
  /** The first position without an event; null where none is missing. */
  readonly gapAt: number | null;
  /** Streams whose revisions do not count their events from 0, at most `MOST_STREAMS` of them. */
  readonly broken: readonly BrokenStream[];
}

export interface BrokenStream {
  readonly name: string;
  readonly events: number;
  readonly lastRevision: number;
}

const MOST_STREAMS = 3;

/**
 * Looks at the end of events.db where nobody works on it, and leaves no trace: no lock, no file beside it, no write.
 * @param streams whose events are wanted too, at most 1000 of each: the first `of` the one, the newest of the other
 * @throws DataFileError, NewerFormatError
 */
export function logEndAtRest(path: string, streams: { readonly of: string; readonly newestOf: string }): LogEnd {
  return describingFileErrors(path, EVENT_LOG.name, () => {
    const db = openDatabase(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
    try {
      const version = numberOf(db.prepare('PRAGMA user_version').get()?.['user_version']);
      if (version > EVENT_LOG.migrations.length) throw new NewerFormatError(path, version, EVENT_LOG.migrations.length);
      if (version === 0) {
        throw new DataFileError(path, `is not ${EVENT_LOG.name}`, 'Put back the newest copy of the data folder.');
      }
      const last = db.prepare('SELECT position, recorded_at, text FROM events ORDER BY position DESC LIMIT 1').get();
      const of = (stream: string, order: 'ASC' | 'DESC'): readonly string[] =>
        db
          .prepare(
            `SELECT text FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY revision ${order} LIMIT 1000`,
          )
          .all(stream)
          .map(({ text }) => String(text));
      return {
        position: numberOf(last?.['position']),
        recordedAt: last ? numberOf(last['recorded_at']) : null,
        text: last ? String(last['text']) : null,
        ofStream: of(streams.of, 'ASC'),
        newestOfStream: of(streams.newestOf, 'DESC'),
        isBehind: existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0,
        ...countOf(db),
        broken: brokenStreams(db),
      };
    } finally {
      db.close();
    }
  });
}

/** Counting reads an index alone; rows are read only where their number says that one is missing. */
function countOf(db: ReturnType<typeof openDatabase>): Pick<LogEnd, 'count' | 'gapAt'> {
  const [first, last] = ['min', 'max'].map((of) =>
    numberOf(db.prepare(`SELECT ${of}(position) AS n FROM events`).get()?.['n']),
  );
  const count = numberOf(db.prepare('SELECT count(*) AS n FROM events').get()?.['n']);
  if (last === count && (count === 0 || first === 1)) return { count, gapAt: null };
  const sql =
    'SELECT place FROM (SELECT position, row_number() OVER (ORDER BY position) AS place FROM events) WHERE position <> place LIMIT 1';
  const found = db.prepare(sql).get();
  return { count, gapAt: found ? numberOf(found['place']) : null };
}

function brokenStreams(db: ReturnType<typeof openDatabase>): readonly BrokenStream[] {
  const sql = `SELECT coalesce(s.name, '(none)') AS name, e.events, e.last FROM
      (SELECT stream, count(*) AS events, min(revision) AS first, max(revision) AS last FROM events GROUP BY stream) AS e
    LEFT JOIN streams AS s ON s.id = e.stream
    WHERE e.first <> 0 OR e.last <> e.events - 1 OR s.id IS NULL LIMIT ${MOST_STREAMS}`;
  const rows = db.prepare(sql).all();
  return rows.map(({ name, events, last }) => ({
    name: String(name),
    events: numberOf(events),
    lastRevision: numberOf(last),
  }));
}

function numberOf(value: unknown): number {
  return Number(value ?? 0);
}
