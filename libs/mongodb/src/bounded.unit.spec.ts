import type { Db } from 'mongodb';

import { boundedDb } from './bounded.js';

const never = (): Promise<never> => new Promise(() => undefined);

/** As the driver's objects, of which each call waits for ever. */
class Cursor {
  sort = (): this => this;
  bufferedCount = (): number => 0;
  toArray = never;
  next = never;
  close = (): Promise<void> => Promise.resolve();
}

const database = {
  command: never,
  listCollections: () => new Cursor(),
  collection: (name: string) => ({ collectionName: name, insertOne: never, find: () => new Cursor() }),
};

it.each<[string, (db: Db) => Promise<unknown>]>([
  ['command', (db) => db.command({ ping: 1 })],
  ['listCollections', (db) => db.listCollections().toArray()],
  ['insertOne on rows', (db) => db.collection('rows').insertOne({})],
  ['find on rows', (db) => db.collection('rows').find({}).sort({}).toArray()],
  [
    'find on rows',
    async (db) => {
      for await (const _ of db.collection('rows').find({}).sort({})) return;
    },
  ],
])('a call of the driver that never ends is waited for in time, by its name: %s', async (name, call) => {
  const asked: string[] = [];
  const db = boundedDb(
    () => database as unknown as Db,
    async (what, given) => {
      asked.push(what);
      return Promise.race([given, Promise.resolve().then(() => Promise.reject(new Error(`${what} is late`)))]);
    },
  );
  await expect(call(db)).rejects.toThrow(`${name} is late`);
  expect(new Set(asked)).toEqual(new Set([name]));
});

it('collections that are kept ask the database of now', () => {
  let at = 'one';
  const named = () => ({ collection: (name: string) => ({ collectionName: `${at}.${name}` }) }) as unknown as Db;
  const rows = boundedDb(named, (_, given) => given).collection('rows');
  expect(rows.collectionName).toBe('one.rows');
  at = 'other';
  expect(rows.collectionName).toBe('other.rows');
});
