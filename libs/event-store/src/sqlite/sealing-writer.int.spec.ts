import type { DomainEvent } from '#lib/kernel';

import { VersionConflictError } from '../event-log.js';
import type { EventStore, EventToAppend } from '../port.js';
import { HEAD, provenance, setUp } from '../testing/codec-support.js';
import { temporaryPlace } from '../testing/temporary-folder.js';
import { openSqliteEventStore } from './sqlite-event-store.js';

const SAID: readonly DomainEvent[] = [
  { type: 'SAID', data: { who: 'ann', text: 'a word that nobody else may read — ❤', more: ['x'] } },
  { type: 'NOTED', data: { what: '"\u0000\ud83d\ude00' } },
  { type: 'SEALED', data: { count: 2 } },
];

/** A log over a store in SQLite, and what its store was given. */
async function inFile(body: (side: ReturnType<typeof setUp> & { given: EventToAppend[] }) => Promise<void>) {
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
    await body({ ...setUp({ store: watched }), given });
  } finally {
    await dispose();
  }
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
});
