import { AppendTooLargeError, DuplicateEventError, type ExpectedVersion, MAX_APPEND_BYTES } from '../port.js';
import {
  type EventStoreUnderTest,
  idsOf,
  itUnlessLacking,
  mustAppend,
  newEvent,
  newEvents,
  newStream,
  withStore,
} from './contract-support.js';

export function describeAppending(underTest: EventStoreUnderTest): void {
  describe('an expected version', () => {
    const onMissing: [ExpectedVersion, number | 'conflict'][] = [
      ['none', 1],
      [0, 1],
      ['exists', 'conflict'],
      [1, 'conflict'],
      [7, 'conflict'],
    ];
    it.each(onMissing)('of %s on a missing stream gives %s', (expected, outcome) =>
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        const result = await store.append(stream, expected, [newEvent()]);
        expect(result).toMatchObject(
          outcome === 'conflict' ? { outcome, version: 0 } : { outcome: 'appended', repeated: false, version: outcome },
        );
        expect(await store.streamVersion(stream)).toBe(outcome === 'conflict' ? 0 : outcome);
      })(),
    );

    const onThree: [ExpectedVersion, number | 'conflict'][] = [
      ['none', 'conflict'],
      [0, 'conflict'],
      [2, 'conflict'],
      [3, 4],
      [4, 'conflict'],
      ['exists', 4],
    ];
    it.each(onThree)('of %s on a stream of three events gives %s', (expected, outcome) =>
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(3));
        const result = await store.append(stream, expected, [newEvent()]);
        expect(result).toMatchObject(
          outcome === 'conflict' ? { outcome, version: 3 } : { outcome: 'appended', repeated: false, version: outcome },
        );
        expect(await store.streamVersion(stream)).toBe(outcome === 'conflict' ? 3 : outcome);
      })(),
    );
  });

  it(
    'of 64 racing creators of a stream exactly one wins, and the stream holds its event',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      const events = Array.from({ length: 64 }, () => newEvent());
      const results = await Promise.all(events.map((event) => store.append(stream, 'none', [event])));
      const winners = events.filter((_, i) => results[i]!.outcome === 'appended');
      expect(winners).toHaveLength(1);
      expect(idsOf((await store.readStream(stream)).events)).toEqual(idsOf(winners));
    }),
  );

  it(
    'one conflict disturbs no other append that is under way',
    withStore(underTest, async ({ store }) => {
      const taken = newStream();
      await store.append(taken, 'none', [newEvent()]);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.append(i % 5 === 0 ? taken : newStream(), 'none', [newEvent()])),
      );
      expect(results.map(({ outcome }) => outcome)).toEqual(
        results.map((_, i) => (i % 5 === 0 ? 'conflict' : 'appended')),
      );
    }),
  );

  describe('a retry after a lost answer', () => {
    it(
      'gives the first result again, and stores nothing twice',
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        const events = newEvents(3);
        const first = await mustAppend(store, stream, 'none', events);
        expect(await store.append(stream, 'none', events)).toEqual({ ...first, repeated: true });
        expect((await store.readStream(stream)).events).toHaveLength(3);
      }),
    );

    it(
      'gives the first result also when the stream has grown since',
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        await store.append(stream, 'none', newEvents(2));
        const lost = newEvents(2);
        const first = await mustAppend(store, stream, 2, lost);
        await store.append(stream, 4, newEvents(2));
        expect(await store.append(stream, 2, lost)).toEqual({ ...first, repeated: true });
        expect(await store.streamVersion(stream)).toBe(6);
      }),
    );

    it(
      'is none when another event took the place: that is a conflict',
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        await store.append(stream, 'none', [newEvent()]);
        expect(await store.append(stream, 'none', [newEvent()])).toEqual({ outcome: 'conflict', version: 1 });
      }),
    );

    it(
      'is none when only some of the events are stored',
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        const [stored, fresh] = [newEvent(), newEvent()];
        await store.append(stream, 'none', [stored]);
        const outcome = await store.append(stream, 'none', [stored, fresh]).catch((error: unknown) => error);
        // Refused in either form; what matters is that the first event is not stored again, nor the second at all.
        if (!(outcome instanceof DuplicateEventError)) expect(outcome).toEqual({ outcome: 'conflict', version: 1 });
        expect(idsOf((await store.readStream(stream)).events)).toEqual([stored.id]);
      }),
    );

    itUnlessLacking(
      underTest,
      "recognises a retried append to 'exists'",
      "is recognised for 'exists' too",
      withStore(underTest, async ({ store }) => {
        const stream = newStream();
        await store.append(stream, 'none', [newEvent()]);
        const events = newEvents(2);
        const first = await mustAppend(store, stream, 'exists', events);
        await store.append(stream, 'exists', [newEvent()]);
        expect(await store.append(stream, 'exists', events)).toEqual({ ...first, repeated: true });
        expect(await store.streamVersion(stream)).toBe(4);
      }),
    );
  });

  itUnlessLacking(
    underTest,
    'refuses an id stored elsewhere in the stream',
    'an id that the stream holds already is refused, alone and in company, and nothing is stored',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      const [old, fresh] = [newEvent(), newEvent()];
      await store.append(stream, 'none', [old]);
      const others = Array.from({ length: 20 }, () => newStream());
      const [alone, inCompany, ...unharmed] = await Promise.allSettled([
        store.append(stream, 1, [old]),
        store.append(stream, 1, [fresh, old]),
        ...others.map((other) => store.append(other, 'none', [newEvent()])),
      ]);
      expect(alone).toMatchObject({ status: 'rejected', reason: { name: DuplicateEventError.name, eventId: old.id } });
      expect(inCompany).toMatchObject({
        status: 'rejected',
        reason: { name: DuplicateEventError.name, eventId: old.id },
      });
      expect(unharmed.map(({ status }) => status)).toEqual(others.map(() => 'fulfilled'));
      expect(idsOf((await store.readStream(stream)).events)).toEqual([old.id]);
      expect(await mustAppend(store, stream, 1, [fresh])).toMatchObject({ version: 2 });
    }),
  );

  it(
    'an append is all or nothing: a conflict stores none of its events',
    withStore(underTest, async ({ store, start }) => {
      const stream = newStream();
      await store.append(stream, 'none', newEvents(2));
      await store.append(stream, 1, newEvents(5));
      expect(await store.streamVersion(stream)).toBe(2);
      expect((await store.readAll({ after: start, limit: 100 })).events).toHaveLength(2);
    }),
  );

  it(
    'refuses what it could not give back unchanged, before storing anything',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      const event = newEvent();
      const refused: Parameters<typeof store.append>[] = [
        ['', 'none', [event]],
        ['a\0b', 'none', [event]],
        ['\ud800', 'none', [event]],
        [stream, -1, [event]],
        [stream, 1.5, [event]],
        [stream, 'none', [] as never],
        [stream, 'none', [{ ...event, id: 'not-an-id' }]],
        [stream, 'none', [{ ...event, id: event.id.toUpperCase().replace(/^./, 'A') }]],
        [stream, 'none', [{ ...event, type: '' }]],
        [stream, 'none', [{ ...event, text: '"\0"' }]],
        [stream, 'none', [{ ...event, text: '"\ud800"' }]],
      ];
      for (const append of refused) await expect(store.append(...append)).rejects.toThrow(TypeError);
      await expect(store.append(stream, 'none', [event, event])).rejects.toThrow(DuplicateEventError);
      expect(await store.streamVersion(stream)).toBe(0);
    }),
  );

  it(
    'takes an append of exactly the largest size and refuses one byte more',
    withStore(underTest, async ({ store }) => {
      const stream = newStream();
      const text = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;
      await expect(store.append(stream, 'none', [newEvent(text(MAX_APPEND_BYTES + 1))])).rejects.toThrow(
        AppendTooLargeError,
      );
      expect(await mustAppend(store, stream, 'none', [newEvent(text(MAX_APPEND_BYTES))])).toMatchObject({ version: 1 });
    }),
  );
}
