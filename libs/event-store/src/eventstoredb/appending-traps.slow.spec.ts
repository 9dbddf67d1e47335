import { EventStoreDBClient } from '@eventstore/db-client';

import { storeUuid } from '#lib/kernel';

import { refusals } from '../../../../test/fixtures/eventstore-wire/wire-errors.js';
import { IntegrityError } from '../codec/integrity-error.js';
import { splitBySize } from '../append-size.js';
import { AppendTooLargeError, START, StorageFullError, StoreUnavailableError } from '../port.js';
import { idsOf, mustAppend, newEvent, newEvents, newStream } from '../testing/contract-support.js';
import { wired, type Wired } from '../testing/wired-store.js';

const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };

/** The client as it comes, on the same server. */
function bare({ wire }: Pick<Wired, 'wire'>): EventStoreDBClient {
  const { host: address, port } = wire.address;
  return new EventStoreDBClient({ endpoint: { address, port } }, { insecure: true });
}

describe('the path of an append', () => {
  it(
    'is the unary one, with a user in the connection string and without',
    wired(async ({ wire, store }) => {
      await mustAppend(store, newStream(), 'none', newEvents(3));
      expect(wire.calls).toMatchObject({ append: 1, batchAppend: 0 });
    }),
  );

  it(
    'is not cut off when another store of the process is closed',
    wired(async ({ wire, store, another }) => {
      const other = await another();
      await mustAppend(other, newStream(), 'none', [newEvent()]);
      let go: () => void = () => undefined;
      const stream = newStream();
      wire.misbehave('append', [{ kind: 'wait', until: new Promise<void>((resolve) => (go = resolve)) }], stream);
      const appending = mustAppend(store, stream, 'none', [newEvent()]);
      await other.close();
      go();
      expect(await appending).toMatchObject({ version: 1, repeated: false });
    }),
  );

  it(
    'takes ids that are no UUIDs: the server is given a UUID, and the id comes back',
    wired(async ({ store }) => {
      const [stream, event] = [newStream(), newEvent()];
      await mustAppend(store, stream, 'none', [event]);
      expect((await store.readStream(stream)).events).toMatchObject([{ id: event.id, text: event.text }]);
    }),
  );
});

describe('a server that does not answer', () => {
  it(
    'holds no call longer than the deadline of the connection string',
    wired(async ({ wire, store, another }) => {
      const hasty = await another('&defaultDeadline=3000');
      const [stream, lost] = [newStream(), newStream()];
      const event = newEvent();
      wire.misbehave('append', [{ kind: 'hang' }], stream);
      wire.misbehave('append', [{ kind: 'answer never' }], lost);
      wire.misbehave('read', [{ kind: 'hang' }, { kind: 'hang' }, { kind: 'hang' }]);
      const calls = [
        hasty.append(stream, 'none', [event]),
        hasty.append(lost, 'none', [event]),
        hasty.head(),
        hasty.readStream(stream),
        hasty.streamVersion(stream),
      ];
      const unavailable = { status: 'rejected', reason: { name: StoreUnavailableError.name } };
      expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => unavailable));
      expect(await mustAppend(store, stream, 'none', [event])).toMatchObject({ repeated: false, version: 1 });
      expect(await mustAppend(store, lost, 'none', [event])).toMatchObject({ repeated: true, version: 1 });
    }),
  );

  it(
    'is no longer there: every call says so, and works again once it is back',
    wired(async ({ wire, store }) => {
      const stream = newStream();
      const event = newEvent();
      await wire.stop();
      await expect(store.append(stream, 'none', [event])).rejects.toThrow(StoreUnavailableError);
      await expect(store.readStream(stream)).rejects.toThrow(StoreUnavailableError);
      await wire.listen();
      expect(await mustAppend(store, stream, 'none', [event])).toMatchObject({ version: 1, repeated: false });
    }),
  );
});

describe('an append whose connection is cut', () => {
  it(
    'after it was written is unknown; asked again it is repeated, and stored once',
    wired(async ({ wire, store }) => {
      const [stream, events] = [newStream(), newEvents(3)];
      wire.misbehave('append', [{ kind: 'lose the answer' }]);
      await expect(store.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
      await wire.settled();
      expect(await mustAppend(store, stream, 'none', events)).toMatchObject({ repeated: true, version: 3 });
      expect(idsOf((await store.readStream(stream)).events)).toEqual(idsOf(events));
    }),
  );

  it(
    'by a server that tells it to calm down is no refusal for want of room: whether it was written is unknown',
    wired(async ({ wire, store }) => {
      const [stream, events] = [newStream(), newEvents(2)];
      wire.misbehave('append', [{ kind: 'refuse', error: refusals.calmDown() }]);
      await expect(store.append(stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
      expect(await mustAppend(store, stream, 'none', events)).toMatchObject({ repeated: false, version: 2 });
    }),
  );

  it(
    'before it was written is unknown too, and is appended when it is asked again',
    wired(async ({ wire, store }) => {
      const [stream, events] = [newStream(), newEvents(2)];
      await mustAppend(store, stream, 'none', [newEvent()]);
      wire.misbehave('append', [{ kind: 'reset' }]);
      await expect(store.append(stream, 1, events)).rejects.toThrow(StoreUnavailableError);
      await wire.settled();
      expect(await mustAppend(store, stream, 1, events)).toMatchObject({ repeated: false, version: 3 });
    }),
  );

  it(
    'is asked again by another process, which finds it, too',
    wired(async ({ wire, store, another }) => {
      const [stream, events] = [newStream(), newEvents(2)];
      await mustAppend(store, stream, 'none', [newEvent()]);
      wire.misbehave('append', [{ kind: 'lose the answer' }]);
      await expect(store.append(stream, 1, events)).rejects.toThrow(StoreUnavailableError);
      await wire.settled();
      const other = await another();
      expect(await mustAppend(other, stream, 1, events)).toMatchObject({ repeated: true, version: 3 });
    }),
  );

  it(
    'is one of 64: asked again, each stands once, and none that was acknowledged is gone',
    wired(async ({ wire, store }) => {
      const appends = Array.from({ length: 64 }, () => ({ stream: newStream(), event: newEvent() }));
      wire.misbehave('append', [{ kind: 'lose the answer' }], appends[40]!.stream);
      const first = await Promise.allSettled(appends.map(({ stream, event }) => store.append(stream, 'none', [event])));
      expect(first[40]).toMatchObject({ status: 'rejected', reason: { name: StoreUnavailableError.name } });
      await wire.settled();
      for (const [i, { stream, event }] of appends.entries()) {
        const again = await mustAppend(store, stream, 'none', [event]);
        if (first[i]!.status === 'fulfilled') expect(again.repeated).toBe(true);
        expect(idsOf((await store.readStream(stream)).events)).toEqual([event.id]);
      }
    }),
  );
});

describe('the server’s own idempotency', () => {
  it(
    'takes other bytes under a known id for what it has; the ids it is given here are of one writing each',
    wired(async (bench) => {
      const { store, another } = bench;
      const [stream, event] = [newStream(), newEvent('{"sealed":"by one"}')];
      const client = bare(bench);
      const raw = {
        id: storeUuid(event.id),
        contentType: 'application/octet-stream' as const,
        type: 'Happened',
        metadata: undefined,
      };
      const options = { ...CREDENTIALS, expectedRevision: 'no_stream' as const };
      await client.appendToStream(`${stream}-raw`, { ...raw, data: Buffer.from('{"n":1}') }, options);
      const trap = client.appendToStream(`${stream}-raw`, { ...raw, data: Buffer.from('{"n":2}') }, options);
      expect(await trap).toMatchObject({ success: true });
      await client.dispose();

      // Two processes carry out one command; neither has seen what the other wrote.
      const other = await another();
      const resealed = { ...event, text: '{"sealed":"by the other"}' };
      await mustAppend(store, stream, 'none', [event]);
      expect(await mustAppend(other, stream, 'none', [resealed])).toMatchObject({ repeated: true, version: 1 });
      expect((await other.readStream(stream)).events).toMatchObject([{ text: event.text }]);
    }),
  );

  it(
    'drops what has the ids of an append under way; of processes that write the same at once none is',
    wired(async (bench) => {
      const { store, wire, another } = bench;
      const client = bare(bench);
      const raw = {
        id: storeUuid(newEvent().id),
        contentType: 'application/octet-stream' as const,
        type: 'Happened',
        metadata: undefined,
        data: Buffer.from('{"n":1}'),
      };
      const options = { ...CREDENTIALS, expectedRevision: 'no_stream' as const };
      const both = await Promise.allSettled([1, 2].map(() => client.appendToStream('raw', raw, options)));
      await client.dispose();
      expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 10 } }]);

      const stores = [store, await another(), await another()];
      for (let nth = 0; nth < 20; nth++) {
        const [stream, events] = [newStream(), newEvents(2)];
        // The first is committed, and not yet to be read by those who came too late.
        wire.misbehave('read', [{ kind: 'not indexed yet' }, { kind: 'not indexed yet' }], stream);
        const answers = await Promise.all(stores.map((one) => mustAppend(one, stream, 'none', events)));
        expect(answers.map(({ version }) => version)).toEqual([2, 2, 2]);
        expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
      }
    }),
  );

  it(
    'makes no stream of an append without events, which never gets there',
    wired(async (bench) => {
      const stream = newStream();
      const client = bare(bench);
      const empty = await client.appendToStream(stream, [], { ...CREDENTIALS, expectedRevision: 'no_stream' });
      await client.dispose();
      expect(empty.success).toBe(true);
      expect(await bench.store.streamVersion(stream)).toBe(0);
      await expect(bench.store.append(stream, 'none', [] as never)).rejects.toThrow(TypeError);
    }),
  );
});

describe('a refusal of the server', () => {
  it(
    'of an append that is too large, or for which there is no room, is told as that',
    wired(async ({ wire, store }) => {
      const refuse = (error: Error): void => wire.misbehave('append', [{ kind: 'refuse', error }]);
      refuse(refusals.tooLarge(1024));
      await expect(store.append(newStream(), 'none', [newEvent()])).rejects.toThrow(AppendTooLargeError);
      refuse(refusals.full());
      // Whoever is refused reads it: it says nothing of the server's own words.
      const refused = await store.append(newStream(), 'none', [newEvent()]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StorageFullError);
      expect(refused).toMatchObject({ reason: 'the disk of EventStoreDB is full', cause: expect.any(Error) as Error });
      refuse(refusals.timeout('commit'));
      await expect(store.append(newStream(), 'none', [newEvent()])).rejects.toThrow(StoreUnavailableError);
    }),
  );

  it(
    'that another node leads is followed, and the append is written once',
    wired(async ({ wire, store }) => {
      const { host, port } = wire.address;
      wire.misbehave('append', [{ kind: 'refuse', error: refusals.notLeader(host, port) }]);
      const [stream, event] = [newStream(), newEvent()];
      expect(await mustAppend(store, stream, 'none', [event])).toMatchObject({ repeated: false, version: 1 });
      wire.misbehave('read', [{ kind: 'refuse', error: refusals.notLeader(host, port) }]);
      expect(await store.streamVersion(stream)).toBe(1);
    }),
  );

  it(
    'counts types and metadata: parts that are cut for an append stay within it',
    wired(async ({ store }) => {
      const events = Array.from({ length: 4000 }, () => newEvent(`"${'x'.repeat(250)}"`, 'A_TYPE_OF_SOME_LENGTH'));
      await expect(store.append(newStream(), 'none', events as never)).rejects.toThrow(AppendTooLargeError);
      const stream = newStream();
      let version = 0;
      for (const part of splitBySize(events)) version = (await mustAppend(store, stream, version, part)).version;
      expect(version).toBe(events.length);
    }),
  );
});

describe('a stream that somebody deleted', () => {
  it(
    'for good is refused in every way, as what is not what was signed: an outage would be waited for, by all that reads it',
    wired(async (bench) => {
      const { store, another } = bench;
      const stream = newStream();
      await mustAppend(store, stream, 'none', newEvents(2));
      const client = bare(bench);
      await client.tombstoneStream(stream, CREDENTIALS);
      await client.dispose();
      const refused = new IntegrityError(
        stream,
        0,
        'the stream was deleted for good; restore the database from a backup',
      );
      for (const reader of [store, await another()]) {
        await expect(reader.append(stream, 2, [newEvent()])).rejects.toThrow(refused);
        await expect(reader.append(stream, 'none', [newEvent()])).rejects.toThrow(refused);
        await expect(reader.append(stream, 'exists', [newEvent()])).rejects.toThrow(refused);
        await expect(reader.readStream(stream)).rejects.toThrow(refused);
        await expect(reader.readStream(stream, { from: 1, backwards: true })).rejects.toThrow(refused);
        await expect(reader.streamVersion(stream)).rejects.toThrow(refused);
      }
      const next = newStream();
      await mustAppend(store, next, 'none', newEvents(1));
      expect((await store.readAll({ after: START, limit: 10 })).events.map((event) => event.stream)).toContain(next);
    }),
  );

  it(
    'so that it can begin anew reads as missing, and what begins behind its old end is not taken for its beginning',
    wired(async (bench) => {
      const { store, another } = bench;
      const stream = newStream();
      await mustAppend(store, stream, 'none', newEvents(2));
      const client = bare(bench);
      await client.deleteStream(stream, CREDENTIALS);
      await client.dispose();
      const other = await another();
      expect(await other.readStream(stream)).toEqual({ events: [], version: 0 });
      expect(await other.append(stream, 1, [newEvent()])).toEqual({ outcome: 'conflict', version: 0 });
      expect(await other.append(stream, 'exists', [newEvent()])).toEqual({ outcome: 'conflict', version: 0 });
      await expect(other.append(stream, 'none', [newEvent()])).rejects.toThrow('was deleted and began anew');
      // No outage, which somebody would wait for the end of: the same as events that are missing in a data folder.
      await expect(other.readStream(stream)).rejects.toThrow(
        new IntegrityError(stream, 0, 'the stream has lost its events before number 2: it was deleted or cut short'),
      );
    }),
  );
});

it(
  'an event that somebody else wrote into a stream is handed on, for the codec to refuse',
  wired(async (bench) => {
    const client = bare(bench);
    const id = storeUuid('f'.repeat(64));
    await client.appendToStream(
      'foreign',
      { id, contentType: 'application/json', type: 'X', data: { a: 1 }, metadata: undefined },
      CREDENTIALS,
    );
    await client.dispose();
    const { events } = await bench.store.readStream('foreign');
    expect(events).toMatchObject([{ type: 'X', text: '{"a":1}' }]);
    expect(events[0]!.id).toMatch(/^[0-9a-f]{64}$/);
  }),
);
