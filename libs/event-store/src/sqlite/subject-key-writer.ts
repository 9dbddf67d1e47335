import { closeStoreFile, type DatabaseSync, type FileOwner, isStorageFull, whyNoRoom } from '#lib/sqlite';

import { type SubjectKeyRecord, type WrappedKey } from '../subject-keys.js';
import { CLOSED, RECORD_COLUMNS, recordOf, type SubjectKeyRow } from './subject-key-schema.js';

export type SubjectKeyRequest =
  | { readonly kind: 'create'; readonly subject: string; readonly key: WrappedKey }
  | { readonly kind: 'rewrap'; readonly key: WrappedKey }
  | { readonly kind: 'destroy'; readonly kid: string }
  | { readonly kind: 'refuse'; readonly subject: string }
  | { readonly kind: 'readmit'; readonly subject: string };

export type SubjectKeyAnswer =
  | { readonly kind: 'record'; readonly record: SubjectKeyRecord }
  | { readonly kind: 'done' }
  | { readonly kind: 'absent' }
  /** A key that is still there. */
  | { readonly kind: 'left'; readonly kid: string }
  | { readonly kind: 'full'; readonly reason: string };

/** The one writer of the subject keys. */
export class SubjectKeyWriter implements FileOwner<SubjectKeyRequest, SubjectKeyAnswer> {
  private readonly sql: ReturnType<typeof prepareStatements>;

  constructor(private readonly db: DatabaseSync) {
    // What is deleted is overwritten with zeros, and VACUUM makes no file that another could find.
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
    this.sql = prepareStatements(db);
    this.purgeIfPending();
    // In the file itself before the first key: the WAL cannot say that it is missing.
    this.sql.setOpen.run(1);
    this.sql.truncateWal.get();
  }

  answer(requests: readonly SubjectKeyRequest[]): readonly SubjectKeyAnswer[] {
    try {
      this.db.exec('BEGIN IMMEDIATE');
      const answers = requests.map((request) => this.apply(request));
      this.db.exec('COMMIT');
      this.purgeIfPending();
      return answers;
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      if (!isStorageFull(error)) throw error;
      const reason = whyNoRoom(error);
      return requests.map(() => ({ kind: 'full', reason }));
    }
  }

  close(): void {
    closeWhole(this.db);
  }

  private apply(request: SubjectKeyRequest): SubjectKeyAnswer {
    switch (request.kind) {
      case 'create': {
        const { kid, wrapped, wrappedBy } = request.key;
        const { subject } = request;
        this.sql.create.run(kid, subject, wrapped, wrappedBy, subject);
        const row = this.sql.get.get(kid);
        return { kind: 'record', record: row ? recordOf(row) : { state: 'refused', subject, kid } };
      }
      case 'rewrap': {
        const { kid, wrapped, wrappedBy } = request.key;
        return this.sql.rewrap.run(wrapped, wrappedBy, kid).changes ? { kind: 'done' } : { kind: 'absent' };
      }
      case 'destroy': {
        if (!this.sql.get.get(request.kid)) return { kind: 'absent' };
        if (this.sql.destroy.run(request.kid).changes) this.sql.setPending.run(1);
        return { kind: 'done' };
      }
      case 'refuse':
        this.sql.refuse.run(request.subject);
        return { kind: 'done' };
      case 'readmit': {
        const left = this.sql.leftOfRefused.get(request.subject);
        if (left) return { kind: 'left', kid: left.kid };
        this.sql.readmit.run(request.subject);
        return { kind: 'done' };
      }
    }
  }

  /**
   * Removes every trace of destroyed keys from the files. Zeroing the row is not enough: pages that were split keep old
   * copies in their unused part, and the WAL keeps old pages. So the file is written anew and the WAL cut to nothing.
   * The mark in the file makes a purge that was broken off be done again, at the next start or request.
   */
  private purgeIfPending(): void {
    const mark = this.sql.pending.get();
    if (mark?.pending === 0) return;
    // Where somebody took the row away nothing would remember the next one.
    if (!mark) this.db.exec('INSERT INTO purge (pending) VALUES (1)');
    this.db.exec('VACUUM');
    this.truncateWal();
    this.sql.setPending.run(0);
    this.truncateWal();
  }

  private truncateWal(): void {
    if (this.sql.truncateWal.get()!.busy !== 0) throw new Error('the WAL of the subject keys is being read, try again');
  }
}

/** Closes the file as one that is whole without its WAL. */
export function closeWhole(db: DatabaseSync): void {
  try {
    db.exec(CLOSED);
  } catch (error) {
    // Then it says that its WAL is needed, which stays beside it.
    if (!isStorageFull(error)) throw error;
  }
  closeStoreFile(db);
}

function prepareStatements(db: DatabaseSync) {
  return {
    get: db.prepare<SubjectKeyRow>(`SELECT ${RECORD_COLUMNS} FROM subject_keys WHERE kid = ?`),
    create: db.prepare(
      `INSERT INTO subject_keys (kid, subject, wrapped, wrapped_by) SELECT ?, ?, ?, ?
       WHERE NOT EXISTS (SELECT 1 FROM refused_subjects WHERE subject = ?)
       ON CONFLICT (kid) DO NOTHING`,
    ),
    refuse: db.prepare('INSERT INTO refused_subjects (subject) VALUES (?) ON CONFLICT (subject) DO NOTHING'),
    readmit: db.prepare('DELETE FROM refused_subjects WHERE subject = ?'),
    leftOfRefused: db.prepare<{ kid: string }>(
      `SELECT kid FROM subject_keys JOIN refused_subjects USING (subject)
       WHERE subject = ? AND wrapped IS NOT NULL ORDER BY number LIMIT 1`,
    ),
    rewrap: db.prepare('UPDATE subject_keys SET wrapped = ?, wrapped_by = ? WHERE kid = ? AND wrapped IS NOT NULL'),
    destroy: db.prepare(
      'UPDATE subject_keys SET wrapped = NULL, wrapped_by = NULL WHERE kid = ? AND wrapped IS NOT NULL',
    ),
    pending: db.prepare<{ pending: number }>('SELECT pending FROM purge'),
    setPending: db.prepare('UPDATE purge SET pending = ?'),
    setOpen: db.prepare('UPDATE written SET open = ?'),
    truncateWal: db.prepare<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)'),
  };
}
