import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';

import { type DomainEvent, HmacKey } from '#lib/kernel';
import { openStoreFile } from '#lib/sqlite';

import { emptyHead, type StreamHead } from '../codec/codec.js';
import { VersionConflictError } from '../event-log.js';
import {
  type EventStore,
  type EventToAppend,
  MAX_APPEND_BYTES,
  type NonEmpty,
  StoreUnavailableError,
} from '../port.js';
import { HEAD, provenance, setUp } from '../testing/codec-support.js';
import { temporaryPlace } from '../testing/temporary-folder.js';
import { EVENT_LOG } from './event-schema.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

const SAID: readonly DomainEvent[] = [
  { type: 'SAID', data: { who: 'ann', text: 'a word that nobody else may read — ❤', more: ['x'] } },
  { type: 'NOTED', data: { what: '"\u0000\ud83d\ude00' } },
  { type: 'SEALED', data: { count: 2 } },
];

/** A log over a store in SQLite, and what its store was given. */
type Side = ReturnType<typeof setUp> & { given: EventToAppend[]; path: string };

async function inFile(body: (side: Side) => Promise<void>) {
  const { folder, keep, dispose } = temporaryPlace();
  try {
    const given: EventToAppend[] = [];
    const store = await keep(openSqliteEventStore({ folder }));
    const watched = new Proxy(store, {
      get: (target, name) => {
        if (name !== 'append') return (Reflect.get(target, name) as () => unknown).bind(target);
        const append: EventStore['append'] = (stream, expected, events) => {
          given.push(...events);
          return target.append(stream, expected, events);
        };
        return append;
      },
    });
    await body({ ...setUp({ store: watched }), given, path: join(folder.path, 'events.db') });
  } finally {
    await dispose();
  }
}

/** What the codec makes of events, and what it would make of them once more. */
async function encodedOf({ codec }: Pick<Side, 'codec'>, said: readonly DomainEvent[], head: StreamHead = HEAD) {
  const encode = async () => codec.encode(head, said, provenance(), await codec.prepare(said));
  return { events: (await encode()) as unknown as NonEmpty<EventToAppend>, again: await encode() };
}

const isSealed = ({ order }: EventToAppend): boolean => order!.unsealed === null;

describe('the thread that writes events.db', () => {
  it('seals what the codec wrote: signed, chained, and closed under the key of whom it is about', () =>
    inFile(async ({ log, given, store }) => {
      const { head, events } = await log.append(HEAD, SAID, provenance());
      expect(given.map(isSealed)).toEqual([true, true, true]);
      // As it was appended, and as it is read from the file and verified.
      const { head: read, events: plain } = await log.load(HEAD.stream, { personal: 'plain' });
      expect(read).toEqual(head);
      expect(plain.map(({ data }) => data)).toEqual([
        SAID[0]!.data,
        SAID[1]!.data,
        { count: 2, last_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      ]);
      const { events: stored } = await log.load(HEAD.stream);
      expect(events.map(({ data }) => data)).toEqual(stored.map(({ data }) => data));
      const rows = (await store.readStream(HEAD.stream)).events;
      expect(rows.map(({ text }) => text)).toEqual(given.map(({ text }) => text));
      expect(rows.some(({ text }) => text.includes('nobody else'))).toBe(false);
    }));

  it('answers those who follow the log with the very bytes that it stored', () =>
    inFile(async ({ log, store }) => {
      const ends = new AbortController();
      const followed: string[] = [];
      const following = (async () => {
        for await (const item of store.subscribeAll({ after: '0' as never, signal: ends.signal })) {
          if (item.kind === 'page') followed.push(...item.page.events.map(({ utf8, text }) => String(utf8 ?? text)));
          if (followed.length === SAID.length) ends.abort();
        }
      })();
      await log.append(HEAD, SAID, provenance());
      await following;
      const rows = (await store.readStream(HEAD.stream)).events;
      expect(followed).toEqual(rows.map(({ text }) => text));
    }));

  it('stores an append again under the same bytes where its first answer was lost, and refuses another', () =>
    inFile(async ({ log, store }) => {
      const first = await log.append(HEAD, SAID, provenance());
      const again = await log.append(HEAD, SAID, provenance());
      expect(again).toMatchObject({ repeated: true, head: first.head });
      expect(again.events.map(({ data }) => data)).toEqual(first.events.map(({ data }) => data));
      expect((await store.readStream(HEAD.stream)).version).toBe(SAID.length);
      await expect(log.append(HEAD, SAID, provenance('seed-2'))).rejects.toThrow(VersionConflictError);
    }));

  it('is given what is too large for one append in parts, sealed before', () =>
    inFile(async ({ log, given }) => {
      const large = Array.from({ length: 3 }, (_, i) => ({ type: 'NOTED', data: { what: `${i}`.repeat(400_000) } }));
      const { head } = await log.append(HEAD, large, provenance());
      expect(given).toHaveLength(3);
      expect(await log.load(HEAD.stream)).toMatchObject({ head });
    }));

  it('that cannot write tells whoever waits, has stored nothing, and takes the same order again afterwards', () =>
    inFile(async (side) => {
      const { store, path, log } = side;
      const { events, again } = await encodedOf(side, SAID);
      const other = openStoreFile(path, EVENT_LOG);
      other.exec(
        `CREATE TRIGGER broken BEFORE INSERT ON events WHEN new.type = 'SEALED' BEGIN SELECT RAISE(ABORT, 'broken'); END`,
      );
      await expect(store.append(HEAD.stream, 'none', events)).rejects.toThrow(StoreUnavailableError);
      expect(await store.streamVersion(HEAD.stream)).toBe(0);
      expect(events.map(isSealed)).toEqual([false, false, false]);

      other.exec('DROP TRIGGER broken');
      other.close();
      expect(await store.append(HEAD.stream, 'none', events)).toMatchObject({ repeated: false, version: 3 });
      expect(events.map(({ text }) => text)).toEqual(again.map(({ text }) => text));
      // And once more, as after an answer that was lost.
      expect(await store.append(HEAD.stream, 'none', events)).toMatchObject({ repeated: true, version: 3 });
      expect((await log.load(HEAD.stream)).events).toHaveLength(3);
    }));

  it('lets one of two appends of one head pass, and chains what follows to what is stored', () =>
    inFile(async ({ log }) => {
      const seeds = ['seed-1', 'seed-2', 'seed-3'];
      const ended = await Promise.allSettled(seeds.map((seed) => log.append(HEAD, SAID, provenance(seed))));
      const [won, ...others] = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(others).toEqual([]);
      for (const one of ended) {
        if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(VersionConflictError);
      }
      await log.append(won!.head, SAID, provenance('seed-4'));
      const { events } = await log.load(HEAD.stream);
      expect(events).toHaveLength(2 * SAID.length);
      expect(events[5]!.data['last_hash']).toBe(events[5]!.metadata.prev_hash);
    }));

  it('stores many appends of one message each as its own: some sealed before, some of many people, in any script', () =>
    inFile(async ({ log, codec, store }) => {
      const streams = Array.from({ length: 80 }, (_, i) => emptyHead(`test-${i}`));
      const saidIn = (i: number): DomainEvent[] =>
        Array.from({ length: 1 + (i % 7) }, (_, n) => ({
          type: 'SAID',
          data: { who: `u${(i * 7 + n) % 60}.x`, text: `${'😀ﬀé\u0000"\\'.repeat(i)}${n}`, more: { 語: [i, n] } },
        }));
      await Promise.all(
        streams.map(async (head, i) => {
          if (i % 3 > 0) return log.append(head, saidIn(i), provenance(`seed-${i}`));
          const encoded = codec.encode(head, saidIn(i), provenance(`seed-${i}`), await codec.prepare(saidIn(i)));
          if (i % 2 === 0) expect(encoded[0]!.text).toContain(head.stream);
          return store.append(head.stream, 'none', encoded as unknown as NonEmpty<EventToAppend>);
        }),
      );
      for (const [i, { stream }] of streams.entries()) {
        const { events } = await log.load(stream, { personal: 'plain' });
        expect(events.map(({ data }) => data)).toEqual(saidIn(i).map(({ data }) => data));
      }
    }));

  it.each(['x', 'é', '語', '😀'])('is given no append that is too large once it is sealed, of %s', (character) =>
    inFile(async (side) => {
      const { store, codec } = side;
      const bytes = Buffer.byteLength(character);
      const said = (size: number): DomainEvent[] => [
        { type: 'SAID', data: { who: 'ann', text: character.repeat(Math.floor(size / bytes)) } },
      ];
      // The most that an order can promise to keep within the limit, and what is beyond it.
      let [fits, exceeds] = [0, MAX_APPEND_BYTES];
      const ciphers = await codec.prepare(said(1));
      while (exceeds - fits > bytes) {
        const middle = Math.floor((fits + exceeds) / 2);
        const [event] = codec.encode(HEAD, said(middle), provenance(), ciphers);
        if (event!.order.mostBytes <= MAX_APPEND_BYTES) fits = middle;
        else exceeds = middle;
      }
      const { events } = await encodedOf(side, said(fits));
      expect(await store.append(HEAD.stream, 'none', events)).toMatchObject({ version: 1 });
      expect(events[0].utf8!.length).toBeGreaterThan(0.99 * MAX_APPEND_BYTES);
      expect(events[0].utf8!.length).toBeLessThanOrEqual(MAX_APPEND_BYTES);
      const head = emptyHead('test-2');
      const { events: beyond } = await encodedOf(side, said(exceeds + 20_000), head);
      await expect(store.append(head.stream, 'none', beyond)).rejects.toThrow('over 921600');
    }),
  );

  it('is sent no order that could not be read there: it is refused to its sender, and to nobody beside', () =>
    inFile(async ({ codec, log, store }) => {
      const dataKey = createSecretKey(Buffer.alloc(16));
      const ciphers = new Map([['ann', { kid: 'ann.1.x', dataKey, nonceKey: new HmacKey(Buffer.alloc(32)) }]]);
      const strange = [
        codec.encode(emptyHead('test-2'), [SAID[0]!], provenance('seed-2'), ciphers),
        codec.encode({ ...emptyHead('test-3'), lastHash: '0' }, [SAID[2]!], provenance('seed-3'), ciphers),
      ];
      const beside = log.append(HEAD, SAID, provenance());
      for (const [i, events] of strange.entries()) {
        const append = store.append(`test-${i + 2}`, 'none', events as unknown as NonEmpty<EventToAppend>);
        await expect(append).rejects.toThrow(RangeError);
      }
      expect((await beside).head.version).toBe(3);
      expect((await log.load(HEAD.stream)).events).toHaveLength(3);
    }));
});
