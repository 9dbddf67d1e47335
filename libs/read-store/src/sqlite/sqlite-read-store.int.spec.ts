import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewerFormatError, openDatabase } from '#lib/sqlite';
import { describeReadStoreContract } from '../contract/read-store.contract.js';
import { ReadStoreCorruptError } from '../errors.js';
import type { Change, Generation } from '../port.js';
import { SqliteReadStore } from './sqlite-read-store.js';
import { createTable } from './tables.js';

describeReadStoreContract('sqlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mace-read-'));
  let store = await SqliteReadStore.open({ folder });
  return {
    store,
    reopen: async () => {
      await store.close();
      store = await SqliteReadStore.open({ folder });
      return store;
    },
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

it.each(['', ' AND f_0 < 9 '])(
  'finds what another index names in the order of its collection without a sort%s',
  (and) => {
    const db = openDatabase(':memory:');
    const definition = { name: 'people', indexes: ['age', 'city', 'name'], sortedBy: 'age' };
    for (const sql of createTable(1, definition, true)) db.exec(sql);
    const asked = `SELECT id, body FROM docs_1 WHERE f_1 = 'Riga' ${and}ORDER BY f_0 DESC, id DESC LIMIT 9`;
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${asked}`).all() as { readonly detail: string }[];
    db.close();
    expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING INDEX docs_1_1 (f_1=?')]);
  },
);

describe('a generation in the making', () => {
  const MADE: Generation = { projection: 'p', name: 'v1_made' };
  const DOCS = [{ name: 'docs', indexes: [] }];
  const FILE = 'read-p-v1_made.db';
  let folder: string;
  let store: SqliteReadStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-read-'));
    store = await SqliteReadStore.open({ folder });
    await store.prepare(MADE, DOCS, { inTheMaking: true });
    await written('1');
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  async function written(to: string): Promise<void> {
    const from = await store.claim(MADE);
    const change: Change = { op: 'put', collection: 'docs', id: `d${to}`, body: { to } };
    expect(await store.apply(MADE, { changes: [change], from, to, runnerState: { to } })).toBe('applied');
  }

  async function reopened(meanwhile?: string): Promise<void> {
    await store.close();
    if (meanwhile !== undefined) {
      const db = openDatabase(join(folder, 'read.db'));
      db.exec(meanwhile);
      db.close();
    }
    store = await SqliteReadStore.open({ folder });
  }

  const afterACrash = `UPDATE generations SET runner_state = json_set(runner_state, '$.boot', 'another')
    WHERE json_extract(runner_state, '$.boot') IS NOT NULL`;
  const files = async (): Promise<string[]> => (await readdir(folder)).filter((name) => name.startsWith('read-'));

  it('lies in a file of its own, is found by its name among the others, and goes on in the next process', async () => {
    await store.prepare({ projection: 'p', name: 'v1' }, DOCS);
    expect(await files()).toContain(FILE);
    expect((await store.generations('p')).map(({ name }) => name)).toEqual(['v1_made', 'v1']);
    await reopened();
    expect(await store.checkpoint(MADE)).toEqual({ position: '1', epoch: 1 });
    expect(await store.runnerState(MADE)).toEqual({ to: '1' });
    await store.prepare(MADE, DOCS, { inTheMaking: true });
    await written('2');
    expect(await store.count(MADE, 'docs')).toBe(2);
    expect((await store.digest(MADE)).position).toBe('2');
  });

  it('is not there after a crash of the machine, of which its file may keep anything', async () => {
    await reopened(afterACrash);
    expect(await store.checkpoint(MADE)).toBeNull();
    expect(await files()).toEqual([]);
    await store.prepare(MADE, DOCS, { inTheMaking: true });
    expect(await store.checkpoint(MADE)).toEqual({ position: '0', epoch: 0 });
  });

  it('that was prepared as one to be answered from is there after such a crash too, and is written as before', async () => {
    await store.prepare(MADE, DOCS);
    await reopened(afterACrash);
    expect(await store.get(MADE, 'docs', 'd1')).toEqual({ id: 'd1', body: { to: '1' } });
    await written('2');
    await reopened();
    expect(await store.checkpoint(MADE)).toEqual({ position: '2', epoch: 2 });
  });

  it.each([true, false])('leaves no file behind once it is dropped (still in the making: %s)', async (inTheMaking) => {
    await store.prepare(MADE, DOCS, { inTheMaking });
    await written('2');
    await store.drop(MADE);
    expect([await store.checkpoint(MADE), await store.generations(), await files()]).toEqual([null, [], []]);
    await store.prepare(MADE, DOCS);
    expect(await store.checkpoint(MADE)).toEqual({ position: '0', epoch: 0 });
  });

  it.each(['read.db', FILE])('that %s took no row of is made when it is asked for again', async (full) => {
    await store.drop(MADE);
    if (full === FILE) {
      // The file is there with its tables, and the generation is not in it.
      await store.prepare(MADE, DOCS, { inTheMaking: true });
      const db = openDatabase(join(folder, FILE));
      db.exec('DELETE FROM collections; DELETE FROM generations; DROP TABLE docs_1');
      db.close();
    }
    const db = openDatabase(join(folder, full));
    db.exec("CREATE TRIGGER no_room BEFORE INSERT ON generations BEGIN SELECT RAISE(ABORT, 'no room'); END");
    await expect(store.prepare(MADE, DOCS, { inTheMaking: true })).rejects.toThrow(/unavailable: no room/);
    db.exec('DROP TRIGGER no_room');
    db.close();
    await store.prepare(MADE, DOCS, { inTheMaking: true });
    await written('2');
    await reopened();
    expect(await store.count(MADE, 'docs')).toBe(1);
  });

  it('is none where read.db is another, or its file is gone', async () => {
    await store.prepare(MADE, DOCS);
    await store.close();
    await rm(join(folder, FILE));
    store = await SqliteReadStore.open({ folder });
    expect(await store.generations()).toEqual([]);
    await store.prepare(MADE, DOCS, { inTheMaking: true });
    await store.close();
    await rm(join(folder, 'read.db'));
    store = await SqliteReadStore.open({ folder });
    expect([await store.generations(), await files()]).toEqual([[], []]);
  });
});

describe('the file of the embedded read store', () => {
  const LIVE: Generation = { projection: 'p', name: 'v1' };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-read-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function filled(documents: number): Promise<string> {
    const store = await SqliteReadStore.open({ folder });
    await store.prepare(LIVE, [{ name: 'docs', indexes: ['n'] }]);
    const from = await store.claim(LIVE);
    const changes = Array.from({ length: documents }, (_, i): Change => ({
      op: 'put',
      collection: 'docs',
      id: `d${i}`,
      body: { n: i, text: 'x'.repeat(500) },
    }));
    await store.apply(LIVE, { changes, from, to: '1' });
    await store.close();
    return join(folder, 'read.db');
  }

  it('of a newer format is refused and left as it is', async () => {
    const path = await filled(1);
    const db = openDatabase(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(NewerFormatError);
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(/format version 99/);
  });

  it('that is no database is refused with the advice to delete and rebuild it', async () => {
    await writeFile(
      join(folder, 'read.db'),
      'this is no database at all, but it is long enough to be looked at '.repeat(100),
    );
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(ReadStoreCorruptError);
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(/delete .*read\.db.*rebuilds/);
  });

  it('damaged in the middle says the same to reader, writer and digest', async () => {
    const path = await filled(2000);
    const store = await SqliteReadStore.open({ folder });
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    // Leave the first pages, where the schema is.
    await file.write(Buffer.alloc(size - 65_536, 0xa5), 0, size - 65_536, 65_536);
    await file.close();
    await expect(store.find(LIVE, 'docs', { limit: 1000, sort: { field: 'n' } })).rejects.toThrow(
      ReadStoreCorruptError,
    );
    await expect(store.digest(LIVE)).rejects.toThrow(/Nothing is lost/);
    await store.close();
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(ReadStoreCorruptError);
  });

  it.each([
    ['a table less', 'DROP TABLE collections'],
    ['documents less', 'DROP TABLE docs_1'],
    ['an index of no field', `UPDATE collections SET indexes = '["n","m"]'`],
    ['indexes that are none', `UPDATE collections SET indexes = '{}'`],
    ['a state that is no JSON', `UPDATE generations SET runner_state = 'x'`],
    ['a state that is no object', `UPDATE generations SET runner_state = '[]'`],
    ['an epoch that no number holds', 'UPDATE generations SET epoch = 9223372036854775807'],
    [
      'a generation elsewhere',
      `UPDATE generations SET epoch = -1, runner_state = '{"file":"../read-other.db","boot":null}'`,
    ],
  ])('with %s is refused with the advice to delete and rebuild it', async (_, sql) => {
    const path = await filled(1);
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(ReadStoreCorruptError);
    await expect(SqliteReadStore.open({ folder })).rejects.toThrow(/delete .*read\.db.*rebuilds/);
  });

  it.each(['null', '[1]'])('with a document that is %s says so where it is read', async (body) => {
    const path = await filled(3);
    const db = openDatabase(path);
    db.exec(`DROP INDEX docs_1_0; UPDATE docs_1 SET body = '${body}' WHERE id = 'd1'`);
    db.close();
    const store = await SqliteReadStore.open({ folder });
    await expect(store.get(LIVE, 'docs', 'd1')).rejects.toThrow(ReadStoreCorruptError);
    await expect(store.find(LIVE, 'docs', { limit: 5 })).rejects.toThrow(ReadStoreCorruptError);
    expect(await store.get(LIVE, 'docs', 'd2')).toMatchObject({ id: 'd2' });
    await store.close();
  });

  it('keeps a find on an indexed field away from the other documents', async () => {
    const path = await filled(10);
    const db = openDatabase(path, { readOnly: true });
    const plan = (sql: string): string =>
      db
        .prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => detail)
        .join('; ');
    expect(plan("SELECT id FROM docs_1 WHERE f_0 >= 'a' AND f_0 < 'b' ORDER BY f_0, id LIMIT 9")).toMatch(
      /^SEARCH docs_1 USING INDEX docs_1_0 \(f_0>\? AND f_0<\?\)$/,
    );
    expect(plan("SELECT id, body FROM docs_1 WHERE (f_0, id) > (1, 'x') ORDER BY f_0, id LIMIT 9")).toBe(
      'SEARCH docs_1 USING INDEX docs_1_0 ((f_0,id)>(?,?))',
    );
    expect(plan("SELECT id, body FROM docs_1 WHERE f_0 = 1 AND id > 'x' ORDER BY id LIMIT 9")).toBe(
      'SEARCH docs_1 USING INDEX docs_1_0 (f_0=? AND id>?)',
    );
    db.close();
  });

  it('shows what another process committed from the next turn of the event loop on, however often it was asked', async () => {
    const path = await filled(1);
    const store = await SqliteReadStore.open({ folder });
    const found = async (): Promise<string[]> =>
      (await store.find(LIVE, 'docs', { limit: 9 })).documents.map(({ id }) => id);
    expect([await found(), await found(), await found()]).toEqual([['d0'], ['d0'], ['d0']]);
    const another = openDatabase(path);
    another.exec("INSERT INTO docs_1 (id, body) VALUES ('d1', '{}')");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await found()).toEqual(['d0', 'd1']);
    another.exec("DELETE FROM docs_1 WHERE id = 'd0'");
    another.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect([await found(), await found()]).toEqual([['d1'], ['d1']]);
    await store.close();
  });

  it('of a store that could not commit stays as it was, and works again when there is room', async () => {
    await filled(1);
    const store = await SqliteReadStore.open({ folder });
    const from = await store.claim(LIVE);
    const blocker = openDatabase(join(folder, 'read.db'));
    blocker.exec("CREATE TRIGGER no_room BEFORE INSERT ON docs_1 BEGIN SELECT RAISE(ABORT, 'no room'); END");
    const batch = { changes: [{ op: 'put', collection: 'docs', id: 'new', body: {} } as const], from, to: '2' };
    await expect(store.apply(LIVE, batch)).rejects.toThrow(/unavailable: no room/);
    expect(await store.checkpoint(LIVE)).toEqual(from);
    blocker.exec('DROP TRIGGER no_room');
    blocker.close();
    expect(await store.apply(LIVE, batch)).toBe('applied');
    await store.close();
  });
});
