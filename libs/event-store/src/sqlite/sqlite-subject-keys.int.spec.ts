import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { DataFolder, openDatabase } from '#lib/sqlite';

import { describeSubjectKeyStoreContract, newKey } from '../testing/subject-keys.contract.js';
import { inTemporaryPlace, temporaryPlace } from '../testing/temporary-folder.js';
import type { SubjectKeyStore } from '../subject-keys.js';
import { copySubjectKeys } from './copy-stores.js';
import { lacksItsWal, openSqliteSubjectKeys } from './sqlite-subject-keys.js';

describeSubjectKeyStoreContract('the subject key store in SQLite', {
  open: async () => {
    const { folder, keep, dispose } = temporaryPlace();
    return { store: await keep(openSqliteSubjectKeys({ folder })), dispose };
  },
});

/** Every byte of every file of the store, as they lie on the disk. */
function bytesOf(path: string): Buffer {
  return Buffer.concat(
    readdirSync(path)
      .filter((name) => name.startsWith('subject-keys.db'))
      .map((name) => readFileSync(join(path, name))),
  );
}

describe('a file of keys whose writer was killed', () => {
  /** The files of a store as they lie at that moment, in a folder of their own. */
  async function killed(body: (path: string, kept: SubjectKeyStore) => Promise<void>): Promise<void> {
    await inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteSubjectKeys({ folder }));
      await store.create('ann', newKey('ann.1'));
      const at = mkdtempSync(join(folder.path, 'killed-'));
      for (const end of ['', '-wal', '-shm']) {
        copyFileSync(join(folder.path, `subject-keys.db${end}`), join(at, `subject-keys.db${end}`));
      }
      await body(join(at, 'subject-keys.db'), store);
    })();
  }

  it('lacks what stood in its WAL where that is gone, and says so until it is opened', () =>
    killed(async (path) => {
      expect(lacksItsWal(path)).toBe(false);
      rmSync(`${path}-wal`);
      const before = readdirSync(dirname(path));
      expect([lacksItsWal(path), lacksItsWal(path)]).toEqual([true, true]);
      expect(readdirSync(dirname(path))).toEqual(before);
      rmSync(`${path}-shm`);
      expect(lacksItsWal(path)).toBe(true);
      const folder = DataFolder.take(dirname(path));
      await (await openSqliteSubjectKeys({ folder })).close();
      folder.release();
      expect(lacksItsWal(path)).toBe(false);
    }));

  it('lacks nothing where its WAL is there, nor once it was closed', () =>
    killed(async (path, kept) => {
      const folder = DataFolder.take(dirname(path));
      const store = await openSqliteSubjectKeys({ folder });
      expect(await store.get('ann.1')).toMatchObject({ state: 'present' });
      await store.close();
      folder.release();
      await kept.close();
      for (const closed of [path, join(dirname(path), '..', 'subject-keys.db')]) {
        rmSync(`${closed}-wal`, { force: true });
        expect(lacksItsWal(closed)).toBe(false);
      }
    }));

  it('lacks nothing in a copy that was made while it was open, nor where it is of an earlier format or no file of ours', () =>
    killed(async (path, kept) => {
      await kept.create('ben', newKey('ben.1'));
      const copy = join(dirname(path), 'copy.db');
      copySubjectKeys(join(dirname(path), '..'), copy);
      expect(lacksItsWal(copy)).toBe(false);
      const db = openDatabase(copy);
      db.exec('DROP TABLE written');
      db.close();
      expect(lacksItsWal(copy)).toBe(false);
      writeFileSync(copy, 'no database');
      expect(lacksItsWal(copy)).toBe(false);
      expect(lacksItsWal(`${copy}.none`)).toBe(false);
    }));
});

describe('a destroyed key', () => {
  it(
    'is in no byte of any file, while every other key is still there',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteSubjectKeys({ folder }));
      // Enough, and rewrapped to other lengths often enough, that pages split and keep copies in their unused parts.
      const keys = Array.from({ length: 1500 }, (_, i) => newKey(`person-${(i * 7919) % 1500}.1`));
      await Promise.all(keys.map((key) => store.create(key.kid.slice(0, -2), key)));
      const wrappings = keys.map((key) => [key.wrapped]);
      for (const [i, { kid }] of keys.entries()) {
        if (i % 3 !== 0) continue;
        const again = newKey(kid, 'a much longer name of a key-encryption key, '.repeat(1 + (i % 4)));
        wrappings[i]!.push(again.wrapped);
        void store.rewrap(again);
      }
      const before = bytesOf(folder.path);
      expect(before.includes(wrappings[1]![0]!)).toBe(true);

      const destroyed = keys.map((_, i) => i).filter((i) => i % 2 === 0);
      await Promise.all(destroyed.map((i) => store.destroy(keys[i]!.kid)));
      const after = bytesOf(folder.path);
      for (const i of destroyed) for (const wrapped of wrappings[i]!) expect(after.includes(wrapped)).toBe(false);
      for (const i of keys.keys()) if (i % 2 === 1) expect(after.includes(wrappings[i]!.at(-1)!)).toBe(true);
    }),
  );

  it(
    'whose purge a crash cut off is purged at the next start',
    inTemporaryPlace(async ({ folder, keep }) => {
      const key = newKey('ann.1');
      // SQLite reuses the end of a freed cell at once; its beginning stays.
      const trace = key.wrapped.slice(0, 30);
      const store = await keep(openSqliteSubjectKeys({ folder }));
      await store.create('ann', key);
      await store.close();
      // What a crash between the commit and the purge leaves: the key gone from the table, not from the file.
      const db = openDatabase(join(folder.path, 'subject-keys.db'));
      db.exec(
        'PRAGMA secure_delete = OFF; UPDATE subject_keys SET wrapped = NULL, wrapped_by = NULL; UPDATE purge SET pending = 1',
      );
      db.close();
      expect(bytesOf(folder.path).includes(trace)).toBe(true);

      const again = await keep(openSqliteSubjectKeys({ folder }));
      expect(bytesOf(folder.path).includes(trace)).toBe(false);
      expect(await again.get('ann.1')).toEqual({ state: 'destroyed', subject: 'ann', kid: 'ann.1' });
    }),
  );

  it(
    'is purged also where somebody took away the row that remembers it',
    inTemporaryPlace(async ({ folder, keep }) => {
      const key = newKey('ann.1');
      await (await keep(openSqliteSubjectKeys({ folder }))).close();
      const path = join(folder.path, 'subject-keys.db');
      const emptied = openDatabase(path);
      emptied.exec('DELETE FROM purge');
      emptied.close();
      const store = await keep(openSqliteSubjectKeys({ folder }));
      await store.create('ann', key);
      await store.destroy('ann.1');
      await store.close();
      expect(bytesOf(folder.path).includes(key.wrapped.slice(0, 30))).toBe(false);
      const db = openDatabase(path, { readOnly: true });
      expect(db.prepare('SELECT pending FROM purge').all()).toEqual([{ pending: 0 }]);
      db.close();
    }),
  );
});
