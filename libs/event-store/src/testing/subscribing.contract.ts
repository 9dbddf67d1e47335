import { setImmediate as nextTurn } from 'node:timers/promises';

import { type EventStore, type Position, type RecordedEvent, type SubscribeOptions } from '../port.js';
import {
  type EventStoreUnderTest,
  idsOf,
  mustAppend,
  newEvent,
  newEvents,
  newStream,
  withStore,
} from './contract-support.js';

interface Observed {
  readonly events: RecordedEvent[];
  /** How many events had been delivered when caughtUp came, each time it came. */
  readonly caughtUpAfter: number[];
  readonly checkpoint: Position;
}

/** Consumes a subscription until `enough` says so, then aborts it and waits for its end. */
async function observe(
  store: EventStore,
  options: SubscribeOptions,
  enough: (seen: Observed) => boolean,
): Promise<Observed> {
  const abort = new AbortController();
  const seen = { events: [] as RecordedEvent[], caughtUpAfter: [] as number[], checkpoint: options.after };
  for await (const item of store.subscribeAll({ ...options, signal: abort.signal })) {
    if (item.kind === 'caughtUp') seen.caughtUpAfter.push(seen.events.length);
    else {
      seen.events.push(...item.page.events);
      seen.checkpoint = item.page.scannedTo;
    }
    if (enough(seen)) abort.abort();
  }
  return seen;
}

export function describeSubscribing(underTest: EventStoreUnderTest): void {
  describe('a subscription', () => {
    it(
      'delivers what was there, says caughtUp once exactly then, and goes on with what comes',
      withStore(underTest, async ({ store, start }) => {
        const before = newEvents(25);
        await store.append(newStream(), 'none', before);
        const observed = observe(store, { after: start, pageSize: 10 }, ({ events }) => events.length === 32);
        const after = [];
        for (let i = 0; i < 7; i++) {
          // Given turns to catch up, the subscription meets these live, one by one.
          for (let turn = 0; turn < 20; turn++) await nextTurn();
          const event = newEvent();
          after.push(event);
          await mustAppend(store, newStream(), 'none', [event]);
        }
        const { events, caughtUpAfter } = await observed;
        expect(idsOf(events)).toEqual(idsOf([...before, ...after]));
        expect(caughtUpAfter).toHaveLength(1);
        expect(caughtUpAfter[0]).toBeGreaterThanOrEqual(25);
      }),
    );

    it(
      'to a store at its head says caughtUp at once',
      withStore(underTest, async ({ store, start }) => {
        const { events, caughtUpAfter } = await observe(
          store,
          { after: start },
          (seen) => seen.caughtUpAfter.length > 0,
        );
        expect({ events, caughtUpAfter }).toEqual({ events: [], caughtUpAfter: [0] });
      }),
    );

    it(
      'misses and repeats nothing while 32 writers append',
      withStore(underTest, async ({ store, start }) => {
        const observed = observe(store, { after: start, pageSize: 7 }, ({ events }) => events.length === 320);
        await Promise.all(
          Array.from({ length: 32 }, async () => {
            const stream = newStream();
            for (let version = 0; version < 10; version++) await mustAppend(store, stream, version, [newEvent()]);
          }),
        );
        const { events } = await observed;
        const whole = (await store.readAll({ after: start, limit: 1000 })).events;
        expect(idsOf(events)).toEqual(idsOf(whole));
      }),
    );

    it(
      'broken off and begun again anywhere has neither gap nor repetition',
      withStore(underTest, async ({ store, start }) => {
        const total = 60;
        const writing = (async () => {
          for (let i = 0; i < total; i++) await mustAppend(store, newStream(), 'none', [newEvent()]);
        })();
        const ids: string[] = [];
        let after = start;
        for (let part = 1; ids.length < total; part++) {
          const wanted = Math.min(part, total - ids.length);
          const { events, checkpoint } = await observe(
            store,
            { after, pageSize: 4 },
            (seen) => seen.events.length >= wanted,
          );
          ids.push(...idsOf(events));
          after = checkpoint;
        }
        await writing;
        expect(ids).toEqual(idsOf((await store.readAll({ after: start, limit: 1000 })).events));
      }),
    );

    it(
      'of some types delivers these only, and its checkpoint moves past the others',
      withStore(underTest, async ({ store, start }) => {
        const wanted = newEvent('{}', 'Wanted');
        await mustAppend(store, newStream(), 'none', [newEvent(), wanted, newEvent()]);
        const { events, caughtUpAfter, checkpoint } = await observe(
          store,
          { after: start, types: ['Wanted'] },
          (seen) => seen.caughtUpAfter.length > 0,
        );
        expect(idsOf(events)).toEqual([wanted.id]);
        expect(caughtUpAfter).toEqual([1]);
        expect(checkpoint).toBe(await store.head());
      }),
    );

    it(
      'waits for its consumer: a slow one gets everything, in order',
      withStore(underTest, async ({ store, start }) => {
        const ids: string[] = [];
        const abort = new AbortController();
        const consuming = (async () => {
          for await (const item of store.subscribeAll({ after: start, pageSize: 5, signal: abort.signal })) {
            if (item.kind !== 'page') continue;
            for (let turn = 0; turn < 10; turn++) await nextTurn();
            ids.push(...idsOf(item.page.events));
            if (ids.length === 200) abort.abort();
          }
        })();
        const stream = newStream();
        for (let version = 0; version < 200; version += 10) await mustAppend(store, stream, version, newEvents(10));
        await consuming;
        expect(ids).toEqual(idsOf((await store.readAll({ after: start, limit: 1000 })).events));
      }),
    );

    it(
      'ends when aborted: before it begins, while it waits, and between two pages',
      withStore(underTest, async ({ store, start }) => {
        await mustAppend(store, newStream(), 'none', newEvents(10));
        const early = await observe(store, { after: start, signal: AbortSignal.abort() }, () => true);
        expect(early.events.length).toBeLessThanOrEqual(10);

        const aborted: string[] = [];
        for await (const item of store.subscribeAll({ after: start, signal: AbortSignal.abort() }))
          aborted.push(item.kind);
        expect(aborted).toEqual([]);

        const abort = new AbortController();
        const kinds: string[] = [];
        for await (const item of store.subscribeAll({ after: start, signal: abort.signal })) {
          kinds.push(item.kind);
          if (item.kind === 'caughtUp') setImmediate(() => abort.abort());
        }
        expect(kinds).toEqual(['page', 'caughtUp']);

        const { events } = await observe(store, { after: start, pageSize: 2 }, (seen) => seen.events.length > 0);
        expect(events).toHaveLength(2);
      }),
    );

    it(
      'leaves off when its consumer breaks the loop',
      withStore(underTest, async ({ store, start }) => {
        await mustAppend(store, newStream(), 'none', newEvents(10));
        for await (const item of store.subscribeAll({ after: start, pageSize: 2 })) {
          expect(item.kind).toBe('page');
          break;
        }
        await mustAppend(store, newStream(), 'none', [newEvent()]);
      }),
    );
  });
}
