import { type StoreFileFormat } from '#lib/sqlite';

import { type SubjectKeyRecord } from '../subject-keys.js';

export const SUBJECT_KEYS: StoreFileFormat = {
  name: 'the subject key store',
  migrations: [
    `
    CREATE TABLE subject_keys (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      kid TEXT NOT NULL UNIQUE,
      subject TEXT NOT NULL,
      wrapped TEXT,
      wrapped_by TEXT,
      CHECK ((wrapped IS NULL) = (wrapped_by IS NULL))
    ) STRICT;
    CREATE INDEX subject_keys_of_subject ON subject_keys (subject, number);
    CREATE TRIGGER destroyed_keys_stay_destroyed BEFORE UPDATE ON subject_keys
    WHEN old.wrapped IS NULL AND new.wrapped IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'a destroyed key is never made again'); END;
    CREATE TRIGGER key_records_are_never_deleted BEFORE DELETE ON subject_keys
    BEGIN SELECT RAISE(ABORT, 'a key leaves a tombstone'); END;

    -- One row: 1 from the moment a key is destroyed until the file holds no trace of it.
    CREATE TABLE purge (pending INTEGER NOT NULL) STRICT;
    INSERT INTO purge (pending) VALUES (0);
    `,
    `CREATE TABLE refused_subjects (subject TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
    // One row: 1 while somebody writes, and what was written last may stand in the WAL alone.
    `CREATE TABLE written (open INTEGER NOT NULL) STRICT;
     INSERT INTO written (open) VALUES (0);`,
  ],
};

/** The file is whole without its WAL. */
export const CLOSED = 'UPDATE written SET open = 0';

export interface SubjectKeyRow {
  readonly kid: string;
  readonly subject: string;
  readonly wrapped: string | null;
  readonly wrappedBy: string | null;
  /** 1 where the subject's keys are given to nobody. */
  readonly refused: number;
}

export const RECORD_COLUMNS = `kid, subject, wrapped, wrapped_by AS wrappedBy,
  EXISTS (SELECT 1 FROM refused_subjects AS refused WHERE refused.subject = subject_keys.subject) AS refused`;

export function recordOf({ kid, subject, wrapped, wrappedBy, refused }: SubjectKeyRow): SubjectKeyRecord {
  if (wrapped === null || wrappedBy === null) return { state: 'destroyed', subject, kid };
  if (refused !== 0) return { state: 'refused', subject, kid };
  return { state: 'present', subject, key: { kid, wrapped, wrappedBy } };
}
