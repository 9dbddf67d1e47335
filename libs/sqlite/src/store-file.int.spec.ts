import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openDatabase } from './driver.js';
import { isStorageFull, isUniqueViolation } from './errors.js';
import {
  DamagedFileError,
  DataFileError,
  describeFileError,
  NewerFormatError,
  openStoreFile,
  openStoreFileForReading,
  type StoreFileFormat,
} from './store-file.js';
import { asOrdinaryUser } from './testing/ordinary-user.js';

const FIRST: StoreFileFormat = { name: 'the notes', migrations: ['CREATE TABLE notes (n INTEGER PRIMARY KEY) STRICT'] };
const SECOND: StoreFileFormat = {
  ...FIRST,
  migrations: [...FIRST.migrations, 'ALTER TABLE notes ADD COLUMN word TEXT'],
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-file-'));
  path = join(folder, 'notes.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function refusal(format = FIRST): DataFileError {
  try {
    openStoreFile(path, format).close();
  } catch (error) {
    if (error instanceof DataFileError) return error;
    throw error;
  }
  throw new Error('the file was opened');
}

function write(format: StoreFileFormat, sql: string): void {
  const db = openStoreFile(path, format);
  db.exec(sql);
  db.close();
}

describe('a file of ours', () => {
  it('is made, written durably and found again', () => {
    write(FIRST, 'INSERT INTO notes VALUES (1)');
    const db = openStoreFile(path, FIRST);
    expect(db.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 1 });
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    db.close();
  });

  it('of an older version is brought up to date, with what it holds', () => {
    write(FIRST, 'INSERT INTO notes VALUES (1)');
    write(SECOND, "INSERT INTO notes VALUES (2, 'two')");
    const db = openStoreFileForReading(path, SECOND);
    expect(db.prepare('SELECT n, word FROM notes').all()).toEqual([
      { n: 1, word: null },
      { n: 2, word: 'two' },
    ]);
    db.close();
  });

  it('of a newer version is refused by name of both versions, and not one byte of it changes', () => {
    write(SECOND, 'INSERT INTO notes (n) VALUES (1)');
    const before = readFileSync(path);
    const error = refusal(FIRST);
    expect(error).toBeInstanceOf(NewerFormatError);
    expect(error).toMatchObject({ found: 2, supported: 1, path });
    expect(error.message).toMatch(
      /notes\.db has format version 2; this MACE knows versions up to 1\. Start the newer MACE/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('that a crash cut off while it was made is made again', () => {
    const db = openDatabase(path);
    db.exec('PRAGMA journal_mode = WAL');
    db.close();
    write(FIRST, 'INSERT INTO notes VALUES (1)');
  });

  it('opened for reading takes no write', () => {
    write(FIRST, '');
    const db = openStoreFileForReading(path, FIRST);
    expect(() => db.exec('INSERT INTO notes VALUES (1)')).toThrow(/readonly/);
    db.close();
  });
});

describe('a file of ours that somebody has made into something else', () => {
  const RULED: StoreFileFormat = {
    name: 'the notes',
    migrations: [
      `-- Numbers.
       CREATE TABLE notes (n INTEGER NOT NULL) STRICT;
       CREATE UNIQUE INDEX by_number ON notes (n);
       CREATE TRIGGER notes_stay BEFORE DELETE ON notes BEGIN SELECT RAISE(ABORT, 'a note stays'); END`,
    ],
  };
  const change = (sql: string): void => {
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
  };
  beforeEach(() => write(RULED, 'INSERT INTO notes VALUES (1), (2)'));

  it.each([
    ['no index', 'DROP INDEX by_number'],
    ['another index', 'DROP INDEX by_number; CREATE INDEX by_number ON notes (n DESC)'],
    ['no rule', 'DROP TRIGGER notes_stay'],
    ['another rule', 'DROP TRIGGER notes_stay; CREATE TRIGGER notes_stay BEFORE DELETE ON notes BEGIN SELECT 1; END'],
  ])('has its indexes and rules again where it had %s', (_, sql) => {
    change(sql);
    const db = openStoreFile(path, RULED);
    expect(() => db.exec('DELETE FROM notes')).toThrow('a note stays');
    expect(() => db.exec('INSERT INTO notes VALUES (1)')).toThrow(/UNIQUE/);
    db.close();
  });

  it.each([
    ['a table less', 'DROP TABLE notes', /notes\.db has no table notes\. Keep a copy of it, then restore the notes/],
    [
      'a table that takes anything',
      'DROP TABLE notes; CREATE TABLE notes (n INTEGER NOT NULL)',
      /has a table notes that MACE did not make/,
    ],
    ['a column more', 'ALTER TABLE notes ADD COLUMN m INT', /has a table notes that MACE did not make/],
    [
      'a view in place of a table',
      'DROP TABLE notes; CREATE TABLE n2 (n); CREATE VIEW notes AS SELECT * FROM n2',
      /has a view notes that MACE did not make/,
    ],
    [
      'a rule that keeps from being stored what is acknowledged',
      'CREATE TRIGGER quiet BEFORE INSERT ON notes BEGIN SELECT RAISE(IGNORE); END',
      /has a trigger quiet that MACE did not make/,
    ],
    [
      'what its index does not allow',
      'DROP INDEX by_number; INSERT INTO notes VALUES (1)',
      /lacks an index, and holds what the index does not allow/,
    ],
    ['no format version', 'PRAGMA user_version = 0', /says that its format version is 0/],
    ['a format version that none has', 'PRAGMA user_version = -1', /says that its format version is -1/],
  ])('is refused with %s, and stays as it is', (_, sql, expected) => {
    change(sql);
    const error = refusal(RULED);
    expect(error).toBeInstanceOf(DamagedFileError);
    expect(error.message).toMatch(expected);
    expect(refusal(RULED).message).toBe(error.message);
  });

  it('may have tables and indexes beside those that are ours', () => {
    change('CREATE TABLE theirs (x); CREATE INDEX theirs_too ON notes (n)');
    openStoreFile(path, RULED).close();
  });
});

describe('a file that cannot be used is refused with its path and a remedy:', () => {
  it('no database at all', () => {
    writeFileSync(path, 'Dear diary, '.repeat(100));
    expect(refusal().message).toMatch(/notes\.db is not an SQLite database, so not the notes\. Move it away/);
    expect(readFileSync(path, 'utf8')).toMatch(/^Dear diary/);
  });

  it('another program’s database', () => {
    const db = openDatabase(path);
    db.exec('CREATE TABLE theirs (x)');
    db.close();
    const before = readFileSync(path);
    expect(refusal().message).toMatch(/notes\.db is a database of another program, not the notes/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('a damaged one', () => {
    write(FIRST, 'INSERT INTO notes VALUES (1)');
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 100, 4096);
    writeFileSync(path, bytes);
    expect(refusal().message).toMatch(
      /notes\.db is damaged: .*\. Keep a copy of it, then restore the notes from a backup/,
    );
  });

  it('one that another program has locked', () => {
    write(FIRST, '');
    const other = openDatabase(path);
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO notes VALUES (7); COMMIT');
    const error = refusal();
    other.close();
    expect(error.message).toMatch(/notes\.db is locked by another program/);
  });

  it.each(['after a clean end', 'with the WAL of a killed writer'])('one this user may only read, %s', (end) => {
    write(FIRST, '');
    if (end !== 'after a clean end') for (const file of ['-wal', '-shm']) writeFileSync(`${path}${file}`, '');
    chmodSync(path, 0o444);
    chmodSync(folder, 0o555);
    const before = readdirSync(folder);
    asOrdinaryUser(() =>
      expect(refusal().message).toMatch(/notes\.db cannot be opened for writing\. Make the folder .* writable/),
    );
    expect(readdirSync(folder)).toEqual(before);
  });

  it('one in a folder that is not there', () => {
    path = join(folder, 'missing', 'notes.db');
    expect(refusal().message).toMatch(/cannot be opened for writing/);
  });
});

describe('an error of SQLite', () => {
  const errorOf = (sql: string): unknown => {
    const db = openStoreFile(path, FIRST);
    try {
      db.exec(sql);
    } catch (error) {
      return error;
    } finally {
      db.close();
    }
    throw new Error('no error');
  };

  it('tells a full store and a repeated key from the rest', () => {
    const fill = `PRAGMA max_page_count = 3; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
      INSERT INTO notes SELECT i FROM n`;
    expect(isStorageFull(errorOf(fill))).toBe(true);
    expect(isUniqueViolation(errorOf('INSERT INTO notes VALUES (1), (1)'))).toBe(true);
    const other = errorOf('SELECT * FROM nothing');
    expect(isStorageFull(other) || isUniqueViolation(other) || isStorageFull(new Error('full'))).toBe(false);
  });

  it.each([
    ['that there is no room', 13, /^the notes\.db cannot be written because the disk is full\. Make room;/],
    [
      'that a write failed',
      778,
      /cannot be written: the disk is full, over its quota or failing\. Look at the free space, then at the disk;/,
    ],
  ])('is told so that nobody looks in the wrong place, where it says %s', (_, errcode, told) => {
    const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode });
    expect((describeFileError('the notes.db', 'the notes', error) as Error).message).toMatch(told);
  });
});
