import { comparePositions, positionOf, START } from '../port.js';
import {
  type EventStoreUnderTest,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  newStream,
  readEverything,
  withStore,
} from './contract-support.js';

/** Texts that a store without care gives back as something else. */
const DELICATE_TEXTS: readonly [string, string][] = [
  ['an escaped NUL', '{"a":"x\\u0000y"}'],
  ['astral characters', '{"a":"𝒜🧿👩‍👩‍👧‍👦"}'],
  ['decomposed and composed forms', '{"a":"é","b":"é"}'],
  ['numbers that do not survive a parse', '{"a":1.0,"b":1e400,"c":9007199254740993,"d":-0}'],
  ['keys in an order of their own, twice the same, and __proto__', '{"b":1,"a":2,"a":3,"__proto__":{"x":1}}'],
  ['white space and line ends', ' {\r\n\t"a" : [ ] }\n'],
  ['quotes and SQL', `{"a":"'); DROP TABLE events; --"}`],
  ['the byte order mark and U+2028', '"\ufeff\u2028"'],
  ['800 KB', `"${'ä'.repeat(409_600)}"`],
];

export function describeReading(underTest: EventStoreUnderTest): void {
  it.each(DELICATE_TEXTS)('%s come back byte for byte', (_, text) =>
    withStore(underTest, async ({ store, start }) => {
      const stream = newStream();
      const event = newEvent(text);
      await store.append(stream, 'none', [event]);
      const [fromStream] = (await store.readStream(stream)).events;
      const [fromAll] = (await store.readAll({ after: start, limit: 10 })).events;
      expect(fromStream!.text === text && fromAll!.text === text).toBe(true);
      expect(fromStream).toMatchObject({ id: event.id, type: event.type, stream, revision: 0 });
    })(),
  );

  it(
    'a stream name and an event type of any script come back unchanged',
    withStore(underTest, async ({ store }) => {
      const stream = newStream('sem:user:žluťoučký 🐎/€#?&%20');
      await store.append(stream, 'none', [newEvent('{}', 'Ereignis-Größe')]);
      expect((await store.readStream(stream)).events).toMatchObject([{ stream, type: 'Ereignis-Größe' }]);
    }),
  );

  it(
    'a stream that does not exist reads as empty, with version 0',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      expect(await store.readStream(stream)).toEqual({ events: [], version: 0 });
      expect(await store.readStream(stream, { backwards: true })).toEqual({ events: [], version: 0 });
      expect(await store.streamVersion(stream)).toBe(0);
    }),
  );

  it(
    'the version of a stream that is known at once, where it can be, is the one that is asked for, and none while an append is under way',
    withStore(underTest, async ({ store }) => {
      if (!store.knownVersion) return;
      const stream = newStream();
      await store.append(stream, 'none', newEvents(2));
      expect(store.knownVersion(stream)).toBe(2);
      const under = store.append(stream, 2, [newEvent()]);
      expect(store.knownVersion(stream)).toBeUndefined();
      await under;
      expect(store.knownVersion(stream)).toBe(await store.streamVersion(stream));
    }),
  );

  it(
    'the first events of several streams come in one answer, where it can, as reading each gives them',
    withStore(underTest, async ({ store }) => {
      if (!store.readFirst) return;
      const [long, short, none] = [newStream(), newStream('first:ž 🐎"\\'), newStream()];
      await store.append(long, 'none', newEvents(3));
      await store.append(short, 'none', [newEvent()]);
      const each = await Promise.all(
        [long, short].map(async (name) => (await store.readStream(name, { limit: 1 })).events[0]),
      );
      const together = await store.readFirst([none, short, long]);
      expect(together).toHaveLength(2);
      expect(together).toEqual(expect.arrayContaining(each));
      expect(await store.readFirst([])).toEqual([]);
    }),
  );

  it(
    'parts of several streams come in one answer, where it can, as reading each gives them, or are left to that',
    withStore(underTest, async ({ store }) => {
      if (!store.readStreams) return;
      const [long, short, none] = [newStream(), newStream('several:ž 🐎"\\'), newStream()];
      await store.append(long, 'none', newEvents(5));
      await store.append(short, 'none', [newEvent('{"a":"𝒜","b":1.0}')]);
      const parts = [long, none, short, long].flatMap((stream) =>
        [
          [0, 1],
          [0, 5],
          [0, 1000],
          [2, 2],
          [4, 10],
          [5, 10],
          [9, 1],
          [Number.MAX_SAFE_INTEGER - 1, 1],
        ].map(([from, limit]) => ({ stream, from: from!, limit: limit! })),
      );
      const each = await Promise.all(parts.map(({ stream, from, limit }) => store.readStream(stream, { from, limit })));
      expect(await store.readStreams(parts)).toEqual(each);
      expect(await store.readStreams([])).toEqual([]);
      await mustAppend(store, short, 1, [newEvent()]);
      expect(await store.readStreams([{ stream: short, from: 0, limit: 10 }])).toMatchObject([{ version: 2 }]);
      for (const limit of [0, 4097])
        await expect(store.readStreams([{ stream: long, from: 0, limit }])).rejects.toThrow(RangeError);
    }),
  );

  it(
    'a stream is read from any revision, in either direction, up to a limit',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      const ids: string[] = [];
      ids.length = 0;
      for (let i = 0; i < 10; i++) {
        const event = newEvent();
        ids.push(event.id);
        await mustAppend(store, stream, i, [event]);
      }
      const read = async (options: Parameters<typeof store.readStream>[1]): Promise<number[]> => {
        const { events, version } = await store.readStream(stream, options);
        expect(version).toBe(10);
        expect(idsOf(events)).toEqual(events.map(({ revision }) => ids[revision]));
        return events.map(({ revision }) => revision);
      };
      expect(await read({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(await read({ from: 7 })).toEqual([7, 8, 9]);
      expect(await read({ from: 2, limit: 3 })).toEqual([2, 3, 4]);
      expect(await read({ from: 10 })).toEqual([]);
      expect(await read({ from: 99 })).toEqual([]);
      expect(await read({ backwards: true, limit: 3 })).toEqual([9, 8, 7]);
      expect(await read({ backwards: true, from: 2 })).toEqual([2, 1, 0]);
      expect(await read({ backwards: true, from: 0 })).toEqual([0]);
      expect(await read({ backwards: true, from: 99, limit: 1 })).toEqual([9]);
    }),
  );

  it.each([0, -1, 1.5, 4097])('refuses a limit of %s', (limit) =>
    withStore(underTest, async ({ store, start }) => {
      await expect(store.readStream(newStream(), { limit })).rejects.toThrow(RangeError);
      await expect(store.readAll({ after: start, limit })).rejects.toThrow(RangeError);
    })(),
  );

  it(
    'sees every acknowledged append at once, in every way of reading',
    withStore(underTest, async ({ store }) => {
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const stream = newStream();
          for (let version = 0; version < 5; version++) {
            const { position } = await mustAppend(store, stream, version, [newEvent()]);
            expect(await store.streamVersion(stream)).toBe(version + 1);
            expect((await store.readStream(stream)).events).toHaveLength(version + 1);
            expect(comparePositions(await store.head(), position)).toBeGreaterThanOrEqual(0);
          }
        }),
      );
    }),
  );

  describe('reading everything', () => {
    it(
      'gives one identical sequence in pages of 1, 2, 7, 100 and 1000 after concurrent appends',
      withStore(underTest, async ({ store, start }) => {
        const appended = new Map<string, string[]>();
        await Promise.all(
          Array.from({ length: 32 }, async (_, i) => {
            const stream = newStream();
            appended.set(stream, []);
            for (let version = 0; version < 12;) {
              const events = newEvents(1 + ((i + version) % 3));
              version = (await mustAppend(store, stream, version, events)).version;
              appended.get(stream)!.push(...idsOf(events));
            }
          }),
        );
        const whole = await readEverything(store, start, 1000);
        expect(whole).toHaveLength([...appended.values()].flat().length);
        for (const [stream, ids] of appended) {
          const events = whole.filter((event) => event.stream === stream);
          expect(idsOf(events)).toEqual(ids);
          expect(events.map(({ revision }) => revision)).toEqual(ids.map((_, i) => i));
        }
        for (let i = 1; i < whole.length; i++)
          expect(comparePositions(whole[i - 1]!.position, whole[i]!.position)).toBeLessThan(0);
        for (const limit of [1, 2, 7, 100]) expect(await readEverything(store, start, limit)).toEqual(whole);
      }),
    );

    it(
      'goes on after any event it gave',
      withStore(underTest, async ({ store, start }) => {
        await store.append(newStream(), 'none', newEvents(10));
        const whole = await readEverything(store, start, 100);
        for (const [i, { position }] of whole.entries()) {
          expect(await readEverything(store, position, 3)).toEqual(whole.slice(i + 1));
        }
      }),
    );

    it(
      'says how far it looked, and whether anything lay beyond',
      withStore(underTest, async ({ store, start }) => {
        expect(await store.readAll({ after: start, limit: 10 })).toEqual({
          events: [],
          scannedTo: start,
          atHead: true,
        });
        const { position } = await mustAppend(store, newStream(), 'none', newEvents(5));
        const first = await store.readAll({ after: start, limit: 3 });
        expect(first).toMatchObject({ scannedTo: first.events[2]!.position, atHead: false });
        const second = await store.readAll({ after: first.scannedTo, limit: 3 });
        expect(second).toMatchObject({ scannedTo: position, atHead: true });
        expect(second.events).toHaveLength(2);
        expect(await store.head()).toBe(position);
      }),
    );

    it(
      'counts what lies after a position, where it can',
      withStore(underTest, async ({ store, start }) => {
        if (!store.count) return;
        const before = await store.count(START);
        await mustAppend(store, newStream(), 'none', newEvents(3));
        const { position } = await mustAppend(store, newStream(), 'none', newEvents(2));
        expect(await store.count(START)).toBe(before + 5);
        expect(await store.count(start)).toBe(5);
        expect(await store.count(position)).toBe(0);
      }),
    );

    it(
      'of some types gives these only, and has still looked at everything',
      withStore(underTest, async ({ store, start }) => {
        const types = ['Red', 'Green', 'Blue'];
        const events = Array.from({ length: 30 }, (_, i) => newEvent('{}', types[i % 3]));
        let last = start;
        for (const event of events) last = (await mustAppend(store, newStream(), 'none', [event])).position;
        for (const limit of [1, 4, 100]) {
          expect(idsOf(await readEverything(store, start, limit, ['Red', 'Blue']))).toEqual(
            idsOf(events.filter(({ type }) => type !== 'Green')),
          );
        }
        const nothing = await store.readAll({ after: start, limit: 10, types: ['Grey'] });
        expect(nothing).toEqual({ events: [], scannedTo: last, atHead: true });
        expect((await store.readAll({ after: start, limit: 10, types: [] })).events).toEqual([]);
      }),
    );

    it(
      'from beyond the head finds nothing and stays there',
      withStore(underTest, async ({ store }) => {
        const { position } = await mustAppend(store, newStream(), 'none', [newEvent()]);
        const beyond = positionOf(BigInt(position) + 1_000_000n);
        expect(await store.readAll({ after: beyond, limit: 10 })).toEqual({
          events: [],
          scannedTo: beyond,
          atHead: true,
        });
      }),
    );
  });
}
