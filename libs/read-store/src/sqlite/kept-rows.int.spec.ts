import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type DatabaseSync, openDatabase, type Row, type SqlValue } from '#lib/sqlite';

import { KeptRows } from './kept-rows.js';
import { Statements } from './statements.js';

const ALL = 'SELECT name FROM things WHERE size >= ? ORDER BY name';

describe('rows that are kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mace-kept-'));
  const path = join(folder, 'things.db');
  let writer: DatabaseSync;
  let reader: DatabaseSync;
  let asked: string[];

  beforeAll(() => {
    writer = openDatabase(path);
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE things (name TEXT, size)');
  });
  beforeEach(() => {
    writer.exec("DELETE FROM things; INSERT INTO things VALUES ('a', 1), ('b', 2)");
    reader = openDatabase(path, { readOnly: true });
    asked = [];
  });
  afterEach(() => reader.close());
  afterAll(() => {
    writer.close();
    rmSync(folder, { recursive: true });
  });

  /** Statements that tell of each question but that for the version. */
  function kept(limit?: number, asks?: () => boolean): KeptRows {
    class Told extends Statements {
      override get<R = Row>(sql: string, rows?: 'objects' | 'arrays') {
        if (!sql.startsWith('PRAGMA')) asked.push(sql);
        return super.get<R>(sql, rows);
      }
    }
    return new KeptRows(new Told(reader), limit, asks);
  }
  const names = (rows: KeptRows, from: SqlValue): unknown[] =>
    rows.made(ALL, [from], (found: readonly Row[]) => found.map(({ name }) => name));

  it('are read once for each question as long as nobody commits anything', () => {
    const rows = kept();
    expect([names(rows, 1), names(rows, 2), names(rows, 1), names(rows, 2)]).toEqual([
      ['a', 'b'],
      ['b'],
      ['a', 'b'],
      ['b'],
    ]);
    expect(asked).toHaveLength(2);
  });

  it('are read again at the first question after a commit, whoever made it', () => {
    const rows = kept();
    expect(names(rows, 1)).toEqual(['a', 'b']);
    writer.exec("INSERT INTO things VALUES ('c', 3)");
    expect(names(rows, 1)).toEqual(['a', 'b', 'c']);
    const another = openDatabase(path);
    another.exec("DELETE FROM things WHERE name = 'a'");
    another.close();
    expect(names(rows, 1)).toEqual(['b', 'c']);
  });

  it('are given as they were while it is not to be asked, but never after what was read behind a commit', () => {
    let isDue = true;
    const rows = kept(undefined, () => isDue);
    expect(names(rows, 1)).toEqual(['a', 'b']);
    isDue = false;
    writer.exec("INSERT INTO things VALUES ('c', 3)");
    expect(names(rows, 1)).toEqual(['a', 'b']);
    expect(names(rows, 2)).toEqual(['b', 'c']);
    expect([names(rows, 1), names(rows, 2)]).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
  });

  it('are told apart by parameters of different types', () => {
    const rows = kept();
    writer.exec("INSERT INTO things VALUES ('text', '1'), ('bytes', x'31')");
    const answers = [1, '1', Uint8Array.of(0x31), Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    expect(answers.map((from) => names(rows, from))).toEqual([
      ['a', 'b', 'bytes', 'text'],
      ['bytes', 'text'],
      ['bytes'],
      ['a', 'b', 'bytes', 'text'],
      ['bytes', 'text'],
    ]);
  });

  it('are made into something twice at most, and what is then given to all who ask nobody can change', () => {
    const rows = kept();
    let times = 0;
    const made = () => rows.made(ALL, [1], (found: readonly Row[]) => ({ times: ++times, found }));
    expect([made(), made(), made()].map((one) => one.times)).toEqual([1, 2, 2]);
    const given = made();
    expect(() => Object.assign(given, { times: 0 })).toThrow(TypeError);
    expect(() => Object.assign(given.found[0]!, { name: 'x' })).toThrow(TypeError);
    writer.exec("INSERT INTO things VALUES ('c', 3)");
    expect(made()).toMatchObject({ times: 3, found: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  });

  it('are let go together once they are too many', () => {
    const rows = kept(ALL.length * 2);
    names(rows, 1);
    names(rows, 2);
    names(rows, 1);
    expect(asked).toHaveLength(3);
  });
});
