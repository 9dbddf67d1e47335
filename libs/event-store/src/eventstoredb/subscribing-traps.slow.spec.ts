import { eventually, until } from '../../../../test/support/eventually.js';
import { type EventStore, type Position, positionOf, START } from '../port.js';
import { idsOf, mustAppend, newEvent, newEvents, newStream } from '../testing/contract-support.js';
import { collected, wired } from '../testing/wired-store.js';

/** As many appends of one event each. */
async function appendEach(store: EventStore, count: number, type = 'Happened'): Promise<string[]> {
  const ids: string[] = [];
  const stream = newStream();
  for (let version = 0; version < count; version++) {
    const event = newEvent('{}', type);
    // A connection that ends takes with it what was begun on it: then it is asked again.
    await eventually(() => store.append(stream, version, [event]).catch(() => null));
    ids.push(event.id);
  }
  return ids;
}

const inAll = (count: number) => (events: readonly unknown[]) => events.length >= count;

describe('a subscription that the server ends', () => {
  it(
    'for lag is begun again: nothing is lost, nothing doubled, caughtUp said once',
    wired(async ({ wire, store }) => {
      const before = await appendEach(store, 5);
      let isCaughtUp = false;
      const collecting = collected(store, { after: START }, (events, caughtUps) => {
        isCaughtUp = caughtUps > 0;
        return events.length >= 85;
      });
      await until(() => isCaughtUp);
      const takeAgain = wire.holdSubscribers();
      const during = await appendEach(store, 60);
      takeAgain();
      const after = await appendEach(store, 20);
      const { events, caughtUps } = await collecting;
      expect(idsOf(events)).toEqual([...before, ...during, ...after]);
      expect(caughtUps).toBe(1);
      expect(wire.calls.subscribe).toBeGreaterThan(2);
    }),
  );

  it(
    'with its connections, again and again, neither loses nor doubles anything',
    wired(async ({ wire, store, another }) => {
      const before = newEvents(500);
      await mustAppend(store, newStream(), 'none', before);
      const reader = await another();
      let seen = 0;
      const collecting = collected(reader, { after: START, pageSize: 7 }, (events) => {
        const cuts = Math.floor(seen / 150) < Math.floor(events.length / 150);
        seen = events.length;
        if (cuts) wire.reset();
        return events.length >= 540;
      });
      const after: string[] = [];
      for (let i = 0; i < 40; i++) {
        const event = newEvent();
        const stream = newStream();
        // Cut off with the others, it is asked again until it stands.
        await eventually(() => mustAppend(store, stream, 'none', [event]).catch(() => null));
        after.push(event.id);
      }
      expect(idsOf((await collecting).events)).toEqual([...idsOf(before), ...after]);
    }),
  );

  it(
    'by going away is begun again when it is back, on the same port',
    wired(async ({ wire, store }) => {
      const before = await appendEach(store, 3);
      let seen = 0;
      const collecting = collected(store, { after: START }, (events) => {
        seen = events.length;
        return seen >= 6;
      });
      await until(() => seen === 3);
      await wire.stop();
      await expect(store.append(newStream(), 'none', [newEvent()])).rejects.toThrow('unavailable');
      await wire.listen();
      const after = await appendEach(store, 3);
      expect(idsOf((await collecting).events)).toEqual([...before, ...after]);
    }),
  );

  it(
    'while nobody hears of it ends with the signal, and with the store',
    wired(async ({ wire, store, another }) => {
      const other = await another();
      const ends = new AbortController();
      const drain = async (one: EventStore, signal?: AbortSignal): Promise<string> => {
        for await (const item of one.subscribeAll({ after: START, ...(signal && { signal }) })) void item;
        return 'ended';
      };
      const [aborted, closed] = [drain(store, ends.signal), drain(other)];
      await until(() => wire.calls.subscribe === 2);
      await wire.stop();
      ends.abort();
      expect(await aborted).toBe('ended');
      await other.close();
      expect(await closed).toBe('ended');
    }),
  );
});

describe('a filter on the server', () => {
  it(
    'gives empty pages where nothing is found for long, and no other type that begins alike',
    wired(async ({ store, another }) => {
      let version = 0;
      const stream = newStream();
      for (let i = 0; i < 6; i++) {
        const others = Array.from({ length: 500 }, () => newEvent('{}', 'WantedNot'));
        version = (await mustAppend(store, stream, version, others as never)).version;
      }
      const wanted = newEvent('{}', 'Wanted');
      const { position } = await mustAppend(store, newStream(), 'none', [wanted]);
      // Of a type that the server has to look for: one that begins otherwise than all there is.
      const reader = await another();
      const none = await collected(reader, { after: START, types: ['Absent'] }, (_, caughtUps) => caughtUps > 0);
      expect(none).toMatchObject({ events: [], caughtUps: 1 });
      expect(none.emptyPages).toBeGreaterThan(1);
      const some = await collected(reader, { after: START, types: ['Wanted'] }, (_, caughtUps) => caughtUps > 0);
      expect(some.events).toMatchObject([{ id: wanted.id, position }]);
    }),
  );

  it(
    'lets the checkpoint follow the head, also past what it keeps back',
    wired(async ({ store }) => {
      let at: Position = START;
      const ends = new AbortController();
      const following = (async () => {
        for await (const item of store.subscribeAll({ after: START, types: ['Wanted'], signal: ends.signal })) {
          at = item.kind === 'page' ? item.page.scannedTo : item.position;
        }
      })();
      for (const type of ['Other', 'Wanted', 'Other']) {
        await appendEach(store, 1, type);
        const head = await store.head();
        await until(() => at === head);
      }
      ends.abort();
      await following;
    }),
  );
});

it(
  'a subscription from beyond the end waits in silence, and gives what comes to lie behind it',
  wired(async ({ store }) => {
    const { position } = await mustAppend(store, newStream(), 'none', [newEvent()]);
    const beyond = positionOf(BigInt(position) + 512n);
    const collecting = collected(store, { after: beyond }, inAll(1));
    const [, , third] = [...(await appendEach(store, 3))];
    expect(idsOf((await collecting).events)).toEqual([third]);
  }),
);

it(
  'subscribers of one process share one live subscription, and each has its own place',
  wired(async ({ wire, store }) => {
    const before = await appendEach(store, 10);
    const followed = Array.from({ length: 8 }, (_, i) =>
      collected(store, { after: START, pageSize: 1 + i }, inAll(30)),
    );
    const after = await appendEach(store, 20);
    for (const { events } of await Promise.all(followed)) expect(idsOf(events)).toEqual([...before, ...after]);
    // One live, and one for each that had to catch up.
    expect(wire.calls.subscribe).toBeLessThanOrEqual(9);
  }),
);

it(
  'a subscription that catches up hands over small pages, since the connection rests while one is worked on',
  wired(async ({ store, another }) => {
    await mustAppend(store, newStream(), 'none', newEvents(300));
    const ends = new AbortController();
    const sizes: number[] = [];
    for await (const item of (await another()).subscribeAll({ after: START, pageSize: 1000, signal: ends.signal })) {
      if (item.kind === 'page') sizes.push(item.page.events.length);
      else ends.abort();
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64);
  }),
);

it(
  'a subscription to a server that is away begins when it comes',
  wired(async ({ wire, store }) => {
    await wire.stop();
    const collecting = collected(store, { after: START }, inAll(1));
    await wire.listen();
    const [id] = await appendEach(store, 1);
    expect(idsOf((await collecting).events)).toEqual([id]);
  }),
);
