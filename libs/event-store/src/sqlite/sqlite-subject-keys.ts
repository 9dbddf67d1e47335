import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import {
  type DatabaseSync,
  type DataFolder,
  FileWorker,
  openDatabase,
  openStoreFile,
  openStoreFileForReading,
  sqliteCode,
} from '#lib/sqlite';

import { StorageFullError, StoreUnavailableError } from '../port.js';
import { type KeyPage, type SubjectKeyRecord, type SubjectKeyStore, type WrappedKey } from '../subject-keys.js';
import { RECORD_COLUMNS, recordOf, SUBJECT_KEYS, type SubjectKeyRow } from './subject-key-schema.js';
import { closeWhole, type SubjectKeyAnswer, type SubjectKeyRequest } from './subject-key-writer.js';

type Writer = FileWorker<SubjectKeyRequest, SubjectKeyAnswer>;

/**
 * People's wrapped data keys in subject-keys.db of the data folder, apart from the log and its backups.
 * @throws DataFileError, NewerFormatError where the file cannot be used
 */
export async function openSqliteSubjectKeys({ folder }: { readonly folder: DataFolder }): Promise<SubjectKeyStore> {
  if (!folder.isHeld) throw new Error(`the data folder ${folder.path} was released already`);
  const path = join(folder.path, 'subject-keys.db');
  closeWhole(openStoreFile(path, SUBJECT_KEYS));
  const writer: Writer = await FileWorker.start({
    entry: new URL('./subject-keys.worker.cjs', import.meta.url),
    name: 'subject-keys',
    data: path,
    maxBatch: 512,
    maxWeight: 512,
  });
  try {
    return new SqliteSubjectKeys(writer, openStoreFileForReading(path, SUBJECT_KEYS));
  } catch (error) {
    await writer.stop();
    throw error;
  }
}

/**
 * Whether what was written last to a subject-keys.db at rest is gone: its writer was killed, and the WAL in which it stood
 * is not there. Leaves no trace. A file that cannot be read is not known to lack anything; opening it says what is wrong.
 */
export function lacksItsWal(path: string): boolean {
  if (!existsSync(path) || existsSync(`${path}-wal`)) return false;
  const db = openDatabase(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  try {
    let open = 0;
    // By a function and no prepared statement: closing lets go of the file at once.
    db.function('mace_open', (value) => {
      open = Number(value);
      return null;
    });
    db.exec('SELECT mace_open(open) FROM written');
    return open !== 0;
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    return false;
  } finally {
    db.close();
  }
}

class SqliteSubjectKeys implements SubjectKeyStore {
  private readonly sql: ReturnType<typeof prepareStatements>;
  private closed = false;

  constructor(
    private readonly writer: Writer,
    private readonly db: DatabaseSync,
  ) {
    this.sql = prepareStatements(db);
  }

  async create(subject: string, key: WrappedKey): Promise<SubjectKeyRecord> {
    const answer = await this.ask({ kind: 'create', subject, key });
    if (answer.kind !== 'record') throw new Error(`a created key was answered with ${answer.kind}`);
    return answer.record;
  }

  async get(kid: string): Promise<SubjectKeyRecord | null> {
    this.refuseWhenClosed();
    const row = this.sql.get.get(kid);
    return row ? recordOf(row) : null;
  }

  async getAll(kids: readonly string[]): Promise<readonly (SubjectKeyRecord | null)[]> {
    this.refuseWhenClosed();
    const records = new Map(this.sql.getAll.all(JSON.stringify(kids)).map((row) => [row.kid, recordOf(row)]));
    return kids.map((kid) => records.get(kid) ?? null);
  }

  async rewrap(key: WrappedKey): Promise<boolean> {
    return (await this.ask({ kind: 'rewrap', key })).kind === 'done';
  }

  async destroy(kid: string): Promise<void> {
    const { kind } = await this.ask({ kind: 'destroy', kid });
    if (kind === 'absent') throw new Error(`there is no data key ${kid} to destroy`);
  }

  async listFor(subject: string): Promise<readonly SubjectKeyRecord[]> {
    this.refuseWhenClosed();
    return this.sql.listFor.all(subject).map(recordOf);
  }

  async present(after: string | null, limit: number): Promise<KeyPage> {
    this.refuseWhenClosed();
    const rows = this.sql.present.all(after === null ? 0 : Number(after), limit + 1);
    const keys = rows.slice(0, limit).map(({ kid, wrapped, wrappedBy }) => ({ kid, wrapped, wrappedBy }));
    return { keys, next: rows.length > limit ? String(rows[limit - 1]!.number) : null };
  }

  async refuse(subject: string): Promise<void> {
    await this.ask({ kind: 'refuse', subject });
  }

  async readmit(subject: string): Promise<void> {
    const answer = await this.ask({ kind: 'readmit', subject });
    if (answer.kind === 'left') throw new Error(`data key ${answer.kid} of ${subject} is still there`);
  }

  async close(): Promise<void> {
    if (!this.closed) {
      this.closed = true;
      // First, so that the writer is the last and takes the WAL with it.
      this.db.close();
    }
    await this.writer.stop();
  }

  private async ask(request: SubjectKeyRequest): Promise<SubjectKeyAnswer> {
    const answer = await this.writer.request(request).catch((error: Error) => {
      throw new StoreUnavailableError(error.message, { cause: error });
    });
    if (answer.kind === 'full') throw new StorageFullError(answer.reason);
    return answer;
  }

  private refuseWhenClosed(): void {
    if (this.closed) throw new StoreUnavailableError('the subject key store is closed');
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    get: db.prepare<SubjectKeyRow>(`SELECT ${RECORD_COLUMNS} FROM subject_keys WHERE kid = ?`),
    getAll: db.prepare<SubjectKeyRow>(
      `SELECT ${RECORD_COLUMNS} FROM subject_keys WHERE kid IN (SELECT value FROM json_each(?))`,
    ),
    present: db.prepare<WrappedKey & { readonly number: number }>(
      `SELECT number, kid, wrapped, wrapped_by AS wrappedBy FROM subject_keys
       WHERE number > ? AND wrapped IS NOT NULL ORDER BY number LIMIT ?`,
    ),
    listFor: db.prepare<SubjectKeyRow>(`SELECT ${RECORD_COLUMNS} FROM subject_keys WHERE subject = ? ORDER BY number`),
  };
}
