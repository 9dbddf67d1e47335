import { type EventStore, type EventToAppend, type NonEmpty, type Position } from '#lib/event-store';
import { type JsonObject, sha256Hex, type StoredEnvelope } from '#lib/kernel';
import { type Decode, type Projection } from '../projection.js';

/** A projection with every kind of change: puts, merges, deletes, two collections. */
export const notesProjection: Projection = {
  name: 'notes',
  version: 1,
  collections: [
    { name: 'notes', indexes: ['author'] },
    { name: 'authors', indexes: [] },
  ],
  types: ['NOTED', 'REMOVED', 'POISON'],
  project({ type, data, position }) {
    const {
      note,
      author,
      text = '',
    } = data as { readonly note: string; readonly author: string; readonly text?: string };
    if (type === 'POISON') throw new Error('cannot take this');
    if (type === 'REMOVED') return [{ op: 'delete', collection: 'notes', id: note }];
    return [
      { op: 'put', collection: 'notes', id: note, body: { author, text, at: position } },
      { op: 'merge', collection: 'authors', id: author, fields: { [note]: position } },
    ];
  },
};

/** Parses and nothing else; what the codec's decode does for events of the current version. */
export const parse: Decode = (recorded) => {
  const { data, metadata } = JSON.parse(recorded.text) as StoredEnvelope;
  const { type, stream, revision, position } = recorded;
  return { type, data, metadata, stream, revision, position };
};

let appended = 0;

export function noteEvent(type: string, data: JsonObject): EventToAppend {
  return {
    id: sha256Hex(`${process.pid}:${appended++}`),
    type,
    text: JSON.stringify({ data, metadata: { schema_version: 1 }, type }),
  };
}

/** Appends to a stream of its own; answers the position. */
export async function append(events: EventStore, ...given: NonEmpty<EventToAppend>): Promise<Position> {
  const result = await events.append(`notes-${given[0].id.slice(0, 12)}`, 'none', given);
  if (result.outcome !== 'appended') throw new Error('a new stream has no conflict');
  return result.position;
}

/** The i-th of a sequence of changes on few documents. */
export function nthNote(i: number): EventToAppend {
  const note = `n${(i * 7) % 41}`;
  if (i % 9 === 8) return noteEvent('REMOVED', { note });
  if (i % 9 === 4) return noteEvent('UNRELATED', {});
  return noteEvent('NOTED', { note, author: `a${i % 5}`, text: `text ${i}` });
}
