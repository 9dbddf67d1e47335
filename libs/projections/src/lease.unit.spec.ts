import { MemoryEventStore } from '#lib/event-store';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { type LeaseOptions } from './lease.js';
import { liveGeneration, ownerSign } from './ownership.js';
import { rerun } from './rerun.js';
import { type RunnerStatus } from './status.js';
import { append, noteEvent, notesProjection, nthNote, parse } from './testing/notes.js';
import { by, ProjectionHouse } from './testing/projection-house.js';

describe('several processes with one projection', () => {
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  const stops: (() => Promise<void>)[] = [];
  beforeEach(() => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  interface Process {
    readonly house: ProjectionHouse;
    reached(fits: (status: RunnerStatus) => boolean): Promise<RunnerStatus>;
  }

  function process(
    holder: string,
    durationMs = 40,
    store: ReadStore = documents,
    log: MemoryEventStore = events,
  ): Process {
    const lease: LeaseOptions = { holder, durationMs };
    const house = new ProjectionHouse(log, store, { lease }).start();
    stops.push(() => house.stop());
    const reached = async (fits: (status: RunnerStatus) => boolean): Promise<RunnerStatus> => {
      for (;;) {
        const { status } = house.host.runner('notes');
        if (fits(status)) return status;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    };
    return { house, reached };
  }

  const isLive = ({ state }: RunnerStatus): boolean => state === 'live';
  const isStandby = ({ state }: RunnerStatus): boolean => state === 'standby';

  it('has one owner; the other waits, and takes over at once when the first stops', async () => {
    const first = process('first', 3_600_000);
    await first.reached(isLive);
    const second = process('second', 20);
    await second.reached(isStandby);
    await first.house.stop();
    await second.reached(isLive);
    expect(await ownerSign(documents, notesProjection)).toMatchObject({ holder: 'second' });
  });

  it('has a new owner once the beat of the old one stands still, which is fenced when it wakes up', async () => {
    let isAsleep = false;
    const sleeping = asleepWhen(documents, () => isAsleep);
    const first = process('first', 40, sleeping);
    await first.reached(isLive);
    for (let i = 0; i < 20; i++) await append(events, nthNote(i));
    await first.house.host.waitFor('20');
    isAsleep = true;
    const second = process('second');
    await second.reached(isLive);
    const at = await append(events, noteEvent('NOTED', { note: 'after', author: 'me' }));
    await second.house.host.waitFor(at);
    isAsleep = false;
    await first.reached(isStandby);
    expect(await ownerSign(documents, notesProjection)).toMatchObject({ holder: 'second' });
    const last = await append(events, noteEvent('NOTED', { note: 'more', author: 'me' }));
    await Promise.all([first, second].map(({ house }) => house.host.waitFor(last, ['notes'], 60_000)));
    const result = await rerun(notesProjection, { events, documents, scratch: new MemoryReadStore(), decode: parse });
    expect(result).toMatchObject({ comparable: true, equal: true });
  });

  it('waits in any of them for what the owner writes, and says whose turn it was where that does not come', async () => {
    const first = process('first', 400);
    await first.reached(isLive);
    const second = process('second', 400);
    await second.reached(isStandby);
    for (let i = 0; i < 10; i++) {
      const at = await append(events, nthNote(i));
      await second.house.host.waitFor(at, ['notes'], 60_000);
      const live = await documents.checkpoint(await liveGeneration(documents, notesProjection));
      expect(Number(live!.position)).toBeGreaterThanOrEqual(Number(at));
    }
    await expect(second.house.host.waitFor('999', ['notes'], 30)).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      meta: { state: 'standby', position: '10' },
    });
    expect(await second.house.host.list()).toEqual([
      expect.objectContaining({ state: 'live', standby: true, position: '10', lag: { events: 0, seconds: 0 } }),
    ]);
  });

  it('that is to look on owns nothing, waits for what the owner writes, and says of it what that says', async () => {
    const onlooker = new ProjectionHouse(events, documents, { isElsewhere: true }).start();
    stops.push(() => onlooker.stop());
    const before = await append(events, nthNote(0));
    await expect(onlooker.host.waitFor(before, ['notes'], 30)).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
    expect(await documents.count(await liveGeneration(documents, notesProjection), 'notes')).toBe(0);
    const owner = process('owner');
    await owner.reached(isLive);
    const at = await append(events, nthNote(1));
    await onlooker.host.waitFor(at, ['notes'], 60_000);
    const [listing] = await onlooker.host.list();
    expect(listing).toMatchObject({ state: 'live', position: at, lag: { events: 0, seconds: 0 } });
    expect(listing).not.toHaveProperty('standby');
    expect(await ownerSign(documents, notesProjection)).toMatchObject({ holder: 'owner' });
  });

  it('that is to look on ends also where it is told to before it looks', async () => {
    const onlooker = new ProjectionHouse(events, documents, { isElsewhere: true }).start();
    await onlooker.stop();
    expect(onlooker.host.runner('notes').status.state).toBe('stopped');
  });

  it('rebuilds and swaps in the owner what another process has ordered', async () => {
    const first = process('first', 40);
    await first.reached(isLive);
    const second = process('second', 3_600_000);
    await second.reached(isStandby);
    const last = await append(events, noteEvent('NOTED', { note: 'one', author: 'me' }));
    await second.house.host.waitFor(last);
    const { rebuild_id, generation } = await second.house.rebuilds.begin('notes', by('one'), null);
    let view = await second.house.rebuilds.get('notes', rebuild_id);
    while (view.state === 'running') {
      await new Promise((resolve) => setTimeout(resolve, 2));
      view = await second.house.rebuilds.get('notes', rebuild_id);
    }
    expect(view).toMatchObject({ state: 'ready', equal: true });
    await second.house.rebuilds.swap('notes', rebuild_id, by('two'), null);
    while ((await liveGeneration(documents, notesProjection)).name !== generation)
      await new Promise((resolve) => setTimeout(resolve, 2));
    const at = await append(events, noteEvent('NOTED', { note: 'two', author: 'me' }));
    await second.house.host.waitFor(at, ['notes'], 60_000);
    expect(await documents.get({ projection: 'notes', name: generation }, 'notes', 'two')).not.toBeNull();
  });

  it('is its owner’s also while that copies for a swap for longer than the lease', async () => {
    let isHeld = false;
    const held = Object.assign(Object.create(events) as MemoryEventStore, {
      readAll: async (...asked: Parameters<MemoryEventStore['readAll']>) => {
        while (isHeld) await new Promise((resolve) => setTimeout(resolve, 1));
        return events.readAll(...asked);
      },
    });
    const first = process('first', 40, documents, held);
    await first.reached(isLive);
    const second = process('second', 3_600_000);
    await second.reached(isStandby);
    await second.house.host.waitFor(await append(events, nthNote(0)));
    const { rebuild_id, generation } = await second.house.rebuilds.begin('notes', by('one'), null);
    while ((await second.house.rebuilds.get('notes', rebuild_id)).state === 'running')
      await new Promise((resolve) => setTimeout(resolve, 2));
    await second.house.host.waitFor(await append(events, nthNote(1)), ['notes'], 60_000);
    isHeld = true;
    const beatNow = async (): Promise<number> => (await ownerSign(documents, notesProjection))!.beat;
    await second.house.rebuilds.swap('notes', rebuild_id, by('two'), null);
    const before = await beatNow();
    while ((await beatNow()) < before + 10) await new Promise((resolve) => setTimeout(resolve, 2));
    isHeld = false;
    while ((await liveGeneration(documents, notesProjection)).name !== generation)
      await new Promise((resolve) => setTimeout(resolve, 2));
  });
});

/** A store whose user is stopped, as by SIGSTOP: what it asked for waits, and is then asked for late. */
function asleepWhen(store: ReadStore, isAsleep: () => boolean): ReadStore {
  const woken = async (): Promise<void> => {
    while (isAsleep()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]) => {
        await woken();
        return (value as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
