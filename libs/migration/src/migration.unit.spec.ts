import fc from 'fast-check';

import { type EventStore, MemoryEventStore, type RecordedEvent, START, StoreUnavailableError } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';
import { EVENT_DISCARDED, EVENT_PARKED, EVENT_REPLAYED, EVENT_SKIPPED } from '#lib/projections';

import { beginningOf } from './compare-logs.js';
import { copyEvents } from './copy-log.js';
import { setAsidePositions } from './decided-positions.js';
import { decidedPositions } from './record-migration.js';

const idOf = (n: number): string => sha256Hex(`event ${n}`);

/** A log whose n-th event is of the n-th of these streams. */
async function logOf(streams: readonly number[]): Promise<MemoryEventStore> {
  const store = new MemoryEventStore();
  for (const [n, stream] of streams.entries()) {
    const version = await store.streamVersion(`s-${stream}`);
    const event = { id: idOf(n), type: 'NOTED', text: `{"n":${n}}` };
    await store.append(`s-${stream}`, version === 0 ? 'none' : version, [event]);
  }
  return store;
}

async function allOf(store: EventStore) {
  const { events } = await store.readAll({ after: START, limit: 4096 });
  return events.map(({ stream, revision, id, type, text }: RecordedEvent) => ({ stream, revision, id, type, text }));
}

type Fault = 'none' | 'before' | 'after';

/** Fails an append as told, in turn: before it is written, or after, so that its answer is lost. */
function failing(store: EventStore, faults: Fault[]): EventStore {
  return Object.assign(Object.create(store) as EventStore, {
    append: async (...parameters: Parameters<EventStore['append']>) => {
      const fault = faults.shift() ?? 'none';
      if (fault === 'before') throw new StoreUnavailableError('away');
      const answer = await store.append(...parameters);
      if (fault === 'after') throw new StoreUnavailableError('its answer was lost');
      return answer;
    },
  });
}

const quiet = { onProgress: () => undefined };

describe('a log that is copied', () => {
  it('is the same log there, whatever it holds, however often it was broken off, and whichever answers were lost', async () => {
    const logs = fc.array(fc.nat(3), { maxLength: 30 });
    const attempts = fc.array(fc.array(fc.constantFrom<Fault>('none', 'before', 'after'), { maxLength: 6 }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(logs, attempts, async (streams, plans) => {
        const source = await logOf(streams);
        const target = new MemoryEventStore();
        const whole = await allOf(source);
        for (const plan of [...plans, []]) {
          const there = await beginningOf(source, target);
          expect(await allOf(target)).toEqual(whole.slice(0, there.events));
          // No patience: the first append that fails ends the attempt.
          const copying = copyEvents(source, failing(target, [...plan]), there, { ...quiet, patienceMs: 0 });
          await copying.catch((error: unknown) => expect(error).toBeInstanceOf(StoreUnavailableError));
        }
        expect(await allOf(target)).toEqual(whole);
        expect(await beginningOf(source, target)).toMatchObject({ events: streams.length, isRecorded: false });
      }),
      { numRuns: 60 },
    );
  });

  it('waits for a target that goes away', async () => {
    const [source, target] = [await logOf([0, 1, 0]), new MemoryEventStore()];
    const there = await beginningOf(source, target);
    const copied = await copyEvents(source, failing(target, ['before', 'after', 'none', 'before']), there, quiet);
    expect([copied, await allOf(target)]).toEqual([3, await allOf(source)]);
  });

  it('is refused where somebody else writes to the target meanwhile', async () => {
    const [source, target] = [await logOf([0, 1]), new MemoryEventStore()];
    const there = await beginningOf(source, target);
    await target.append('s-1', 'none', [{ id: idOf(99), type: 'ELSE', text: '{}' }]);
    await expect(copyEvents(source, target, there, quiet)).rejects.toThrow(
      'somebody else writes to the target: stream s-1',
    );
  });
});

describe('a log with positions that are decided by', () => {
  async function decided(...types: readonly string[]): Promise<MemoryEventStore> {
    const store = new MemoryEventStore();
    for (const [n, type] of types.entries()) {
      const through = type === EVENT_DISCARDED ? { through: '9' } : {};
      const data = { projection: 'jobs', position: '7', event_id: 'e7', ...through };
      await store.append('projection-jobs', n === 0 ? 'none' : n, [
        { id: idOf(n), type, text: JSON.stringify({ data }) },
      ]);
    }
    return store;
  }

  it.each([[[EVENT_PARKED]], [[EVENT_PARKED, EVENT_REPLAYED, EVENT_PARKED]]])(
    'is not moved while an event is parked: %j',
    async (types) => {
      await expect(setAsidePositions(await decided(...types))).rejects.toThrow(
        /the read model jobs is made without event e7, .* position 7.*mace projections replay jobs/,
      );
    },
  );

  it.each([
    [[EVENT_PARKED, EVENT_REPLAYED], []],
    [[EVENT_SKIPPED], ['7']],
    [
      [EVENT_PARKED, EVENT_DISCARDED],
      ['7', '9'],
    ],
  ])('is moved with the places of those that were given up: %j', async (types, positions) => {
    const log = await decided(...types);
    expect(await setAsidePositions(log)).toEqual(positions);
    expect([...(await decidedPositions(log))]).toEqual(positions);
  });
});
