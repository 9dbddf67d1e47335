import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { DataFileError, DataFolder, NewerFormatError, openDatabase, openStoreFile } from '#lib/sqlite';

import { DuplicateEventError, type EventStore, StorageFullError, StoreUnavailableError } from '../port.js';
import { idsOf, mustAppend, newEvent, newEvents, newStream } from '../testing/contract-support.js';
import { inTemporaryPlace } from '../testing/temporary-folder.js';
import { type AppendRequest } from './append-messages.js';
import { EVENT_LOG } from './event-schema.js';
import { EventWriter } from './event-writer.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

const KB = 1024;
const text = (kilobytes: number): string => JSON.stringify('x'.repeat(kilobytes * KB));

/** Appends until the store refuses for lack of room; answers what it took. */
async function fill(store: EventStore): Promise<string[]> {
  const taken: string[] = [];
  for (let i = 0; i < 2000; i++) {
    const event = newEvent(text(20));
    try {
      await mustAppend(store, newStream(), 'none', [event]);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageFullError);
      return taken;
    }
    taken.push(event.id);
  }
  throw new Error('the store never became full');
}

describe('a full store', () => {
  it(
    '(SQLITE_FULL) stores no part of what it refuses, and works again when there is room',
    inTemporaryPlace(async ({ folder }) => {
      const path = join(folder.path, 'events.db');
      const db = openStoreFile(path, EVENT_LOG);
      const writer = new EventWriter(db, path);
      const request = (stream: string, kilobytes: number, count = 1): AppendRequest => {
        const events = Array.from({ length: count }, () => newEvent(text(kilobytes)));
        return { stream, expected: 'none', bytes: 0, events };
      };
      const count = (): unknown =>
        db.prepare('SELECT count(*) AS events, (SELECT count(*) FROM streams) AS streams FROM events').get();

      db.exec('PRAGMA max_page_count = 40');
      expect(() => {
        db.exec('CREATE TABLE proof (x); INSERT INTO proof VALUES (zeroblob(1000000))');
      }).toThrow();
      const [fits, tooLarge, fitsToo] = [request('a', 1), request('b', 100, 5), request('c', 1)];
      expect(writer.answer([fits, tooLarge, fitsToo])).toMatchObject([
        { outcome: 'appended', version: 1, position: 1 },
        { outcome: 'full' },
        { outcome: 'appended', version: 1, position: 2 },
      ]);
      expect(count()).toEqual({ events: 2, streams: 2 });
      db.exec('PRAGMA max_page_count = 4000');
      expect(writer.answer([tooLarge])).toMatchObject([{ outcome: 'appended', version: 5, position: 7 }]);
      expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      writer.close();
    }),
  );

  /** A disk of its own that can be filled; only root may mount one, and not in every container. */
  const system = (command: string, ...parameters: string[]): boolean =>
    spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
  const tmpfs = (mountPoint: string): string[] => ['mount', '-t', 'tmpfs', '-o', 'size=3m', 'mace-test', mountPoint];
  const mayMount = system('unshare', '--mount', ...tmpfs('/mnt'));

  (mayMount ? it : it.skip)(
    `(a real disk of 3 MB) loses and half-writes nothing, and works again when there is room${mayMount ? '' : ' [only where a test may mount]'}`,
    inTemporaryPlace(async ({ folder: outer }) => {
      const mountPoint = join(outer.path, 'disk');
      mkdirSync(mountPoint);
      const [mount, ...parameters] = tmpfs(mountPoint);
      expect(system(mount!, ...parameters)).toBe(true);
      const folder = DataFolder.take(mountPoint);
      try {
        const ballast = join(mountPoint, 'ballast');
        writeFileSync(ballast, Buffer.alloc(1024 * KB));
        const store = await openSqliteEventStore({ folder });
        const taken = await fill(store);
        expect(idsOf((await store.readAll({ after: '0' as never, limit: 1000 })).events)).toEqual(taken);
        writeFileSync(ballast, '');
        const late = newEvent(text(20));
        await mustAppend(store, newStream(), 'none', [late]);
        await store.close();

        const again = await openSqliteEventStore({ folder });
        expect(idsOf((await again.readAll({ after: '0' as never, limit: 1000 })).events)).toEqual([...taken, late.id]);
        await again.close();
        folder.release();
        const db = openDatabase(join(mountPoint, 'events.db'));
        expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
        db.close();
      } finally {
        folder.release();
        system('umount', '--lazy', mountPoint);
      }
    }),
  );
});

describe('the event log file', () => {
  it(
    'refuses to change or delete an event or a stream, whoever asks',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      await mustAppend(store, newStream(), 'none', newEvents(2));
      await store.close();
      const db = openDatabase(join(folder.path, 'events.db'));
      for (const sql of [
        "UPDATE events SET text = '{}'",
        'DELETE FROM events',
        "UPDATE streams SET name = 'other'",
        'DELETE FROM streams',
      ]) {
        expect(() => db.exec(sql)).toThrow(/is never/);
      }
      db.close();
    }),
  );

  it(
    'of a newer version is refused, naming both, with nothing changed',
    inTemporaryPlace(async ({ folder, keep }) => {
      await (await keep(openSqliteEventStore({ folder }))).close();
      const path = join(folder.path, 'events.db');
      const db = openDatabase(path);
      db.exec('PRAGMA user_version = 9');
      db.close();
      const before = readFileSync(path);
      await expect(openSqliteEventStore({ folder })).rejects.toThrow(NewerFormatError);
      await expect(openSqliteEventStore({ folder })).rejects.toThrow(
        /events\.db has format version 9; this MACE knows versions up to 1/,
      );
      expect(readFileSync(path).equals(before)).toBe(true);
    }),
  );

  it(
    'that is something else is refused, naming it',
    inTemporaryPlace(async ({ folder }) => {
      writeFileSync(join(folder.path, 'events.db'), 'not a database, '.repeat(1000));
      await expect(openSqliteEventStore({ folder })).rejects.toThrow(DataFileError);
      await expect(openSqliteEventStore({ folder })).rejects.toThrow(/events\.db is not an SQLite database/);
    }),
  );

  it(
    'damaged within says so at the read that meets the damage, by a clear error',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      for (let i = 0; i < 50; i++) await mustAppend(store, newStream(), 'none', [newEvent(text(4))]);
      await store.close();
      const path = join(folder.path, 'events.db');
      const bytes = readFileSync(path);
      bytes.fill(0xa5, 8192 * 8);
      writeFileSync(path, bytes);
      const damaged = await keep(
        openSqliteEventStore({ folder }).catch((error: unknown) => ({ error, close: async () => undefined })),
      );
      const error =
        'error' in damaged
          ? damaged.error
          : await damaged.readAll({ after: '0' as never, limit: 1000 }).catch((e: unknown) => e);
      expect(error).toMatchObject({
        message: expect.stringMatching(/events\.db is damaged: .*restore the event log from a backup/),
      });
    }),
  );

  it(
    'in a folder that was released cannot be opened',
    inTemporaryPlace(async ({ folder }) => {
      folder.release();
      await expect(openSqliteEventStore({ folder })).rejects.toThrow(/was released/);
    }),
  );

  it(
    'in a folder this user may only read is refused, with a remedy',
    inTemporaryPlace(async ({ folder, keep }) => {
      await (await keep(openSqliteEventStore({ folder }))).close();
      const path = join(folder.path, 'events.db');
      chmodSync(path, 0o444);
      const uid = process.geteuid?.();
      chmodSync(folder.path, 0o555);
      // Opening is done before the first await, so that this user is an ordinary one for just as long.
      if (uid === 0) process.seteuid?.(65_534);
      const opening = openSqliteEventStore({ folder });
      if (uid === 0) process.seteuid?.(0);
      await expect(opening).rejects.toThrow(/cannot be opened for writing\. Make the folder .* writable/);
      chmodSync(folder.path, 0o755);
    }),
  );
});

describe('an embedded store', () => {
  it(
    'closed while appends are under way answers them all, then refuses everything',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      const appends = Array.from({ length: 300 }, () => mustAppend(store, newStream(), 'none', [newEvent()]));
      await store.close();
      expect(new Set((await Promise.all(appends)).map(({ version }) => version))).toEqual(new Set([1]));
      await expect(store.append(newStream(), 'none', [newEvent()])).rejects.toThrow(StoreUnavailableError);
      await expect(store.streamVersion('a')).rejects.toThrow(StoreUnavailableError);
      await expect(store.readAll({ after: '0' as never, limit: 1 })).rejects.toThrow(StoreUnavailableError);
      await store.close();
      const again = await keep(openSqliteEventStore({ folder }));
      expect(await again.head()).toBe('300');
    }),
  );

  it(
    'closed ends the subscriptions to it',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      const kinds: string[] = [];
      const consumed = (async () => {
        for await (const { kind } of store.subscribeAll({ after: '0' as never })) {
          kinds.push(kind);
          void store.close();
        }
      })();
      await consumed;
      expect(kinds).toEqual(['caughtUp']);
    }),
  );

  it(
    'finds after reopening what a retry or a duplicate is, with nothing in memory',
    inTemporaryPlace(async ({ folder, keep }) => {
      const [stream, events] = [newStream(), newEvents(3)];
      const store = await keep(openSqliteEventStore({ folder }));
      const first = await mustAppend(store, stream, 'none', events);
      await store.close();
      const again = await keep(openSqliteEventStore({ folder }));
      expect(await again.append(stream, 'none', events)).toEqual({ ...first, repeated: true });
      await expect(again.append(stream, 3, [events[1]!])).rejects.toThrow(DuplicateEventError);
      expect(await mustAppend(again, stream, 3, [newEvent()])).toMatchObject({ version: 4, position: '4' });
    }),
  );

  it(
    'reads a filtered page of a long log in bounded steps, each saying how far it looked',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      for (let i = 0; i < 20; i++) await mustAppend(store, 'long', i * 1000, newEvents(1000));
      const rare = newEvent('{}', 'Rare');
      await mustAppend(store, 'long', 20_000, [rare]);
      const first = await store.readAll({ after: '0' as never, limit: 10, types: ['Rare'] });
      expect(first).toMatchObject({ events: [], atHead: false });
      const second = await store.readAll({ after: first.scannedTo, limit: 10, types: ['Rare'] });
      expect(idsOf(second.events)).toEqual([rare.id]);
      expect(second.atHead).toBe(true);
    }),
  );

  it(
    'ends a page early where events are large',
    inTemporaryPlace(async ({ folder, keep }) => {
      const store = await keep(openSqliteEventStore({ folder }));
      for (let i = 0; i < 12; i++) await mustAppend(store, newStream(), 'none', [newEvent(text(850))]);
      const page = await store.readAll({ after: '0' as never, limit: 100 });
      expect(page.events.length).toBeLessThan(12);
      expect(page).toMatchObject({ scannedTo: String(page.events.length), atHead: false });
    }),
  );

  it(
    'keeps its order when the clock jumps back',
    inTemporaryPlace(async ({ folder }) => {
      const path = join(folder.path, 'events.db');
      const writer = new EventWriter(openStoreFile(path, EVENT_LOG), path);
      const now = jest.spyOn(Date, 'now');
      try {
        for (const [i, time] of [2e12, 1e12, 0, 3e12].entries()) {
          now.mockReturnValue(time);
          const answers = writer.answer([{ stream: 's', expected: i, bytes: 0, events: [newEvent()] }]);
          expect(answers).toEqual([{ outcome: 'appended', version: i + 1, position: i + 1, recordedAt: time }]);
        }
      } finally {
        now.mockRestore();
        writer.close();
      }
    }),
  );
});
