import { MongoWire } from '../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { MongoCallTimeoutError, MongoConnection } from './connection.js';

const TIMEOUT_MS = 200;
/** More than a socket takes up while nobody reads it. */
const LARGE = 'x'.repeat(12_000_000);

interface Row {
  readonly _id: string;
  readonly text?: string;
}

describe('a call of MongoDB', () => {
  let wire: MongoWire;
  let connection: MongoConnection;
  beforeEach(async () => {
    wire = await MongoWire.start();
    connection = await MongoConnection.open({ url: wire.url, timeoutMs: TIMEOUT_MS });
    await connection.db.collection<Row>('rows').insertOne({ _id: 'first' });
  });
  afterEach(async () => {
    await connection.close();
    await wire.close();
  });

  it('whose socket is destroyed while it waits for room in it ends with an error that names it, and the next is carried out', async () => {
    const rows = connection.db.collection<Row>('rows');
    wire.readNoMoreAfter(100_000);
    const began = performance.now();
    const failed = await rows.insertOne({ _id: 'large', text: LARGE }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MongoCallTimeoutError);
    expect((failed as Error).message).toBe(
      'insertOne on rows had no answer within 0.6 s; whether it was carried out is unknown',
    );
    expect(performance.now() - began).toBeLessThan(5 * TIMEOUT_MS + 500);
    for (let i = 0; i < 3; i++) await rows.insertOne({ _id: `next-${i}` });
    expect(await rows.countDocuments({})).toBe(4);
  });

  it('ends so on each of its ways: of the database, of a cursor step by step or whole, of a session', async () => {
    const session = connection.session('transaction');
    const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
    const late = async (call: Promise<unknown>): Promise<string> => call.then(String, (error: Error) => error.message);
    const large = { _id: { $in: [LARGE] } };
    const each = async (): Promise<void> => {
      for await (const _ of connection.db.collection<Row>('rows').find(large)) return;
    };
    const calls: Record<string, () => Promise<unknown>> = {
      'command had': () => connection.db.command({ ping: 1, large: LARGE }),
      'find on rows had': () => connection.db.collection<Row>('rows').find(large).sort({ _id: 1 }).toArray(),
      'find on rows had no': each,
      'commitTransaction had': () => connection.inTime('commitTransaction', never()),
    };
    for (const [begin, call] of Object.entries(calls)) {
      wire.readNoMoreAfter(100_000);
      expect(await late(call())).toMatch(new RegExp(`^${begin}`));
    }
    await connection.inTime('endSession', session.endSession());
  });

  it('gives what the driver gives: all of a cursor, in its order, and what its methods answer', async () => {
    const rows = connection.db.collection<Row>('rows');
    const ids = Array.from({ length: 250 }, (_, i) => `row-${String(i).padStart(3, '0')}`);
    await rows.insertMany(ids.map((_id) => ({ _id })));
    const found: string[] = [];
    for await (const { _id } of rows.find({}, { batchSize: 100 }).sort({ _id: 1 })) found.push(_id);
    expect(found).toEqual(['first', ...ids]);
    for await (const { _id } of rows.find({}).sort({ _id: 1 }).limit(2)) {
      expect(_id).toBe('first');
      break;
    }
    expect(rows.collectionName).toBe('rows');
    expect((await connection.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)).toEqual([
      'rows',
    ]);
  });
});
