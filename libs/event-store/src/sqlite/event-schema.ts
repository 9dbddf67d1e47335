import { type StoreFileFormat } from '#lib/sqlite';

/**
 * Streams are kept under a number of their own: numbers are given in order, so the entries of new streams in both
 * indexes lie beside each other and a group commit writes few pages. With stream names in the index the durable append
 * had less than half the rate.
 *
 * Event ids are unique within their stream. A store-wide unique index was measured too: ids are hashes, each insert
 * lands on another page, and the rate falls to under a half, further with each million events.
 */
export const EVENT_LOG: StoreFileFormat = {
  name: 'the event log',
  pageSize: 8192,
  migrations: [
    `
    CREATE TABLE streams (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE
    ) STRICT;

    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      stream INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      id BLOB NOT NULL,
      type TEXT NOT NULL,
      recorded_at INTEGER NOT NULL,
      text TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX events_by_revision ON events (stream, revision);
    CREATE UNIQUE INDEX events_by_id ON events (stream, id);

    CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
    CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'an event is never deleted'); END;
    CREATE TRIGGER streams_are_never_changed BEFORE UPDATE ON streams
    BEGIN SELECT RAISE(ABORT, 'a stream is never renamed'); END;
    CREATE TRIGGER streams_are_never_deleted BEFORE DELETE ON streams
    BEGIN SELECT RAISE(ABORT, 'a stream is never deleted'); END;
    `,
  ],
};
