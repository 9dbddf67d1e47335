import { closeStoreFile, type DatabaseSync, eachRow, openStoreFile, type StoreFileFormat } from '#lib/sqlite';

/** What a witness remembers of a log: the newest checkpoint it has cosigned. */
export interface Seen {
  readonly size: number;
  /** Lower-case hex. */
  readonly root: string;
  /** With the cosignature. */
  readonly note: string;
}

const FORMAT: StoreFileFormat = {
  name: 'the memory of the witness',
  migrations: [
    `
    CREATE TABLE logs (vkey TEXT PRIMARY KEY, origin TEXT NOT NULL) STRICT;
    CREATE TABLE seen (
      origin TEXT PRIMARY KEY,
      hash TEXT NOT NULL UNIQUE,
      size INTEGER NOT NULL,
      root TEXT NOT NULL,
      note TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER a_log_never_shrinks BEFORE UPDATE ON seen
    WHEN new.size < old.size OR (new.size = old.size AND new.root <> old.root)
    BEGIN SELECT RAISE(ABORT, 'a log never shrinks'); END;
    CREATE TRIGGER a_log_is_never_forgotten BEFORE DELETE ON seen
    BEGIN SELECT RAISE(ABORT, 'a log is never forgotten'); END;

    -- Data keys that were destroyed, by marks that the log alone can tell: no table here names a person.
    CREATE TABLE erased_marks (origin TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (origin, mark)) STRICT, WITHOUT ROWID;
    CREATE TABLE erased_reports (number INTEGER PRIMARY KEY, origin TEXT NOT NULL, note TEXT NOT NULL) STRICT;
    CREATE INDEX erased_reports_of_log ON erased_reports (origin, number);
    CREATE TRIGGER an_erasure_is_never_forgotten BEFORE DELETE ON erased_reports
    BEGIN SELECT RAISE(ABORT, 'an erasure is never forgotten'); END;
    `,
  ],
};

/**
 * The memory of a witness. Every write is durable before it returns, and every question is answered in one turn of the
 * event loop: what is compared is what is replaced.
 */
export class WitnessStore {
  private readonly db: DatabaseSync;
  private readonly sql: ReturnType<typeof prepareStatements>;

  /** @throws DataFileError */
  constructor(path: string) {
    this.db = openStoreFile(path, FORMAT);
    this.sql = prepareStatements(this.db);
  }

  /** From now on this key signs for its log. */
  trust(vkey: string, origin: string): void {
    this.sql.trust.run(vkey, origin);
  }

  /** Verifier keys of a log. */
  keysOf(origin: string): readonly string[] {
    return this.sql.keys.all(origin).map(({ vkey }) => vkey);
  }

  seen(origin: string): Seen | null {
    return this.sql.seen.get(origin) ?? null;
  }

  seenByHash(hash: string): Seen | null {
    return this.sql.seenByHash.get(hash) ?? null;
  }

  remember(origin: string, hash: string, { size, root, note }: Seen): void {
    this.sql.remember.run(origin, hash, size, root, note);
  }

  /** Keeps a report that holds a mark which none before it held. */
  addReport(origin: string, note: string, marks: readonly string[]): void {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      let fresh = 0;
      for (const mark of marks) fresh += Number(this.sql.addMark.run(origin, mark).changes);
      if (fresh > 0) this.sql.addReport.run(origin, note);
      this.db.exec('COMMIT');
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  /** In the order in which they came, without the first `after`: one at least, and no more than `limit` characters hold. */
  reports(
    origin: string,
    after: number,
    limit: number,
  ): { readonly reports: readonly string[]; readonly more: boolean } {
    const reports: string[] = [];
    let length = 0;
    for (const { note } of eachRow(this.sql.reports, origin, after)) {
      length += note.length;
      if (reports.length > 0 && length > limit) return { reports, more: true };
      reports.push(note);
    }
    return { reports, more: false };
  }

  close(): void {
    closeStoreFile(this.db);
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    trust: db.prepare('INSERT INTO logs (vkey, origin) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    keys: db.prepare<{ vkey: string }>('SELECT vkey FROM logs WHERE origin = ? ORDER BY rowid'),
    seen: db.prepare<Seen & Record<string, string | number>>('SELECT size, root, note FROM seen WHERE origin = ?'),
    seenByHash: db.prepare<Seen & Record<string, string | number>>('SELECT size, root, note FROM seen WHERE hash = ?'),
    remember: db.prepare(
      `INSERT INTO seen (origin, hash, size, root, note) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (origin) DO UPDATE SET size = excluded.size, root = excluded.root, note = excluded.note`,
    ),
    addMark: db.prepare('INSERT INTO erased_marks (origin, mark) VALUES (?, ?) ON CONFLICT DO NOTHING'),
    addReport: db.prepare('INSERT INTO erased_reports (origin, note) VALUES (?, ?)'),
    reports: db.prepare<{ note: string }>(
      'SELECT note FROM erased_reports WHERE origin = ? ORDER BY number LIMIT -1 OFFSET ?',
    ),
  };
}
