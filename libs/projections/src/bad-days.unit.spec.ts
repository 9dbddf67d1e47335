import { type EventStore, MemoryEventStore, positionOf, type SubscriptionItem } from '#lib/event-store';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { awaitTurn } from './lease.js';
import { listProjection } from './listing.js';
import { Ownership } from './ownership.js';
import { type Projection } from './projection.js';
import { ProjectionRunner, type RunnerOptions } from './projection-runner.js';
import { rerun } from './rerun.js';
import { type RunnerStatus } from './status.js';
import { append, noteEvent, notesProjection, nthNote, parse } from './testing/notes.js';

const LIVE = { projection: 'notes', name: 'v1' };

describe('on a bad day a projection', () => {
  let events: MemoryEventStore;
  let documents: MemoryReadStore;
  const runners: ProjectionRunner[] = [];
  beforeEach(async () => {
    events = new MemoryEventStore();
    documents = new MemoryReadStore();
    for (let i = 0; i < 60; i++) await append(events, nthNote(i));
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const runner of runners.splice(0)) await runner.stop();
  });

  function start(options: Partial<RunnerOptions> = {}, projection: Projection = notesProjection): ProjectionRunner {
    const runner = new ProjectionRunner(projection, {
      events,
      documents,
      decode: parse,
      firstRetryMs: 1,
      maxRetryMs: 4,
      idleCheckpointMs: 5,
      ...options,
    });
    runners.push(runner);
    runner.start();
    return runner;
  }

  async function reached(runner: ProjectionRunner, fits: (status: RunnerStatus) => boolean): Promise<void> {
    while (!fits(runner.status)) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  function over<T extends object>(store: T, methods: Partial<T>): T {
    return new Proxy(store, {
      get(target, name) {
        const own: unknown = Reflect.get(methods, name);
        const value: unknown = own ?? Reflect.get(target, name);
        return typeof value === 'function' && !own ? (value.bind(target) as unknown) : value;
      },
    });
  }

  async function isAsAFreshOne(): Promise<void> {
    const result = await rerun(notesProjection, { events, documents, scratch: new MemoryReadStore(), decode: parse });
    expect(result).toMatchObject({ comparable: true, equal: true });
  }

  it('takes an event once that is delivered again, alone and with what came before it', async () => {
    const taken: string[] = [];
    const counting: Projection = {
      ...notesProjection,
      project: (event) => (taken.push(event.position), notesProjection.project(event)),
    };
    async function* twice(items: AsyncIterable<SubscriptionItem>): AsyncGenerator<SubscriptionItem> {
      let before: SubscriptionItem | undefined;
      for await (const item of items) {
        if (before) yield before;
        yield item;
        yield item;
        before = item;
      }
    }
    const repeating = over<EventStore>(events, { subscribeAll: (options) => twice(events.subscribeAll(options)) });
    await start({ events: repeating, maxBatchEvents: 7 }, counting).waitFor('60', 60_000);
    expect(taken).toEqual([...new Set(taken)]);
    expect((await documents.checkpoint(LIVE))?.position).toBe('60');
    await isAsAFreshOne();
  });

  it('with a checkpoint beyond the end of the log says so and waits, and goes on where the log has caught up', async () => {
    await start().waitFor('60', 60_000);
    await runners.splice(0)[0]!.stop();
    const older = new MemoryEventStore();
    for (let i = 0; i < 50; i++) await append(older, nthNote(i));
    const runner = start({ events: over<EventStore>(events, { head: () => older.head() }) });
    await reached(runner, ({ error }) => error?.kind === 'fault');
    expect(runner.status).toMatchObject({
      state: 'retrying',
      error: { message: expect.stringContaining('the log ends at 50, before the checkpoint 60') as string },
    });
    expect((await documents.checkpoint(LIVE))?.position).toBe('60');
    for (let i = 50; i < 60; i++) await append(older, nthNote(i));
    await reached(runner, ({ state }) => state === 'live');
    await isAsAFreshOne();
  });

  it('does not lose its lease, nor its lag its sense, where the wall clock jumps by days', async () => {
    const owner = await Ownership.take(documents, notesProjection, 'owner');
    const now = Date.now();
    let looks = 0;
    // Its owner beats each time that somebody looks, and the clock jumps too.
    const beating = over<ReadStore>(documents, {
      checkpoint: async (generation) => {
        jest.spyOn(Date, 'now').mockReturnValue(now + (++looks % 2 ? 400 : -400) * 86_400_000);
        if (looks <= 6) await owner.beat();
        return documents.checkpoint(generation);
      },
    });
    await awaitTurn(beating, notesProjection, { holder: 'other', durationMs: 40 }, new AbortController().signal);
    expect(looks).toBeGreaterThan(6);

    const runner = start();
    for (const days of [3, -3, 400, 0]) {
      jest.spyOn(Date, 'now').mockReturnValue(now + days * 86_400_000);
      await runner.waitFor(await append(events, noteEvent('NOTED', { note: `d${days}`, author: 'a' })), 60_000);
    }
    jest.spyOn(Date, 'now').mockReturnValue(now - 86_400_000);
    await runner.stop();
    await append(events, nthNote(61));
    jest.spyOn(Date, 'now').mockReturnValue(now - 5 * 86_400_000);
    expect((await listProjection(notesProjection, { events, documents })).lag).toEqual({ events: 1, seconds: 0 });
    jest.spyOn(Date, 'now').mockReturnValue(now);
    expect((await listProjection(notesProjection, { events, documents })).lag.seconds).toBeGreaterThan(86_000);
  });

  it('holds no more than two batches, however slow the store is and however much there is to read', async () => {
    let [projected, written, most] = [0, 0, 0];
    const counting: Projection = {
      ...notesProjection,
      project: (event) => {
        most = Math.max(most, ++projected - written);
        return notesProjection.project(event);
      },
    };
    const slow = over<ReadStore>(documents, {
      apply: async (generation, batch) => {
        for (let i = 0; i < 20; i++) await new Promise(setImmediate);
        const outcome = await documents.apply(generation, batch);
        if (generation.name === LIVE.name) written = all - (await countAfter(batch.to));
        return outcome;
      },
    });
    const countAfter = async (position: string): Promise<number> =>
      (await events.readAll({ after: positionOf(position), limit: 1000, types: notesProjection.types })).events.length;
    const all = await countAfter('0');
    await start({ documents: slow, maxBatchEvents: 5 }, counting).waitFor('60', 60_000);
    // One that is written, one that is gathered, and the page that is being taken.
    expect(most).toBeLessThanOrEqual(15);
  });

  it('writes a batch once it has so many events, or characters of text, or nothing came for a while', async () => {
    const sizes = async (options: Partial<RunnerOptions>): Promise<number[]> => {
      documents = new MemoryReadStore();
      const applied = jest.spyOn(documents, 'apply');
      const runner = start(options);
      await runner.waitFor('60', 60_000);
      await runner.stop();
      const positions = applied.mock.calls.filter(([{ name }]) => name === LIVE.name).map(([, { to }]) => Number(to));
      return positions.map((to, i) => to - (positions[i - 1] ?? 0));
    };
    expect(Math.max(...(await sizes({ maxBatchEvents: 6 })))).toBeLessThanOrEqual(12);
    expect(await sizes({ maxBatchEvents: 1000 })).toEqual([60]);
    // A page is what is asked for at once; the text in it ends the batch.
    const subscribing = over<EventStore>(events, {
      subscribeAll: (options) => events.subscribeAll({ ...options, pageSize: 4 }),
    });
    const small = await sizes({ events: subscribing, maxBatchEvents: 1000, maxBatchCharacters: 1 });
    expect(small.length).toBeGreaterThan(10);
    const idle = start({ idleCheckpointMs: 1 });
    await reached(idle, ({ state }) => state === 'live');
    const at = await append(events, noteEvent('UNRELATED', {}));
    await reached(idle, ({ position }) => position === at);
  });

  it('keeps how it is beside its live generation, for other processes and for later', async () => {
    const runner = start();
    await reached(runner, ({ state }) => state === 'live');
    const shown = async (): Promise<string> => (await listProjection(notesProjection, { events, documents })).state;
    while ((await shown()) !== 'live') await new Promise((resolve) => setTimeout(resolve, 1));
    await append(events, noteEvent('POISON', {}));
    await reached(runner, ({ state }) => state === 'halted');
    while ((await shown()) !== 'halted') await new Promise((resolve) => setTimeout(resolve, 1));
    await runner.stop();
    expect(await listProjection(notesProjection, { events, documents })).toMatchObject({
      state: 'stopped',
      error: { kind: 'poison', reason_class: 'projecting' },
    });
  });
});
