import { join } from 'node:path';

import { openStoreFileForReading } from '#lib/sqlite';

import type { SubjectKeyRecord } from '../subject-keys.js';
import { SUBJECT_KEYS } from './subject-key-schema.js';

type KeyRow = readonly [number: number, kid: string, subject: string, wrapped: string | null, wrappedBy: string | null];

/** Rows that one call to the driver gives. */
const FETCH = 256;

/** Everything that subject-keys.db of a data folder holds, for whoever moves it. */
export interface AllSubjectKeys {
  /** Every record in the order in which they were made, tombstones too; a key of a refused subject as it is stored. */
  records(): Generator<SubjectKeyRecord>;
  /** Subjects whose keys are given to nobody. */
  refused(): readonly string[];
  close(): void;
}

/** @param folder path of a data folder that nobody changes meanwhile @throws DataFileError */
export function openAllSubjectKeys(folder: string): AllSubjectKeys {
  const db = openStoreFileForReading(join(folder, 'subject-keys.db'), SUBJECT_KEYS);
  const keys = db.prepare<KeyRow>(
    `SELECT number, kid, subject, wrapped, wrapped_by FROM subject_keys WHERE number > ? ORDER BY number LIMIT ${FETCH}`,
  );
  keys.setReturnArrays(true);
  const refused = db.prepare<{ readonly subject: string }>('SELECT subject FROM refused_subjects ORDER BY subject');
  return {
    *records() {
      for (let after = 0; ;) {
        const rows = keys.all(after);
        for (const row of rows) yield recordOf(row);
        if (rows.length < FETCH) return;
        after = rows.at(-1)![0];
      }
    },
    refused: () => refused.all().map(({ subject }) => subject),
    close: () => db.close(),
  };
}

function recordOf([, kid, subject, wrapped, wrappedBy]: KeyRow): SubjectKeyRecord {
  if (wrapped === null || wrappedBy === null) return { state: 'destroyed', subject, kid };
  return { state: 'present', subject, key: { kid, wrapped, wrappedBy } };
}
