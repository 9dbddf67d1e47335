import {
  type EventStore,
  IntegrityError,
  type Page,
  type ReadAllOptions,
  StoreUnavailableError,
} from '#lib/event-store';
import { MemoryReadStore, type ReadStore } from '#lib/read-store';
import { MemoryEventStore } from '#lib/event-store';
import { replay } from './domain/parking.js';
import { type Projection } from './projection.js';
import { ProjectionHost } from './projection-host.js';
import { ProjectionRunner, type RunnerOptions } from './projection-runner.js';
import { rerun } from './rerun.js';
import { type RunnerStatus } from './status.js';
import { append, noteEvent, notesProjection, nthNote, parse } from './testing/notes.js';
import { by, recordOver } from './testing/projection-house.js';

const LIVE = { projection: 'notes', name: 'v1' };
const FAST = { firstRetryMs: 1, maxRetryMs: 4, idleCheckpointMs: 5 };

describe('a projection runner', () => {
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

  function runnerOf(options: Partial<RunnerOptions> = {}, projection: Projection = notesProjection): ProjectionRunner {
    const runner = new ProjectionRunner(projection, { events, documents, decode: parse, ...FAST, ...options });
    stops.push(() => runner.stop());
    runner.start();
    return runner;
  }

  /** Settles with the first status that fits; told by the runner, not by polling. */
  function statuses(): {
    onChange: RunnerOptions['onChange'];
    reached: (fits: (status: RunnerStatus) => boolean) => Promise<RunnerStatus>;
  } {
    const seen: RunnerStatus[] = [];
    let look = (): void => undefined;
    return {
      onChange: (_, status) => {
        seen.push(status);
        look();
      },
      reached: (fits) =>
        new Promise((resolve) => {
          look = () => {
            const found = seen.findLast(fits);
            if (found) resolve(found);
          };
          look();
        }),
    };
  }

  async function digestOfRerun(): Promise<unknown> {
    const result = await rerun(notesProjection, { events, documents, scratch: new MemoryReadStore(), decode: parse });
    expect(result).toMatchObject({ comparable: true });
    return result.equal;
  }

  it('reads what was there before it, then each new event', async () => {
    for (let i = 0; i < 50; i++) await append(events, nthNote(i));
    const { onChange, reached } = statuses();
    const runner = runnerOf({ maxBatchEvents: 7, onChange });
    await reached(({ state }) => state === 'live');
    const at = await append(events, noteEvent('NOTED', { note: 'new', author: 'me', text: 'x' }));
    await runner.waitFor(at, 5000);
    expect(await documents.get(LIVE, 'notes', 'new')).toEqual({ id: 'new', body: { at, author: 'me', text: 'x' } });
    expect(await digestOfRerun()).toBe(true);
  });

  it('the checkpoint passes events that do not concern it, at once where somebody waits and later where nobody does', async () => {
    const { onChange, reached } = statuses();
    const runner = runnerOf({ onChange, idleCheckpointMs: 60_000 });
    await reached(({ state }) => state === 'live');
    const first = await append(events, noteEvent('UNRELATED', {}));
    await runner.waitFor(first, 5000);
    expect((await documents.checkpoint(LIVE))?.position).toBe(first);
    const applies = jest.spyOn(documents, 'apply');
    for (let i = 0; i < 30; i++) await append(events, noteEvent('UNRELATED', {}));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(applies).not.toHaveBeenCalled();
    await runner.stop();
    expect((await documents.checkpoint(LIVE))?.position).toBe('31');
    expect(applies.mock.calls.filter(([{ name }]) => name === LIVE.name)).toHaveLength(1);
  });

  it('takes a batch of its own that was written twice, its first answer lost, for no other owner', async () => {
    const { onChange, reached } = statuses();
    const runner = runnerOf({ onChange });
    await reached(({ state }) => state === 'live');
    const apply = documents.apply.bind(documents);
    const twice = jest.spyOn(documents, 'apply').mockImplementation(async (generation, batch) => {
      if (generation.name !== LIVE.name) return apply(generation, batch);
      await apply(generation, batch);
      twice.mockRestore();
      return apply(generation, batch);
    });
    const at = await append(events, noteEvent('NOTED', { note: 'a', author: 'me', text: 'x' }));
    await runner.waitFor(at, 5000);
    const after = await append(events, noteEvent('NOTED', { note: 'b', author: 'me', text: 'y' }));
    await runner.waitFor(after, 5000);
    await reached(({ state, position }) => state === 'live' && position === after);
    expect(await digestOfRerun()).toBe(true);
  });

  it('a waiter that asks after the event has passed unwritten is served without another event', async () => {
    const { onChange, reached } = statuses();
    const runner = runnerOf({ onChange, idleCheckpointMs: 60_000 });
    await reached(({ state }) => state === 'live');
    const at = await append(events, noteEvent('UNRELATED', {}));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(runner.status.position).toBe('0');
    await runner.waitFor(at, 5000);
    expect(runner.status.position).toBe(at);
  });

  it('halts at a poison event with everything before it written, keeps the reason, and goes on only when resumed', async () => {
    await append(events, noteEvent('NOTED', { note: 'before', author: 'a' }));
    const poison = noteEvent('POISON', {});
    const at = await append(
      events,
      noteEvent('NOTED', { note: 'beside', author: 'a' }),
      poison,
      noteEvent('NOTED', { note: 'after', author: 'a' }),
    );
    const first = statuses();
    const runner = runnerOf({ onChange: first.onChange });
    await first.reached(({ state }) => state === 'halted');
    expect(runner.status).toMatchObject({
      state: 'halted',
      position: '2',
      error: {
        kind: 'poison',
        event_id: poison.id,
        type: 'POISON',
        revision: 1,
        position: '3',
        message: 'cannot take this',
      },
    });
    expect(await documents.get(LIVE, 'notes', 'beside')).not.toBeNull();
    expect(await documents.get(LIVE, 'notes', 'after')).toBeNull();
    await expect(runner.waitFor(at, 60_000)).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      meta: { state: 'halted', error: { event_id: poison.id } },
    });
    await runner.stop();

    const healed: Projection = {
      ...notesProjection,
      project: (event) => (event.type === 'POISON' ? [] : notesProjection.project(event)),
    };
    const second = statuses();
    const restarted = runnerOf({ onChange: second.onChange, record: recordOver(events) }, healed);
    await second.reached(({ state }) => state === 'halted');
    expect(restarted.status).toMatchObject({ state: 'halted', position: '2', error: { event_id: poison.id } });
    await recordOver(events).decide('notes', by('mended'), ({ parked }) =>
      replay(parked, {
        projection: 'notes',
        position: '3',
        reason: null,
        seed: 'mended',
        halted: { position: '3', event_id: poison.id, event_type: 'POISON', reason_class: 'projecting', replays: 0 },
      }),
    );
    await restarted.lookAgain();
    await second.reached(({ state }) => state === 'live');
    await restarted.waitFor(at, 5000);
    expect(await documents.get(LIVE, 'notes', 'after')).not.toBeNull();
    expect(await documents.runnerState(LIVE)).toBeNull();
  });

  it('a change that cannot be stored halts at its own event and loses none of its batch', async () => {
    const odd: Projection = {
      ...notesProjection,
      project: (event) =>
        event.type === 'POISON'
          ? [{ op: 'put', collection: 'nowhere', id: 'x', body: {} }]
          : notesProjection.project(event),
    };
    const poison = noteEvent('POISON', {});
    await append(
      events,
      noteEvent('NOTED', { note: 'one', author: 'a' }),
      noteEvent('NOTED', { note: 'two', author: 'a' }),
      poison,
      noteEvent('NOTED', { note: 'three', author: 'a' }),
    );
    const { onChange, reached } = statuses();
    const runner = runnerOf({ onChange }, odd);
    await reached(({ state }) => state === 'halted');
    expect(runner.status).toMatchObject({ position: '2', error: { kind: 'poison', event_id: poison.id } });
    expect(await documents.count(LIVE, 'notes')).toBe(2);
  });

  it('passes over a row that is no event of the log, and goes on behind it', async () => {
    const refusing: RunnerOptions['decode'] = (recorded) => {
      if (recorded.position === '2') throw new IntegrityError(recorded.stream, recorded.revision, 'unsigned');
      return parse(recorded);
    };
    for (const note of ['a', 'b', 'c']) await append(events, noteEvent('NOTED', { note, author: note }));
    const runner = runnerOf({ decode: refusing });
    await runner.waitFor('3', 5000);
    expect(await Promise.all(['a', 'b', 'c'].map((id) => documents.get(LIVE, 'notes', id)))).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
  });

  it('says which events this process appended itself, and of no others that it did', async () => {
    const asked: unknown[] = [];
    const asking: RunnerOptions['decode'] = (recorded, isOwn) => {
      asked.push([recorded.position, isOwn]);
      return parse(recorded);
    };
    const own = new (class extends MemoryEventStore {
      override async readAll(options: ReadAllOptions): Promise<Page> {
        const page = await super.readAll(options);
        return options.after === '0' ? page : { ...page, isOwn: true };
      }
    })();
    await append(own, noteEvent('NOTED', { note: 'a', author: 'a' }));
    const { onChange, reached } = statuses();
    const runner = runnerOf({ events: own, decode: asking, onChange });
    await reached(({ state }) => state === 'live');
    await append(own, noteEvent('NOTED', { note: 'b', author: 'b' }));
    await runner.waitFor('2', 5000);
    expect(asked).toEqual([
      ['1', false],
      ['2', true],
    ]);
  });

  it('an event that cannot be decoded is poison too', async () => {
    await append(events, { ...noteEvent('NOTED', {}), text: 'no JSON' });
    const { onChange, reached } = statuses();
    runnerOf({ onChange });
    expect(await reached(({ state }) => state === 'halted')).toMatchObject({
      error: { kind: 'poison', position: '1' },
    });
  });

  it('a second owner fences the first, which writes nothing any more and says so', async () => {
    await append(events, noteEvent('NOTED', { note: 'one', author: 'a' }));
    const first = statuses();
    const old = runnerOf({ onChange: first.onChange });
    await first.reached(({ state }) => state === 'live');
    await old.waitFor('1', 5000);
    const second = statuses();
    const successor = runnerOf({ onChange: second.onChange });
    await second.reached(({ state }) => state === 'live');
    const at = await append(events, noteEvent('NOTED', { note: 'two', author: 'a' }));
    await successor.waitFor(at, 5000);
    expect(await first.reached(({ state }) => state === 'stopped')).toMatchObject({ error: { kind: 'fenced' } });
    await expect(old.waitFor('99', 60_000)).rejects.toMatchObject({ code: 'WAIT_TIMEOUT', meta: { state: 'stopped' } });
    expect(await digestOfRerun()).toBe(true);
  });

  it('a halted owner that was fenced cannot put its halt over the new owner', async () => {
    const { onChange, reached } = statuses();
    runnerOf({ onChange });
    await reached(({ state }) => state === 'live');
    await documents.claim(LIVE);
    await append(events, noteEvent('POISON', {}));
    expect(await reached(({ state }) => state === 'stopped')).toMatchObject({ error: { kind: 'fenced' } });
    expect(await documents.runnerState(LIVE)).toBeNull();
  });

  it('a changed definition without a new version stops with the reason; with one it begins beside the old', async () => {
    await append(events, noteEvent('NOTED', { note: 'one', author: 'a' }));
    await runnerOf().waitFor('1', 5000);
    const changed: Projection = {
      ...notesProjection,
      collections: [...notesProjection.collections, { name: 'more', indexes: [] }],
    };
    const { onChange, reached } = statuses();
    runnerOf({ onChange }, changed);
    expect(await reached(({ state }) => state === 'stopped')).toMatchObject({ error: { kind: 'definition' } });
    const next = runnerOf({}, { ...changed, version: 2 });
    await next.waitFor('1', 5000);
    expect(await documents.generations('notes')).toEqual(
      expect.arrayContaining([LIVE, { projection: 'notes', name: 'v2' }]),
    );
  });

  it.each([
    ['before anything is written', true],
    ['after it was written, with the answer lost', false],
  ])('faults of the read store %s are tried again, and nothing is lost or applied twice', async (_, before) => {
    let calls = 0;
    const flaky = overriding(documents, {
      apply: async (...args: Parameters<ReadStore['apply']>) => {
        const fails = ++calls % 3 === 1;
        if (fails && before) throw new Error('the disk blinked');
        const result = await documents.apply(...args);
        if (fails) throw new Error('the answer got lost');
        return result;
      },
    });
    const { onChange, reached } = statuses();
    const runner = runnerOf({ documents: flaky, maxBatchEvents: 4, onChange });
    for (let i = 0; i < 60; i++) await append(events, nthNote(i));
    await runner.waitFor(await events.head(), 10_000);
    expect(await reached(({ error }) => error?.kind === 'fault')).toMatchObject({ error: { attempts: 1 } });
    await runner.stop();
    expect(await digestOfRerun()).toBe(true);
  });

  it('an event store that is away is asked again with growing pauses, said once', async () => {
    let away = 6;
    const flaky = overriding<EventStore>(events, {
      subscribeAll: (options) => {
        if (away-- > 0) throw new StoreUnavailableError('no route');
        return events.subscribeAll(options);
      },
    });
    await append(events, noteEvent('NOTED', { note: 'one', author: 'a' }));
    const seen: RunnerStatus[] = [];
    const { onChange, reached } = statuses();
    runnerOf({ events: flaky, onChange: (name, status) => (seen.push(status), onChange?.(name, status)) });
    await reached(({ state, error }) => state === 'live' && !error);
    expect(seen.filter(({ error }) => error?.kind === 'fault')).toHaveLength(1);
    expect(await documents.count(LIVE, 'notes')).toBe(1);
  });

  it('stops in the middle of a pause between two attempts', async () => {
    const broken = overriding<EventStore>(events, {
      subscribeAll: () => {
        throw new StoreUnavailableError('no route');
      },
    });
    const { onChange, reached } = statuses();
    const runner = runnerOf({ events: broken, onChange, firstRetryMs: 3_600_000, maxRetryMs: 3_600_000 });
    await reached(({ error }) => error?.kind === 'fault');
    await runner.stop();
    expect(runner.status.state).toBe('stopped');
  });

  it('a batch that failed is never jumped by the next one', async () => {
    const written: string[] = [];
    let fail = true;
    const flaky = overriding(documents, {
      apply: async (...[generation, batch]: Parameters<ReadStore['apply']>) => {
        if (fail && batch.changes.length > 0) {
          fail = false;
          await new Promise((resolve) => setTimeout(resolve, 10));
          throw new Error('once');
        }
        if (generation.name === LIVE.name) written.push(`${batch.from.position}-${batch.to}`);
        return documents.apply(generation, batch);
      },
    });
    for (let i = 0; i < 30; i++) await append(events, noteEvent('NOTED', { note: `n${i}`, author: 'a' }));
    await runnerOf({ documents: flaky, maxBatchEvents: 10 }).waitFor('30', 5000);
    expect(written).toEqual(['0-10', '10-20', '20-30']);
    expect(await documents.count(LIVE, 'notes')).toBe(30);
  });

  describe('in a host', () => {
    it('one that halts leaves the others alone; the list and waitFor tell which', async () => {
      const other: Projection = { ...notesProjection, name: 'other', types: ['NOTED'] };
      const halted = statuses();
      const host = new ProjectionHost({
        projections: [notesProjection, other],
        events,
        documents,
        decode: parse,
        ...FAST,
        now: () => Date.now() + 5000,
        onChange: halted.onChange,
      });
      stops.push(() => host.stop());
      host.start();
      const poison = await append(events, noteEvent('POISON', {}));
      const last = await append(events, noteEvent('NOTED', { note: 'one', author: 'a' }));
      await host.waitFor(last, ['other']);
      await halted.reached(({ state }) => state === 'halted');
      await expect(host.waitFor(last)).rejects.toMatchObject({
        code: 'WAIT_TIMEOUT',
        meta: { projection: 'notes', state: 'halted' },
      });
      const [first, second] = await host.list();
      expect(first).toMatchObject({
        name: 'notes',
        state: 'halted',
        position: '0',
        head: last,
        lag: { events: 2 },
        error: { position: poison },
      });
      expect(first?.lag.seconds).toBeGreaterThanOrEqual(5);
      expect(second).toMatchObject({ name: 'other', position: last, lag: { events: 0, seconds: 0 } });
      expect(() => host.lookAgain('nobody')).toThrow(/NOT_FOUND/);
    });

    it('waitFor gives up after its time with the state in the error', async () => {
      const host = new ProjectionHost({ projections: [notesProjection], events, documents, decode: parse });
      stops.push(() => host.stop());
      host.start();
      await expect(host.waitFor('7', ['notes'], 20)).rejects.toMatchObject({
        code: 'WAIT_TIMEOUT',
        developerMessage: expect.stringContaining('not yet at 7'),
      });
    });

    it('read-after-write holds for 64 writers at once', async () => {
      const host = new ProjectionHost({ projections: [notesProjection], events, documents, decode: parse });
      stops.push(() => host.stop());
      host.start();
      await Promise.all(
        Array.from({ length: 64 }, async (_, i) => {
          const at = await append(events, noteEvent('NOTED', { note: `w${i}`, author: 'a' }));
          await host.waitFor(at);
          expect(await documents.get(LIVE, 'notes', `w${i}`)).not.toBeNull();
        }),
      );
    });
  });
});

/** The store with some of its methods replaced. */
function overriding<T extends object>(store: T, methods: Partial<T>): T {
  return new Proxy(store, {
    get(target, name) {
      const replaced = (methods as Record<PropertyKey, unknown>)[name];
      const value: unknown = replaced ?? Reflect.get(target, name);
      return typeof value === 'function' && !replaced ? (value.bind(target) as unknown) : value;
    },
  });
}
