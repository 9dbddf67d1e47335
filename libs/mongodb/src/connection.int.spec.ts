import { MongoWire } from '../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { MongoCallTimeoutError, MongoConnection } from './connection.js';

const TIMEOUT_MS = 500;
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
    const failed = await rows.insertOne({ _id: 'large', text: LARGE }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MongoCallTimeoutError);
    expect((failed as Error).message).toBe(
      'insertOne on rows had no answer within 1.5 s; whether it was carried out is unknown',
    );
    for (let i = 0; i < 3; i++) await rows.insertOne({ _id: `next-${i}` });
    expect(await rows.countDocuments({})).toBe(4);
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
