import type { CommandStartedEvent, Document as BsonDocument } from 'mongodb';

import { MongoWire, type MongoWireOptions } from '../../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { DigestBuilder } from '../digest.js';
import { InvalidChangeError, ReadStoreDefinitionError, ReadStoreUnavailableError } from '../errors.js';
import type { Change, Checkpoint, Generation, ReadStore } from '../port.js';
import { DocumentTooLargeError } from './failures.js';
import { openMongoReadStore } from './mongodb-read-store.js';

const LIVE: Generation = { projection: 'people', name: 'v1' };
const PEOPLE = [{ name: 'people', indexes: ['age'] }];
const put = (id: string, body: Record<string, unknown>): Change =>
  ({ op: 'put', collection: 'people', id, body }) as Change;
const merge = (id: string, fields: Record<string, unknown>): Change =>
  ({ op: 'merge', collection: 'people', id, fields }) as Change;
const remove = (id: string): Change => ({ op: 'delete', collection: 'people', id });

interface Bench {
  readonly wire: MongoWire;
  readonly store: ReadStore;
  readonly from: Checkpoint;
  readonly commands: CommandStartedEvent[];
  another(): Promise<ReadStore>;
}

/** A server of its own with one claimed generation; all is closed at the test's end, however it ends. */
function bench(options: MongoWireOptions & { readonly timeoutMs?: number }, body: (bench: Bench) => Promise<void>) {
  return async (): Promise<void> => {
    const wire = await MongoWire.start(options);
    const stores: ReadStore[] = [];
    const commands: CommandStartedEvent[] = [];
    const another = async (): Promise<ReadStore> => {
      const { timeoutMs } = options;
      const onCommand = (event: CommandStartedEvent): void => void commands.push(event);
      const store = await openMongoReadStore({
        url: wire.url,
        onCommand,
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
      stores.push(store);
      return store;
    };
    try {
      const store = await another();
      await store.prepare(LIVE, PEOPLE);
      await body({ wire, store, commands, from: await store.claim(LIVE), another });
    } finally {
      for (const store of stores) await store.close();
      await wire.close();
    }
  };
}

const TRANSIENT = { code: 112, codeName: 'WriteConflict', labels: ['TransientTransactionError'] };
const UNKNOWN_COMMIT = { code: 50, codeName: 'MaxTimeMSExpired', labels: ['UnknownTransactionCommitResult'] };
const physical = (wire: MongoWire): string => wire.data.names().find((name) => name.startsWith('rm.')) ?? '';

describe('what the driver is made to send', () => {
  it(
    'with a replica set: checkpoint, then documents, in one transaction that a majority commits',
    bench({}, async ({ store, from, commands }) => {
      commands.length = 0;
      const changes = [put('a', { age: 1 }), remove('b')];
      expect(await store.apply(LIVE, { changes, from, to: '7' })).toBe('applied');
      expect(commands.map(({ commandName }) => commandName).filter((name) => name !== 'find')).toEqual([
        'update',
        'update',
        'delete',
        'commitTransaction',
      ]);
      const sent = commands.filter(({ commandName }) => commandName !== 'find').map(({ command }) => command);
      expect(sent[0]).toMatchObject({ update: 'read_generations', startTransaction: true, autocommit: false });
      expect(sent[0]).toMatchObject({ readConcern: { level: 'snapshot' } });
      expect(sent[0]?.['updates']).toMatchObject([{ q: { position: '0', epoch: 1 }, u: { $set: { position: '7' } } }]);
      expect(sent[1]).toMatchObject({ ordered: true, autocommit: false });
      expect(sent[3]).toMatchObject({ commitTransaction: 1, writeConcern: { w: 'majority' } });
      expect(new Set(sent.map(({ txnNumber }) => String(txnNumber))).size).toBe(1);
    }),
  );

  it(
    'without: begin mark, guarded documents, and the checkpoint last, each acknowledged by a majority and its journal',
    bench({ replicaSet: false }, async ({ store, from, commands }) => {
      commands.length = 0;
      await store.apply(LIVE, { changes: [put('a', { age: 1 }), remove('b')], from, to: '7' });
      const writes = commands.filter(({ commandName }) => commandName !== 'find').map(({ command }) => command);
      expect(writes.map(({ update }) => String(update).split('.')[0])).toEqual([
        'read_generations',
        'rm',
        'read_generations',
      ]);
      const guard = { position: { $lte: '017' }, epoch: { $lte: 1 } };
      expect(writes[1]?.['updates']).toMatchObject([
        { q: { _id: 'a', ...guard }, u: { position: '017', epoch: 1 }, upsert: true },
        { q: { _id: 'b', ...guard }, u: { gone: true, position: '017', epoch: 1 }, upsert: true },
      ]);
      for (const { writeConcern, autocommit } of writes) {
        expect(writeConcern).toEqual({ w: 'majority', j: true });
        expect(autocommit).toBeUndefined();
      }
      expect(writes[2]?.['updates']).toMatchObject([
        { q: { position: '0', epoch: 1 }, u: { $set: { position: '7' } } },
      ]);
    }),
  );

  it(
    'reads what a majority has from the primary, on a lone server what it has',
    bench({}, async ({ store, commands }) => {
      commands.length = 0;
      await store.find(LIVE, 'people', { limit: 5, sort: { field: 'age' } });
      const find = commands.find(({ command }) => String(command['find']).startsWith('rm.'));
      expect(find?.command).toMatchObject({
        readConcern: { level: 'majority' },
        sort: new Map([
          ['fields.age', 1],
          ['_id', 1],
        ]),
        limit: 6,
        allowDiskUse: true,
        maxTimeMS: 20_000,
      });
      await store.digest(LIVE);
      const reads = commands.slice(-2).map(({ command }) => command['readConcern'] as { level: string });
      expect(reads.map(({ level }) => level)).toEqual(['snapshot', 'snapshot']);
      expect(reads[1]).toHaveProperty('atClusterTime');
    }),
  );

  it(
    'makes the declared indexes with the id behind them, and no index for a generation that nobody queries',
    bench({}, async ({ store, wire }) => {
      expect(wire.data.indexes(physical(wire)).map(({ name, key }) => [name, key])).toEqual([
        ['_id_', { _id: 1 }],
        ['by_age', { 'fields.age': 1, _id: 1 }],
      ]);
      await store.prepare({ projection: 'people', name: 'v2' }, PEOPLE, { indexed: false });
      expect(wire.data.indexes('rm.people.v2.2.people')).toHaveLength(1);
    }),
  );
});

describe('indexes that are there already', () => {
  it.each([
    ['with another key', { name: 'by_age', key: { 'fields.age': -1 } }],
    ['that leaves out what lacks the field', { name: 'by_age', key: { 'fields.age': 1, _id: 1 }, sparse: true }],
    ['that lets no two be alike', { name: 'mine', key: { 'fields.age': 1 }, unique: true }],
    ['that removes documents', { name: 'ttl', key: { 'fields.age': 1 }, expireAfterSeconds: 5 }],
  ])('one %s is refused by name', async (_, index) => {
    await bench({}, async ({ wire, store }) => {
      const generation = { projection: 'people', name: 'v2' };
      wire.data.createIndex('rm.people.v2.2.people', index);
      await expect(store.prepare(generation, PEOPLE)).rejects.toThrow(ReadStoreDefinitionError);
      await expect(store.prepare(generation, PEOPLE)).rejects.toThrow(`index ${index.name} of rm.people.v2.2.people`);
      expect(await store.generations()).toEqual([LIVE]);
    })();
  });

  it(
    'one that was lost is made again, and one that somebody added to find faster may stay',
    bench({}, async ({ wire, store }) => {
      const name = physical(wire);
      wire.data.drop(name);
      wire.data.createIndex(name, { name: 'faster', key: { 'fields.age': 1, body: 1 } });
      await store.prepare(LIVE, PEOPLE);
      expect(wire.data.indexes(name).map((index) => index.name)).toEqual(['_id_', 'faster', 'by_age']);
    }),
  );
});

describe('a transaction', () => {
  it(
    'is not needed where a batch changes no document',
    bench({}, async ({ wire, store, from }) => {
      expect(await store.apply(LIVE, { changes: [], from, to: '3', runnerState: { why: 'idle' } })).toBe('applied');
      expect(await store.apply(LIVE, { changes: [], from, to: '4' })).toBe('fenced');
      expect(wire.sent('commitTransaction')).toHaveLength(0);
      expect(await store.checkpoint(LIVE)).toEqual({ position: '3', epoch: 1 });
    }),
  );

  it(
    'that conflicts is begun again and applied once',
    bench({}, async ({ wire, store, from }) => {
      wire.fail('update', { how: TRANSIENT, where: ({ update }) => String(update).startsWith('rm.') });
      expect(await store.apply(LIVE, { changes: [put('a', { age: 1 })], from, to: '1' })).toBe('applied');
      expect((await store.get(LIVE, 'people', 'a'))?.body).toEqual({ age: 1 });
      expect(wire.sent('commitTransaction')).toHaveLength(1);
    }),
  );

  it(
    'whose commit is answered by nobody is committed again, not written again',
    bench({}, async ({ wire, store, from }) => {
      for (let i = 0; i < 3; i++) wire.fail('commitTransaction', { how: UNKNOWN_COMMIT, afterwards: true });
      expect(await store.apply(LIVE, { changes: [put('a', {})], from, to: '1' })).toBe('applied');
      expect(new Set(wire.sent('commitTransaction').map(({ txnNumber }) => String(txnNumber))).size).toBe(1);
      expect(await store.checkpoint(LIVE)).toEqual({ position: '1', epoch: 1 });
    }),
  );

  it(
    'that stays without an answer is an error, and the checkpoint tells that it was written',
    bench({}, async ({ wire, store, from }) => {
      for (let i = 0; i < 60; i++) wire.fail('commitTransaction', { how: UNKNOWN_COMMIT, afterwards: true });
      const batch = { changes: [put('a', {})], from, to: '1' };
      await expect(store.apply(LIVE, batch)).rejects.toThrow(ReadStoreUnavailableError);
      expect(await store.checkpoint(LIVE)).toEqual({ position: '1', epoch: 1 });
      expect(await store.apply(LIVE, batch)).toBe('fenced');
    }),
  );

  it.each<[string, string, { readonly code: number; readonly codeName: string; readonly labels: string[] }, boolean]>([
    [
      'as its documents come',
      'update',
      { code: 10107, codeName: 'NotWritablePrimary', labels: [TRANSIENT.labels[0]!] },
      false,
    ],
    [
      'before it is committed',
      'commitTransaction',
      { code: 11602, codeName: 'InterruptedDueToReplStateChange', labels: ['RetryableWriteError'] },
      false,
    ],
    [
      'once it is committed',
      'commitTransaction',
      { code: 11602, codeName: 'InterruptedDueToReplStateChange', labels: ['RetryableWriteError'] },
      true,
    ],
  ])('whose primary steps down %s is applied once', async (_, command, how, afterwards) => {
    await bench({}, async ({ wire, store, from }) => {
      const where = ({ update }: BsonDocument): boolean => command !== 'update' || String(update).startsWith('rm.');
      wire.fail(command, { how, where, ...(afterwards && { afterwards: true as const }) });
      expect(await store.apply(LIVE, { changes: [put('a', { age: 1 })], from, to: '1' })).toBe('applied');
      expect((await store.get(LIVE, 'people', 'a'))?.body).toEqual({ age: 1 });
      expect(await store.checkpoint(LIVE)).toEqual({ position: '1', epoch: 1 });
    })();
  });

  it(
    'is read whole by who hears first that the server it asks is no primary any more',
    bench({}, async ({ wire, store, from }) => {
      await store.apply(LIVE, { changes: [put('a', { age: 1 })], from, to: '1' });
      wire.fail('find', { how: { code: 13435, codeName: 'NotPrimaryNoSecondaryOk' } });
      expect((await store.get(LIVE, 'people', 'a'))?.body).toEqual({ age: 1 });
    }),
  );

  it(
    'that the server refuses leaves nothing',
    bench({}, async ({ wire, store, from }) => {
      const fault = { code: 8, codeName: 'UnknownError' };
      wire.fail('update', { how: fault, afterwards: true, where: ({ update }) => String(update).startsWith('rm.') });
      await expect(store.apply(LIVE, { changes: [put('a', {})], from, to: '1' })).rejects.toThrow(/UnknownError/);
      expect(await store.checkpoint(LIVE)).toEqual(from);
      expect(await store.get(LIVE, 'people', 'a')).toBeNull();
    }),
  );
});

describe('without transactions', () => {
  const alone = { replicaSet: false };
  /** The batch's documents are written, and its process dies before the checkpoint. */
  const brokenOff = async ({ wire, store, from }: Bench, changes: readonly Change[], to: string): Promise<void> => {
    const isEnd = (command: BsonDocument): boolean =>
      (command['updates'] as { u: { $set?: { position?: string } } }[])[0]?.u.$set?.position !== undefined;
    wire.fail('update', { how: 'reset', where: isEnd });
    await expect(store.apply(LIVE, { changes, from, to })).rejects.toThrow(ReadStoreUnavailableError);
    expect(await store.checkpoint(LIVE)).toEqual(from);
  };
  const ROW: readonly Change[] = [
    put('x', { age: 1, city: 'Riga' }),
    put('y', { age: 1 }),
    merge('x', { age: 2 }),
    remove('y'),
    merge('y', { age: 5 }),
    put('z', { age: 7 }),
    remove('z'),
    merge('x', { late: true }),
  ];

  it.each([[[8]], [[1, 2, 3, 4, 5, 6, 7, 8]], [[2, 5, 8]], [[3, 4, 8]], [[9]]])(
    'a batch to 6 that broke off leaves the same as never, gone on with by batches to %j',
    async (ends) => {
      await bench(alone, async (on) => {
        const expected = await on.another();
        const other = { projection: 'people', name: 'other' };
        await expected.prepare(other, PEOPLE);
        await expected.apply(other, { changes: ROW, from: await expected.claim(other), to: '8' });
        await brokenOff(on, ROW.slice(0, 6), '6');
        const next = await on.another();
        let from = await next.claim(LIVE);
        for (const end of ends) {
          const changes = ROW.slice(Number(from.position), end);
          expect(await next.apply(LIVE, { changes, from, to: String(end) })).toBe('applied');
          from = { ...from, position: String(end) };
        }
        const { digest } = await expected.digest(other);
        expect((await next.digest(LIVE)).digest).toBe(digest);
      })();
    },
  );

  it(
    'no digest is given while documents of a broken batch are ahead of the checkpoint',
    bench(alone, async (on) => {
      await brokenOff(on, ROW.slice(0, 6), '6');
      const next = await on.another();
      const from = await next.claim(LIVE);
      await expect(next.digest(LIVE)).rejects.toThrow(ReadStoreUnavailableError);
      expect(await next.apply(LIVE, { changes: ROW.slice(0, 2), from, to: '2' })).toBe('applied');
      await expect(next.digest(LIVE)).rejects.toThrow(/broken off/);
      const at = { ...from, position: '2' };
      expect(await next.apply(LIVE, { changes: ROW.slice(2, 6), from: at, to: '6' })).toBe('applied');
      expect(await next.digest(LIVE)).toMatchObject({ position: '6', documents: 3 });
    }),
  );

  it(
    'an owner that was paused inside its batch writes over nothing of the next one, and brings back nothing deleted',
    bench(alone, async ({ wire, store, from, another }) => {
      await store.apply(LIVE, { changes: [put('x', { n: 0 }), put('y', { n: 0 })], from, to: '1' });
      // What the paused owner has on its way: documents of position 2.
      const late = { position: { $lte: '012' }, epoch: { $lte: 1 } };
      const next = await another();
      const second = await next.claim(LIVE);
      const changes = [put('x', { n: 9 }), remove('y')];
      expect(await next.apply(LIVE, { changes, from: second, to: '3' })).toBe('applied');
      const name = physical(wire);
      for (const id of ['x', 'y']) {
        const stale = { body: '{"n":2}', fields: { age: null }, position: '012', epoch: 1 };
        expect(() => wire.data.update(name, { _id: id, ...late }, stale, { upsert: true })).toThrow(/E11000/);
      }
      expect((await next.get(LIVE, 'people', 'x'))?.body).toEqual({ n: 9 });
      expect(await next.get(LIVE, 'people', 'y')).toBeNull();
      expect(await next.count(LIVE, 'people')).toBe(1);
      expect(await store.apply(LIVE, { changes: [], from: { ...from, position: '1' }, to: '2' })).toBe('fenced');
    }),
  );

  it(
    'what is applied late at the same position is written',
    bench(alone, async ({ store, from }) => {
      await store.apply(LIVE, { changes: [put('x', { n: 1 })], from, to: '5' });
      const at = { ...from, position: '5' };
      await store.apply(LIVE, { changes: [merge('x', { parked: true })], from: at, to: '5' });
      expect((await store.get(LIVE, 'people', 'x'))?.body).toEqual({ n: 1, parked: true });
    }),
  );

  it(
    'positions are compared as numbers, however long',
    bench(alone, async ({ store, from }) => {
      await store.apply(LIVE, { changes: [put('x', { n: 9 })], from, to: '9' });
      const at = { ...from, position: '9' };
      const to = '18446744073709551615';
      await store.apply(LIVE, { changes: [put('x', { n: 10 })], from: at, to });
      expect((await store.get(LIVE, 'people', 'x'))?.body).toEqual({ n: 10 });
    }),
  );
});

describe('what cannot be kept', () => {
  it.each([true, false])('over 16 MiB is refused by name and whole (transactions: %s)', async (replicaSet) => {
    await bench({ replicaSet }, async ({ store, from, wire }) => {
      await store.apply(LIVE, { changes: [put('big', { first: 1 })], from, to: '1' });
      const at = { ...from, position: '1' };
      const changes = [put('good', {}), merge('big', { more: 'y'.repeat(17_000_000) })];
      const failure = await store.apply(LIVE, { changes, from: at, to: '2' }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DocumentTooLargeError);
      expect(failure).toBeInstanceOf(InvalidChangeError);
      expect(await store.checkpoint(LIVE)).toEqual(at);
      expect(wire.data.find(physical(wire), {}).map(({ _id }) => String(_id))).toEqual(['big']);
      expect((await store.digest(LIVE)).documents).toBe(1);
    })();
  });

  it(
    'fields may have any name',
    bench({}, async ({ store, from }) => {
      const body = { 'a.b': 1, $set: 2, '': 3, '$where.x': { $gt: '' }, age: 4 };
      await store.apply(LIVE, { changes: [put('a', body), merge('a', { 'a.b': 5 })], from, to: '1' });
      expect((await store.get(LIVE, 'people', 'a'))?.body).toEqual({ ...body, 'a.b': 5 });
      const where = [{ field: 'age', equals: 4 }];
      expect((await store.find(LIVE, 'people', { where, limit: 1 })).documents).toHaveLength(1);
    }),
  );
});

it(
  'a digest of what came in one answer lets others have a turn every hundred documents',
  bench({}, async ({ store, from }) => {
    const changes = Array.from({ length: 450 }, (_, n) => put(`p${n}`, { age: n }));
    await store.apply(LIVE, { changes, from, to: '7' });
    const hashed = DigestBuilder.prototype.document;
    let [inTurn, most] = [0, 0];
    jest.spyOn(DigestBuilder.prototype, 'document').mockImplementation(function (this: DigestBuilder, ...document) {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      hashed.apply(this, document);
    });
    expect(await store.digest(LIVE)).toMatchObject({ documents: 450, position: '7' });
    expect(most).toBe(100);
  }),
);

describe('several processes', () => {
  it(
    'one that another dropped and made again is found empty, not as it was',
    bench({}, async ({ store, from, another }) => {
      await store.apply(LIVE, { changes: [put('a', {})], from, to: '1' });
      const other = await another();
      expect(await other.count(LIVE, 'people')).toBe(1);
      await store.drop(LIVE);
      await expect(other.get(LIVE, 'people', 'a')).rejects.toThrow(ReadStoreDefinitionError);
      await store.prepare(LIVE, PEOPLE);
      const again = await store.claim(LIVE);
      await store.apply(LIVE, { changes: [put('a', { anew: true })], from: again, to: '1' });
      expect((await other.get(LIVE, 'people', 'a'))?.body).toEqual({ anew: true });
    }),
  );

  it(
    'eight that prepare and claim at once have one generation and eight epochs',
    bench({}, async ({ another, wire }) => {
      const stores = await Promise.all(Array.from({ length: 8 }, () => another()));
      const fresh = { projection: 'people', name: 'fresh' };
      await Promise.all(stores.map((store) => store.prepare(fresh, PEOPLE)));
      const epochs = await Promise.all(stores.map(async (store) => (await store.claim(fresh)).epoch));
      expect(epochs.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(wire.data.names().filter((name) => name.startsWith('rm.people.fresh.'))).toHaveLength(1);
    }),
  );

  it(
    'what a drop that was broken off left goes at the next start, and nothing else does',
    bench({}, async ({ store, from, wire, another }) => {
      await store.apply(LIVE, { changes: [put('a', {})], from, to: '1' });
      wire.data.create('rm.people.gone.77.people');
      wire.data.create('rm.of.somebody');
      await another();
      expect(wire.data.names().filter((name) => name.startsWith('rm.'))).toEqual([physical(wire), 'rm.of.somebody']);
      expect(await store.count(LIVE, 'people')).toBe(1);
    }),
  );
});

describe('a server that fails', () => {
  it(
    'says nothing: the call ends with an error',
    bench({ timeoutMs: 300 }, async ({ wire, store }) => {
      for (let i = 0; i < 4; i++) wire.fail('find', { how: 'silence' });
      await expect(store.get(LIVE, 'people', 'a')).rejects.toThrow(ReadStoreUnavailableError);
    }),
  );

  it(
    'breaks the connection off once: a read is asked again by the driver',
    bench({}, async ({ wire, store, from }) => {
      await store.apply(LIVE, { changes: [put('a', {})], from, to: '1' });
      wire.fail('find', { how: 'reset' });
      expect(await store.get(LIVE, 'people', 'a')).not.toBeNull();
    }),
  );

  it('is not there: the start says where, without the password', async () => {
    const wire = await MongoWire.start();
    const { address } = wire;
    await wire.close();
    const opening = openMongoReadStore({ url: `mongodb://me:secret@${address}/mace`, timeoutMs: 200 });
    await expect(opening).rejects.toThrow(`no MongoDB at mongodb://me:***@${address}/mace`);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  it(
    'more documents than come at once are all in the digest',
    bench({ replicaSet: false }, async ({ wire, store, from }) => {
      const changes = Array.from({ length: 2500 }, (_, i) => put(`d${i}`, { age: i }));
      await store.apply(LIVE, { changes, from, to: '1' });
      expect((await store.digest(LIVE)).documents).toBe(2500);
      expect(wire.sent('getMore').length).toBeGreaterThan(1);
    }),
  );
});
