import { EventStoreDBClient } from '@eventstore/db-client';

import { BEYOND_THE_END, type EventStore, START } from '../port.js';
import { mustAppend, newEvent, newEvents, newStream } from '../testing/contract-support.js';
import { type Wired, wired } from '../testing/wired-store.js';

const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };

/** As whoever follows the log of a process does, for the time of a test. */
async function following<T>(store: EventStore, body: () => Promise<T>): Promise<T> {
  const ends = new AbortController();
  let tellCaughtUp = (): void => undefined;
  const caughtUp = new Promise<void>((resolve) => (tellCaughtUp = resolve));
  const follow = async (): Promise<void> => {
    for await (const { kind } of store.subscribeAll({ after: START, signal: ends.signal }))
      if (kind === 'caughtUp') tellCaughtUp();
  };
  const follower = follow();
  await caughtUp;
  try {
    return await body();
  } finally {
    ends.abort();
    await follower;
  }
}

async function versionsOf(store: EventStore, streams: readonly string[]): Promise<readonly number[]> {
  const slices = await store.readStreams!(streams.map((stream) => ({ stream, from: BEYOND_THE_END, limit: 1 })));
  return slices.map((slice) => slice!.version);
}

/** Seven streams, which the store has looked at. */
async function seven({ store }: Pick<Wired, 'store'>): Promise<readonly string[]> {
  const streams = Array.from({ length: 7 }, () => newStream());
  for (const [i, stream] of streams.entries()) await mustAppend(store, stream, 'none', newEvents(i + 1));
  expect(await versionsOf(store, streams)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  return streams;
}

async function reads({ wire }: Pick<Wired, 'wire'>, ask: () => Promise<unknown>): Promise<number> {
  const before = wire.calls.read;
  await ask();
  return wire.calls.read - before;
}

describe('versions of streams that were looked at', () => {
  it(
    'cost one call together, and are never older than what another process was told is stored',
    wired(async (bench) => {
      const { store, another } = bench;
      const other = await another();
      await following(store, async () => {
        const streams = await seven(bench);
        expect(await reads(bench, () => versionsOf(store, streams))).toBe(1);
        for (let nth = 1; nth <= 50; nth++) {
          await mustAppend(other, streams[0]!, nth, [newEvent()]);
          expect((await versionsOf(store, streams))[0]).toBe(nth + 1);
        }
      });
    }),
  );

  it(
    'cost one call for as many as ask while another is under way',
    wired(async (bench) => {
      const { store } = bench;
      await following(store, async () => {
        const streams = await seven(bench);
        const ask = (): Promise<unknown> => Promise.all(Array.from({ length: 20 }, () => versionsOf(store, streams)));
        expect(await reads(bench, ask)).toBeLessThanOrEqual(2);
      });
    }),
  );

  it(
    'are read one by one where nothing comes to the tail any more, and are right',
    wired(async (bench) => {
      const { store, wire, another } = bench;
      const other = await another();
      await following(store, async () => {
        const streams = await seven(bench);
        const release = wire.holdSubscribers();
        await mustAppend(other, streams[6]!, 7, newEvents(3));
        expect(await versionsOf(store, streams)).toEqual([1, 2, 3, 4, 5, 6, 10]);
        release();
      });
    }),
  );

  it(
    'are read anew once a connection was lost, and once a stream was deleted',
    wired(async (bench) => {
      const { store, wire, another } = bench;
      await following(store, async () => {
        const streams = await seven(bench);
        wire.reset();
        await wire.settled();
        await store.head();
        expect(await versionsOf(store, streams)).toEqual([1, 2, 3, 4, 5, 6, 7]);
        const client = new EventStoreDBClient(
          { endpoint: { ...wire.address, address: wire.address.host } },
          { insecure: true },
        );
        await client.deleteStream(streams[2]!, CREDENTIALS);
        await client.dispose();
        await mustAppend(await another(), newStream(), 'none', [newEvent()]);
        expect(await versionsOf(store, streams)).toEqual([1, 2, 0, 4, 5, 6, 7]);
      });
    }),
  );

  it(
    'cost one call for streams that were never looked at, where the log was followed from its beginning',
    wired(async (bench) => {
      const { store, another } = bench;
      const other = await another();
      await following(store, async () => {
        const streams = Array.from({ length: 64 }, () => newStream());
        for (const stream of streams.slice(0, 3)) await mustAppend(other, stream, 'none', newEvents(2));
        const ask = async (): Promise<void> =>
          expect(await versionsOf(store, streams)).toEqual(streams.map((_, i) => (i < 3 ? 2 : 0)));
        expect(await reads(bench, ask)).toBe(1);
        const long = streams.map((stream) => `${stream}-${'x'.repeat(600)}`);
        await mustAppend(other, long[0]!, 'none', [newEvent()]);
        expect(await versionsOf(store, long)).toEqual(long.map((_, i) => (i < 1 ? 1 : 0)));
      });
    }),
  );

  it(
    'are read where nobody follows the log',
    wired(async (bench) => {
      const streams = await seven(bench);
      expect(await reads(bench, () => versionsOf(bench.store, streams))).toBe(7);
    }),
  );
});

describe('a stream that is not there', () => {
  it(
    'costs one call, however it is asked for',
    wired(async (bench) => {
      const { store } = bench;
      const asks = [
        () => store.readStream(newStream()),
        () => store.readStream(newStream(), { from: 3 }),
        () => store.readStream(newStream(), { backwards: true }),
        () => store.streamVersion(newStream()),
        () => versionsOf(store, [newStream()]),
      ];
      for (const ask of asks) expect(await reads(bench, ask)).toBe(1);
    }),
  );
});
