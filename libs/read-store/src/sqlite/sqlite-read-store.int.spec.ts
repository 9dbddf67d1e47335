import { mkdtemp, rm, stat, writeFile, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NewerFormatError, openDatabase } from '#lib/sqlite';
import { describeReadStoreContract } from '../contract/read-store.contract.js';
import { ReadStoreCorruptError } from '../errors.js';
import type { Change, Generation } from '../port.js';
import { SqliteReadStore } from './sqlite-read-store.js';

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
