import { DamagedRowError, type SqlValue } from '#lib/sqlite';

import { type Position, type RecordedEvent } from '../port.js';

/**
 * A row of `events`; rows are read as arrays, since objects that the driver makes cost twice as much. The types are those
 * with which the table was made: somebody may have made it anew without.
 */
export type StreamRow = readonly [
  position: number,
  revision: number,
  id: string,
  type: string,
  recordedAt: number,
  text: string,
];
export type EventRow = readonly [...StreamRow, stream: string];

export const COLUMNS = 'position, revision, lower(hex(events.id)), type, recorded_at, text';

/**
 * A row as the event that it should be. What is no text is read as an empty one, which nobody has signed: whoever reads the
 * event says so, with its place.
 * @throws DamagedRowError for a row that has no place
 */
export function recorded(row: readonly [...StreamRow, ...unknown[]], stream: string): RecordedEvent {
  const [position, revision, id, type, recordedAt, text] = row;
  if (!Number.isSafeInteger(revision) || !Number.isSafeInteger(position))
    throw new DamagedRowError(`the event at position ${shown(position)} has the revision ${shown(revision)}`);
  return {
    stream: textOf(stream),
    revision,
    position: String(position) as Position,
    id,
    type: textOf(type),
    text: textOf(text),
    recordedAt: typeof recordedAt === 'number' ? recordedAt : 0,
  };
}

/** Characters of a row's text; 0 where it is none. */
export function charactersOf(row: readonly [...StreamRow, ...unknown[]]): number {
  return textOf(row[5]).length;
}

function textOf(value: SqlValue): string {
  return typeof value === 'string' ? value : '';
}

function shown(value: SqlValue): string {
  return String(value).slice(0, 40);
}
