import { ResetFrames } from '../../../../test/fixtures/eventstore-wire/reset-frames.js';
import { refusals } from '../../../../test/fixtures/eventstore-wire/wire-errors.js';
import { comparePositions, positionOf, START, StoreUnavailableError, UnknownPositionError } from '../port.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';
import { idsOf, mustAppend, newEvent, newEvents, newStream, readEverything } from '../testing/contract-support.js';
import { collected, wired } from '../testing/wired-store.js';

const READS = 30;

describe('what the server writes about itself', () => {
  it(
    'is in no reading, moves no head, and ends no page before its time',
    wired(async ({ wire, store }) => {
      const before = newEvents(3);
      await mustAppend(store, newStream(), 'none', before);
      await wire.writeSystemEvents(40);
      await wire.writeSystemEvents(1, 'not-of-the-server', '$>');
      await wire.writeSystemEvents(1, '$projections-x-result', 'Result');
      const after = newEvents(2);
      const { position } = await mustAppend(store, newStream(), 'none', after);
      await wire.writeSystemEvents(700);
      expect(await store.head()).toBe(position);
      for (const limit of [1, 2, 4, 100]) {
        expect(idsOf(await readEverything(store, START, limit))).toEqual(idsOf([...before, ...after]));
      }
      expect(await store.readAll({ after: position, limit: 5 })).toEqual({
        events: [],
        scannedTo: position,
        atHead: true,
      });
      const { events } = await collected(store, { after: START, pageSize: 3 }, (_, caughtUps) => caughtUps > 0);
      expect(idsOf(events)).toEqual(idsOf([...before, ...after]));
    }),
  );

  it(
    'stands alone in the log: it is empty',
    wired(async ({ wire, store, another }) => {
      await wire.writeSystemEvents(600);
      const fresh = await another();
      expect(await fresh.head()).toBe(START);
      expect(await store.readAll({ after: START, limit: 10 })).toEqual({ events: [], scannedTo: START, atHead: true });
    }),
  );

  it(
    'has names that nothing of ours may have',
    wired(async ({ store }) => {
      await expect(store.append('$mine', 'none', [newEvent()])).rejects.toThrow(TypeError);
      await expect(store.append(newStream(), 'none', [newEvent('{}', '$mine')])).rejects.toThrow(TypeError);
    }),
  );
});

describe('a position', () => {
  it(
    'at which no event begins is refused, and not read past in silence',
    wired(async ({ store }) => {
      const { position } = await mustAppend(store, newStream(), 'none', newEvents(3));
      const between = positionOf(BigInt(position) - 1n);
      await expect(store.readAll({ after: between, limit: 10 })).rejects.toThrow(new UnknownPositionError(between));
      expect(await store.eventAt!(between)).toBeUndefined();
    }),
  );

  it(
    'that cannot be read while nothing can is not taken for one that is no event’s',
    wired(async ({ wire, store }) => {
      const { position } = await mustAppend(store, newStream(), 'none', newEvents(3));
      const broken = { kind: 'refuse', error: refusals.invalidPosition() } as const;
      wire.misbehave('read', [broken, broken]);
      await expect(store.eventAt!(position)).rejects.toThrow(StoreUnavailableError);
      expect(await store.eventAt!(position)).toMatchObject({ position });
    }),
  );

  it(
    'finds its event, and nothing where none begins behind it',
    wired(async ({ wire, store }) => {
      const events = newEvents(3);
      const { position } = await mustAppend(store, newStream(), 'none', events);
      await wire.writeSystemEvents(1);
      expect(await store.eventAt!(position)).toMatchObject({ id: events[2]!.id, position });
      expect(await store.eventAt!(positionOf(BigInt(position) + 512_000n))).toBeUndefined();
    }),
  );

  it(
    'is the same in a stream and in the log, and larger for what was appended later',
    wired(async ({ store }) => {
      const stream = newStream();
      const first = await mustAppend(store, stream, 'none', newEvents(2));
      const second = await mustAppend(store, stream, 2, newEvents(2));
      expect(comparePositions(first.position, second.position)).toBeLessThan(0);
      const { events } = await store.readStream(stream);
      expect(events).toEqual((await store.readAll({ after: START, limit: 10 })).events);
      expect(events[3]!.position).toBe(second.position);
    }),
  );
});

it(
  'a read that breaks off in the middle is refused whole',
  wired(async ({ wire, store }) => {
    const stream = newStream();
    await mustAppend(store, stream, 'none', newEvents(50));
    wire.misbehave('read', [{ kind: 'half a page' }, { kind: 'half a page' }]);
    await expect(store.readStream(stream)).rejects.toThrow(StoreUnavailableError);
    await expect(store.readAll({ after: START, limit: 100 })).rejects.toThrow(StoreUnavailableError);
    expect((await store.readStream(stream)).events).toHaveLength(50);
  }),
);

it(
  'a page ends where its events become large',
  wired(async ({ store }) => {
    for (let i = 0; i < 12; i++) await mustAppend(store, newStream(), 'none', [newEvent(`"${'x'.repeat(900_000)}"`)]);
    const page = await store.readAll({ after: START, limit: 100 });
    expect(page.events.length).toBeLessThan(12);
    expect(page.atHead).toBe(false);
    expect(await readEverything(store, START, 100)).toHaveLength(12);
  }),
);

describe('a connection', () => {
  // A server of HTTP/2 ends one on which calls are cancelled often: Node's at a thousand within a second or so.
  it(
    'sees no read cancelled that found what it looks for, or that it is not there',
    wired(async ({ wire }) => {
      const frames = await ResetFrames.before(wire.address);
      const store = await openEventStoreDb({ url: `esdb://127.0.0.1:${frames.port}?tls=false`, waitMs: 60_000 });
      try {
        const [stream, absent] = [newStream(), newStream()];
        const { position } = await mustAppend(store, stream, 'none', newEvents(3));
        const behind = positionOf(BigInt(position) + 512_000n);
        const reads: Readonly<Record<string, () => Promise<unknown>>> = {
          head: () => store.head(),
          'an event': () => store.eventAt!(position),
          'an event that is not there': () => store.eventAt!(behind),
          'a stream that is not there': () => store.readStream(absent),
          'the first of a stream': () => store.readStream(stream, { limit: 1 }),
          'the last of a stream': () => store.readStream(stream, { limit: 1, backwards: true }),
          'the first of all': () => store.readAll({ after: START, limit: 1 }),
        };
        for (const [what, read] of Object.entries(reads)) {
          const before = frames.count;
          // One at a time: of several the ends come together, and there is nothing left to cancel.
          for (let i = 0; i < READS; i++) await read();
          const isOftenCancelled = frames.count - before > READS / 5;
          expect({ what, isOftenCancelled }).toEqual({ what, isOftenCancelled: false });
        }
      } finally {
        await store.close();
        await frames.close();
      }
    }),
  );

  it(
    'that is lost between refusals of servers that do not lead makes no reading without end',
    wired(async ({ wire, store }) => {
      await mustAppend(store, newStream(), 'none', newEvents(1));
      const { host, port } = new URL(wire.url.replace(/^esdb/, 'http')) as unknown as { host: string; port: string };
      const elsewhere = { kind: 'refuse', error: refusals.notLeader(host.split(':')[0]!, Number(port)) } as const;
      const lost = { kind: 'refuse', error: refusals.notReady() } as const;
      wire.misbehave('read', [elsewhere, elsewhere, elsewhere, lost, ...Array.from({ length: 20 }, () => elsewhere)]);
      await expect(store.head()).rejects.toThrow(/no leader/);
    }),
  );

  it(
    'that is lost before the first record of a read costs one further attempt',
    wired(async ({ wire, store }) => {
      const stream = newStream();
      const { position } = await mustAppend(store, stream, 'none', newEvents(3));
      for (const error of [refusals.calmDown(), refusals.notReady()]) {
        const lost = { kind: 'refuse', error } as const;
        wire.misbehave('read', [lost]);
        expect((await store.readStream(stream)).events).toHaveLength(3);
        wire.misbehave('read', [lost]);
        expect((await store.readAll({ after: START, limit: 10 })).events).toHaveLength(3);
        wire.misbehave('read', [lost]);
        expect(await store.head()).toBe(position);
        wire.misbehave('read', [lost, lost]);
        await expect(store.readStream(stream)).rejects.toThrow(StoreUnavailableError);
      }
    }),
  );
});
