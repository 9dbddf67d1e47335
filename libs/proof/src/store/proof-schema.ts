import type { StoreFileFormat } from '#lib/sqlite';

/**
 * One row a leaf. `nodes` holds every subtree that the leaf completes, itself first: the one of level l and index i lies
 * in the row of leaf (i + 1) * 2^l - 1, from byte 32 * l on. So all nodes of the tree are kept, 64 bytes a leaf, by one
 * insert a leaf.
 */
export const PROOF_LOG: StoreFileFormat = {
  name: 'the Merkle log',
  migrations: [
    `
    CREATE TABLE leaves (
      leaf INTEGER PRIMARY KEY,
      position INTEGER NOT NULL,
      -- First 8 bytes of the event_id as a signed number. Others may share them: the event itself tells.
      event INTEGER NOT NULL,
      nodes BLOB NOT NULL
    ) STRICT;

    -- Leaves by their events, brought up to date for thousands at once: one by one each would rewrite a page of its own.
    CREATE TABLE leaves_by_event (event INTEGER, leaf INTEGER, PRIMARY KEY (event, leaf)) STRICT, WITHOUT ROWID;
    CREATE TABLE indexed (leaves INTEGER NOT NULL) STRICT;
    INSERT INTO indexed (leaves) VALUES (0);

    CREATE TABLE checkpoints (
      number INTEGER PRIMARY KEY,
      origin TEXT NOT NULL,
      size INTEGER NOT NULL,
      position INTEGER NOT NULL,
      root TEXT NOT NULL,
      note TEXT NOT NULL,
      made_at TEXT NOT NULL,
      -- Proof of RFC 9162 from the size of the checkpoint before: hashes of 32 bytes.
      consistency BLOB NOT NULL
    ) STRICT;

    -- One row. Whoever begins to write raises the epoch; a writer that finds another one writes nothing any more.
    CREATE TABLE writer (epoch INTEGER NOT NULL) STRICT;
    INSERT INTO writer (epoch) VALUES (0);
    `,
  ],
};

/** The first 8 bytes of an event_id as SQLite orders whole numbers. */
export function eventPrefix(eventId: string): bigint {
  return Buffer.from(eventId.slice(0, 16), 'hex').readBigInt64BE();
}
