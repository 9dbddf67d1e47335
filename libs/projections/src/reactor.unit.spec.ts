import {
  emptyHead,
  type EventLog,
  type EventStore,
  IntegrityError,
  NewerEventError,
  type ReadStreamOptions,
  type RecordedEvent,
} from '#lib/event-store';
import { eventId, reactionSeed, systemSeed, traceId } from '#lib/kernel';
import { type Change, MemoryReadStore, type ReadStore } from '#lib/read-store';

import { setUp } from '../../event-store/src/testing/codec-support.js';
import { FencedError, OwedAnswerError } from './errors.js';
import type { ProjectedEvent } from './projection.js';
import { Reactor } from './reactor.js';
import type { Reaction, ReactorFault, ReactorOptions } from './reactor-options.js';
import { reactorPosition } from './reactor-place.js';
import { MOST_OWED } from './reactor-progress.js';

const ACTOR = { id: 'system', role: 'system' };

describe('a reactor', () => {
  it('answers every event of its types once, in order, those from before its first start included', async () => {
    const world = setUpWorld();
    await world.note('a');
    await world.seal();
    const reactor = world.reactor();
    reactor.start();
    await world.note('b');
    await world.caughtUp(reactor);
    expect(world.answered).toEqual(['a', 'b']);
    await reactor.stop();
  });

  it('goes on after its checkpoint when it is started again', async () => {
    const world = setUpWorld();
    await world.note('a');
    await world.whileRunning(() => Promise.resolve());
    await world.note('b');
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toEqual(['a', 'b']);
  });

  it('that crashed between effect and checkpoint answers again, and appends nothing the second time', async () => {
    const world = setUpWorld();
    await world.note('a');
    const apply = world.documents.apply.bind(world.documents);
    const crash = jest.spyOn(world.documents, 'apply').mockRejectedValue(new Error('killed'));
    const first = world.reactor();
    first.start();
    while (world.faults.length === 0) await tick();
    await first.stop();
    crash.mockImplementation(apply);
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered.length).toBeGreaterThan(1);
    const { events } = await world.log.load('follow-a');
    expect(events).toHaveLength(1);
    expect(events[0]!.metadata).toMatchObject({
      event_id: eventId(reactionSeed('follows', world.causes[0]!), 0, 'NOTED'),
      $causationId: world.causes[0],
    });
  });

  it('tries again after a fault, later each time, and lets no later event pass', async () => {
    const world = setUpWorld();
    let failures = 3;
    const failing = async (event: ProjectedEvent): Promise<void> => {
      if (failures-- > 0) throw new Error('the store is away');
      await world.react(event);
    };
    await world.note('a');
    await world.note('b');
    await world.whileRunning(() => Promise.resolve(), { react: failing });
    expect(world.answered).toEqual(['a', 'b']);
    expect(world.faults.map(({ attempts, event_id }) => [attempts, event_id])).toEqual(
      [1, 2, 3].map((n) => [n, world.causes[0]]),
    );
  });

  it.each([
    ['that nobody signed', (text: string) => text.replace(/"signature":"[0-9a-f]{8}/, '"signature":"00000000')],
    ['of a version that nobody wrote', (text: string) => text.replace('"schema_version":1', '"schema_version":99')],
    ['whose text is none', () => 'x'],
    ['whose text is JSON and no event', () => 'null'],
  ])('passes over an event %s, tells it once with its place, and answers the next', async (_, alter) => {
    const world = setUpWorld();
    await world.note('a');
    await world.note('b');
    const { events } = await world.store.readStream('test-0');
    const forged = { id: 'e'.repeat(64), type: 'SAID', text: alter(events[0]!.text) };
    await world.store.append('test-0', 1, [forged]);
    await world.note('c');
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toEqual(['a', 'b', 'c']);
    expect(world.tampered).toEqual(['3 test-0 1']);
    expect(world.faults).toEqual([]);
  });

  it('does not answer a signed event that was copied to another stream', async () => {
    const world = setUpWorld();
    await world.note('a');
    const { events } = await world.store.readStream('test-0');
    const { type, text } = events[0]!;
    await world.store.append('elsewhere', 'none', [{ id: 'e'.repeat(64), type, text }]);
    await world.note('b');
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toEqual(['a', 'b']);
    expect(world.tampered).toEqual(['2 elsewhere 0']);
  });

  it('waits with what a newer release signed, for a process of that release', async () => {
    const world = setUpWorld();
    await world.note('a');
    await world.note('b');
    let unknown = 2;
    const reading = async (event: ProjectedEvent): Promise<void> => {
      if (unknown-- > 0) throw new NewerEventError(event.stream, event.revision, 'version 2');
      await world.react(event);
    };
    await world.whileRunning(() => Promise.resolve(), { react: reading });
    expect(world.answered).toEqual(['a', 'b']);
    expect(world.tampered).toEqual([]);
    expect(world.faults.map(({ attempts, event_id }) => [attempts, event_id])).toEqual(
      [1, 2].map((n) => [n, world.causes[0]]),
    );
  });

  it('answers the next event where the stream of one does not verify', async () => {
    const world = setUpWorld();
    await world.note('a');
    await world.note('b');
    const reading = async (event: ProjectedEvent): Promise<void> => {
      if (event.data['text'] === 'a') throw new IntegrityError(event.stream, 7, 'changed');
      await world.react(event);
    };
    await world.whileRunning(() => Promise.resolve(), { react: reading });
    expect(world.answered).toEqual(['b']);
    expect([world.tampered, world.faults]).toEqual([['1 test-0 7'], []]);
  });

  it('finds its place again after a fault of the read store', async () => {
    const world = setUpWorld();
    jest.spyOn(world.documents, 'claim').mockRejectedValueOnce(new Error('busy'));
    await world.note('a');
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toEqual(['a']);
    expect(world.faults).toMatchObject([{ event_id: null, attempts: 1 }]);
  });

  it('counts faults from the last checkpoint that was kept: one that cannot be kept is no reason to hurry', async () => {
    const world = setUpWorld();
    const apply = world.documents.apply.bind(world.documents);
    const full = jest.spyOn(world.documents, 'apply').mockRejectedValue(new Error('the disk is full'));
    await world.note('a');
    const healed: string[] = [];
    const onHealed = (reactor: string, attempts: number): void => void healed.push(`${reactor} ${attempts}`);
    const reactor = world.reactor({ onHealed });
    reactor.start();
    while (world.faults.length < 4) await tick();
    full.mockImplementation(apply);
    await world.caughtUp(reactor);
    const before = world.faults.length;
    expect(world.faults.map(({ attempts }) => attempts)).toEqual(Array.from({ length: before }, (_, n) => n + 1));
    await reactor.stop();
    expect(healed).toEqual([`follows ${before}`]);
  });

  it('that was away begins with its first pause again at the next outage, also where it had nothing to answer', async () => {
    const world = setUpWorld();
    const claim = jest.spyOn(world.documents, 'claim');
    const away = new Error('away');
    claim.mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    const subscribe = jest.spyOn(world.store, 'subscribeAll');
    let drop = (): void => undefined;
    subscribe.mockImplementationOnce(async function* () {
      yield { kind: 'caughtUp', position: '0' as never };
      await new Promise<void>((resolve) => (drop = resolve));
      throw away;
    });
    const healed: number[] = [];
    const reactor = world.reactor({ onHealed: (_, attempts) => healed.push(attempts) });
    reactor.start();
    while (healed.length === 0) await tick();
    drop();
    while (world.faults.length < 3) await tick();
    await reactor.stop();
    expect(world.faults.map(({ attempts }) => attempts)).toEqual([1, 2, 1]);
    expect(healed[0]).toBe(2);
  });

  it('that another process took over stops, and answers nothing more', async () => {
    const world = setUpWorld();
    const first = world.reactor();
    first.start();
    await world.note('a');
    await world.caughtUp(first);
    const second = world.reactor({ reaction: { react: async () => undefined } });
    second.start();
    await world.caughtUp(second);
    await world.note('b');
    await world.caughtUp(second);
    while (!world.faults.some(({ error }) => error instanceof FencedError)) await tick();
    await world.note('c');
    await expect(first.waitFor(await world.store.head(), 1000)).rejects.toThrow('reactor follows is at');
    expect(world.answered).not.toContain('c');
    await Promise.all([first.stop(), second.stop()]);
  });

  it('goes on where a checkpoint of its own was written twice, its first answer lost', async () => {
    const world = setUpWorld();
    const apply = world.documents.apply.bind(world.documents);
    const twice = jest.spyOn(world.documents, 'apply').mockImplementation(async (generation, batch) => {
      await apply(generation, batch);
      twice.mockRestore();
      return apply(generation, batch);
    });
    await world.note('a');
    await world.note('b');
    await world.whileRunning(() => Promise.resolve());
    expect(new Set(world.answered)).toEqual(new Set(['a', 'b']));
    expect(world.faults.map(({ error }) => String(error))).toEqual([expect.stringContaining('LostAnswerError')]);
  });

  it('of several processes with a lease one answers; another takes over at once when it stops, from where it was', async () => {
    const world = setUpWorld();
    const answered: string[] = [];
    const process = (name: string): Reactor => {
      const react = async (event: ProjectedEvent): Promise<void> => {
        await follow(world.log, event);
        answered.push(`${name} ${event.data['text'] as string}`);
      };
      return world.reactor({ lease: { holder: name, durationMs: 400 }, reaction: { react } });
    };
    const first = process('first');
    first.start();
    await world.note('a');
    await world.caughtUp(first);
    const second = process('second');
    second.start();
    await world.note('b');
    await world.caughtUp(first);
    await first.stop();
    await world.note('c');
    await world.caughtUp(second);
    await second.stop();
    expect(answered).toEqual(['first a', 'first b', 'second c']);
    expect(world.faults).toEqual([]);
  });

  it('whose process is silent for its lease is taken over, answers nothing when it wakes up, and waits for its turn', async () => {
    const world = setUpWorld();
    let isAsleep = false;
    const woken = async (): Promise<void> => {
      while (isAsleep) await tick();
    };
    const answered: string[] = [];
    const reactOf = (name: string, wait: () => Promise<void>) => async (event: ProjectedEvent) => {
      await wait();
      await follow(world.log, event);
      answered.push(`${name} ${event.data['text'] as string}`);
    };
    const sleeping = asleepUntil(world.documents, woken);
    const first = world.reactor({
      documents: sleeping,
      lease: { holder: 'first', durationMs: 40 },
      reaction: { react: reactOf('first', woken) },
    });
    first.start();
    await world.note('a');
    await world.caughtUp(first);
    isAsleep = true;
    await world.note('b');
    const second = world.reactor({
      lease: { holder: 'second', durationMs: 40 },
      reaction: { react: reactOf('second', () => Promise.resolve()) },
    });
    second.start();
    await world.caughtUp(second);
    isAsleep = false;
    await world.note('c');
    await world.caughtUp(second);
    await second.stop();
    await world.note('d');
    await world.caughtUp(first);
    await first.stop();
    expect(answered.filter((one) => !one.endsWith(' b'))).toEqual(['first a', 'second c', 'first d']);
    // Whoever slept in the middle of one answers it too, with the same ids: nothing is appended twice.
    expect(answered).toContain('second b');
    for (const note of ['a', 'b', 'c', 'd']) expect((await world.log.load(`follow-${note}`)).events).toHaveLength(1);
  });

  it('lets the reaction under way end when it is stopped, and keeps its place', async () => {
    const world = setUpWorld();
    let release = (): void => undefined;
    const slow = async (event: ProjectedEvent): Promise<void> => {
      await new Promise<void>((resolve) => (release = resolve));
      await world.react(event);
    };
    await world.note('a');
    const reactor = world.reactor({ reaction: { react: slow } });
    reactor.start();
    await tick();
    const stopping = reactor.stop();
    release();
    await stopping;
    expect(world.answered).toEqual(['a']);
    expect((await world.documents.checkpoint({ projection: 'follows', name: 'reactor' }))!.position).toBe(
      reactor.position,
    );
  });

  it('stops at once where it waits to try again', async () => {
    const world = setUpWorld();
    await world.note('a');
    const failing = () => Promise.reject(new Error('away'));
    const reactor = world.reactor({ reaction: { react: failing }, firstRetryMs: 600_000, maxRetryMs: 600_000 });
    reactor.start();
    while (world.faults.length === 0) await tick();
    await reactor.stop();
    expect(world.faults).toHaveLength(1);
  });

  it('writes no checkpoint for others’ events, but now and then and at its stop', async () => {
    const world = setUpWorld();
    const applied = jest.spyOn(world.documents, 'apply');
    const reactor = world.reactor({ idlePositions: 5 });
    reactor.start();
    for (let i = 0; i < 12; i++) {
      await world.seal();
      await world.caughtUp(reactor);
    }
    expect(applied).toHaveBeenCalledTimes(2);
    await reactor.stop();
    expect(applied).toHaveBeenCalledTimes(3);
    expect((await world.documents.checkpoint({ projection: 'follows', name: 'reactor' }))!.position).toBe('12');
  });

  it('does not spin where the event store was closed', async () => {
    const world = setUpWorld();
    const reactor = world.reactor();
    reactor.start();
    await world.caughtUp(reactor);
    await world.store.close();
    while (world.faults.length === 0) await tick();
    await reactor.stop();
    expect(world.faults.length).toBeLessThan(5);
  });
});

describe('a reactor that needs a stream which is not what was signed', () => {
  /** Notes that cannot be answered, by what is wrong with which stream. */
  const setUpBroken = () => {
    const world = setUpWorld();
    const broken = new Map<string, IntegrityError | OwedAnswerError>();
    const react = async (event: ProjectedEvent): Promise<void> => {
      const fault = broken.get(event.data['text'] as string);
      if (fault) throw fault;
      await world.react(event);
    };
    const start = (options: Changes = {}): Reactor => {
      const running = world.reactor({ reaction: { react }, ...options });
      running.start();
      return running;
    };
    const answeredAll = async (...texts: string[]): Promise<void> => {
      while (!texts.every((text) => world.answered.includes(text))) await tick();
    };
    const kept = () => reactorPosition(world.documents, 'follows');
    return { ...world, broken, start, answeredAll, kept };
  };

  it('owes the answer, and those behind it in its stream, and gives all others; put right, it gives what it owes in its order', async () => {
    const world = setUpBroken();
    await world.note('before');
    await world.note('a');
    await world.noteBehind('test-1', 'a2');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    const first = world.start();
    await world.note('b');
    await world.answeredAll('b');
    await first.stop();
    expect(world.answered).toEqual(['before', 'b']);
    expect([world.tampered, world.faults]).toEqual([['2 elsewhere 0'], []]);
    // The next process knows what is owed, and needs no further event to find the stream put right.
    const next = world.start();
    await world.note('c');
    await world.answeredAll('c');
    world.broken.clear();
    await world.answeredAll('a', 'a2');
    await world.caughtUp(next);
    await next.stop();
    expect(world.answered).toEqual(['before', 'b', 'c', 'a', 'a2']);
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toHaveLength(5);
  });

  it('owes an answer too that fails for a reason of its event alone, and tells each attempt and its end', async () => {
    const world = setUpBroken();
    const away = new Error('away');
    for (const text of ['a', 'a1']) world.broken.set(text, new OwedAnswerError(away));
    for (const text of ['a', 'a1', 'b']) await world.note(text);
    const healed: string[] = [];
    const running = world.start({ onHealed: (reactor, attempts) => healed.push(`${reactor} ${attempts}`) });
    await world.answeredAll('b');
    world.broken.delete('a1');
    await world.answeredAll('a1');
    while (world.faults.filter(({ event_id }) => event_id === world.causes[0]).length < 3) await tick();
    expect([world.answered, world.tampered]).toEqual([['b', 'a1'], []]);
    world.broken.clear();
    await world.caughtUp(running);
    await running.stop();
    expect(world.answered).toEqual(['b', 'a1', 'a']);
    const own = world.faults.filter(({ event_id }) => event_id === world.causes[0]);
    expect(own.map(({ attempts, error }) => [attempts, error])).toEqual(own.map((_, i) => [i + 1, away]));
    expect(healed.at(-1)).toBe(`follows ${own.length}`);
  });

  it('says that it is no further than what it owes, and keeps nothing beside its place once it owes nothing', async () => {
    const world = setUpBroken();
    await world.note('a');
    await world.note('b');
    await world.note('c');
    world.broken.set('b', new IntegrityError('elsewhere', 0, 'changed'));
    const running = world.start();
    await world.answeredAll('c');
    await expect(running.waitFor('2', 20)).rejects.toThrow('reactor follows is at 1, not at 2');
    expect([running.position, await world.kept()]).toEqual(['1', '1']);
    await running.stop();
    expect(await world.kept()).toBe('1');
    world.broken.clear();
    const next = world.start();
    await world.caughtUp(next);
    await next.stop();
    expect(Number(await world.kept())).toBeGreaterThanOrEqual(3);
    expect(await world.documents.runnerState({ projection: 'follows', name: 'reactor' })).toBeNull();
  });

  it('passes over a row that nobody signed also behind an event that it owes', async () => {
    const world = setUpBroken();
    await world.noteBehind('test-1', 'a');
    await world.store.append('test-1', 1, [{ id: 'f'.repeat(64), type: 'SAID', text: '{}' }]);
    await world.note('b');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    const running = world.start();
    await world.answeredAll('b');
    expect(world.tampered).toEqual(['1 elsewhere 0', '2 test-1 1']);
    world.broken.clear();
    await world.answeredAll('a');
    await world.caughtUp(running);
    await running.stop();
    expect(world.answered).toEqual(['b', 'a']);
    expect([world.tampered, world.faults]).toEqual([['1 elsewhere 0', '2 test-1 1'], []]);
    expect(await world.documents.runnerState({ projection: 'follows', name: 'reactor' })).toBeNull();
  });

  it.each([
    ['a newer release signed', (at: RecordedEvent) => new NewerEventError(at.stream, at.revision, 'version 2')],
    ['cannot be opened for another reason', () => new Error('away')],
  ])('waits with what %s also behind an event that it owes', async (_, faultOf) => {
    const world = setUpBroken();
    await world.noteBehind('test-1', 'a');
    await world.noteBehind('test-1', 'a2');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    let failures = 2;
    const open = async (recorded: RecordedEvent): Promise<ProjectedEvent> => {
      if (recorded.revision === 1 && failures-- > 0) throw faultOf(recorded);
      return world.codec.openAlone(recorded);
    };
    const running = world.start({ open });
    while (world.faults.length < 2) await tick();
    world.broken.clear();
    await world.answeredAll('a', 'a2');
    await world.caughtUp(running);
    await running.stop();
    expect(world.answered).toEqual(['a', 'a2']);
    expect(world.tampered).toEqual(['1 elsewhere 0']);
    expect(world.faults.map(({ event_id }) => event_id)).toEqual([world.idOf('a2'), world.idOf('a2')]);
  });

  it('owes what stands behind another where something else than its own stream keeps it from being opened', async () => {
    const world = setUpBroken();
    await world.noteBehind('test-1', 'a');
    await world.noteBehind('test-1', 'a2');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    let isBroken = true;
    const open = async (recorded: RecordedEvent): Promise<ProjectedEvent> => {
      if (recorded.revision === 1 && isBroken) throw new IntegrityError('keys', 0, 'changed');
      return world.codec.openAlone(recorded);
    };
    const running = world.start({ open });
    while (world.tampered.length < 2) await tick();
    world.broken.clear();
    isBroken = false;
    await world.answeredAll('a', 'a2');
    await running.stop();
    expect(world.answered).toEqual(['a', 'a2']);
    expect(world.tampered).toEqual(['1 elsewhere 0', '2 keys 0']);
  });

  it('lets no event of the streams of the system wait for another there', async () => {
    const world = setUpBroken();
    await world.noteBehind('system-test', 'a');
    await world.noteBehind('system-test', 'b');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    const running = world.start();
    await world.answeredAll('b');
    await running.stop();
    expect(world.answered).toEqual(['b']);
  });

  it('answers what it owes before what comes after the stream was put right', async () => {
    const world = setUpBroken();
    await world.note('a');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    const running = world.start({ maxRetryMs: 60_000 });
    while (world.tampered.length === 0) await tick();
    world.broken.clear();
    await world.note('b');
    await world.answeredAll('a', 'b');
    await running.stop();
    expect(world.answered).toEqual(['a', 'b']);
  });

  it('tries what a few streams are needed for before what comes next, each in its turn, however many it needs', async () => {
    const world = setUpBroken();
    const owed = Array.from({ length: 30 }, (_, i) => `${i}`);
    for (const text of owed) {
      await world.note(text);
      world.broken.set(text, new IntegrityError(`elsewhere-${text}`, 0, 'changed'));
    }
    const tried: string[] = [];
    const react = async (event: ProjectedEvent): Promise<void> => {
      const text = event.data['text'] as string;
      tried.push(text);
      const fault = world.broken.get(text);
      if (fault) throw fault;
      await world.react(event);
    };
    const running = world.start({ reaction: { react }, maxRetryMs: 60_000 });
    while (world.tampered.length < owed.length) await tick();
    tried.length = 0;
    for (let i = 0; i < 10; i++) {
      await world.note(`new-${i}`);
      await world.answeredAll(`new-${i}`);
    }
    expect(tried.filter((text) => !text.startsWith('new')).toSorted()).toEqual(owed.toSorted());
    world.broken.clear();
    await world.note('last');
    await world.answeredAll('last');
    expect(world.answered).toHaveLength(10 + 3 + 1);
    await running.stop();
    await world.whileRunning(() => Promise.resolve());
    expect(world.answered).toHaveLength(10 + 30 + 1);
  });

  it('tells of a second place that it then finds, once each', async () => {
    const world = setUpBroken();
    await world.note('a');
    world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
    const running = world.start();
    while (world.tampered.length < 1) await tick();
    world.broken.set('a', new IntegrityError('another', 3, 'changed'));
    while (world.tampered.length < 2) await tick();
    world.broken.clear();
    await world.answeredAll('a');
    await running.stop();
    expect(world.tampered).toEqual(['1 elsewhere 0', '1 another 3']);
  });

  it.each([
    ['was cut', () => []],
    ['holds another event there', (others: readonly RecordedEvent[]) => others],
    ['has lost its beginning', () => new IntegrityError('test-1', 0, 'the stream has lost its events before number 5')],
  ])(
    'owes the answer also where the stream of the event itself %s since, tells of that, and goes on',
    async (_, now) => {
      const world = setUpBroken();
      await world.note('other');
      await world.note('a');
      world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
      const { events: others } = await world.store.readStream('test-0');
      const running = world.start();
      while (world.tampered.length < 1) await tick();
      const readStream = world.store.readStream.bind(world.store);
      const reading = jest
        .spyOn(world.store, 'readStream')
        .mockImplementation(async (stream: string, options?: ReadStreamOptions) => {
          if (stream !== 'test-1') return readStream(stream, options);
          const found = now(others);
          if (found instanceof Error) throw found;
          return { events: [...found], version: 1 };
        });
      while (world.tampered.length < 2) await tick();
      expect(world.tampered).toEqual(['2 elsewhere 0', '2 test-1 0']);
      world.broken.clear();
      await world.note('b');
      await world.answeredAll('b');
      expect([running.position, world.faults]).toEqual(['1', []]);
      reading.mockRestore();
      await world.answeredAll('a');
      await running.stop();
      expect(world.answered).toEqual(['other', 'b', 'a']);
    },
  );

  it('writes beside its place what has changed alone, however much it owes', async () => {
    const world = setUpBroken();
    for (let i = 0; i < 100; i++) {
      await world.note(`${i}`);
      world.broken.set(`${i}`, new IntegrityError(`elsewhere-${i}`, 0, 'changed'));
    }
    const running = world.start({ maxRetryMs: 60_000 });
    while (world.tampered.length < 100) await tick();
    await world.note('met');
    await world.answeredAll('met');
    const apply = jest.spyOn(world.documents, 'apply');
    for (let i = 0; i < 10; i++) {
      await world.note(`new-${i}`);
      await world.answeredAll(`new-${i}`);
    }
    const written = apply.mock.calls.map(([, { changes, runnerState }]) =>
      JSON.stringify([changes, runnerState ?? null]),
    );
    expect(Math.max(...written.map((one) => one.length))).toBeLessThan(200);
    world.broken.delete('3');
    apply.mockClear();
    for (let i = 0; !world.answered.includes('3'); i++) {
      await world.note(`next-${i}`);
      await world.answeredAll(`next-${i}`);
    }
    await running.stop();
    const changes = apply.mock.calls.flatMap(([, batch]) => batch.changes);
    expect(changes.map(({ op, id }) => [op, id])).toEqual([['delete', world.causes[3]]]);
  });

  describe('whose list of what it owes was changed beside it', () => {
    const place = { projection: 'follows', name: 'reactor' };
    const list = { projection: 'follows', name: 'owed' };
    const change = async ({ documents }: ReturnType<typeof setUpBroken>, changes: readonly Change[]): Promise<void> => {
      const from = (await documents.checkpoint(list))!;
      await documents.apply(list, { changes, from, to: from.position });
    };

    it.each<[string, (world: ReturnType<typeof setUpBroken>) => Promise<void>]>([
      ['is less than it was', (world) => change(world, [{ op: 'delete', collection: 'events', id: world.causes[0]! }])],
      [
        'holds what is no event',
        (world) => change(world, [{ op: 'put', collection: 'events', id: 'x', body: { stream: 7, position: [] } }]),
      ],
      [
        'holds an event without its place',
        (world) =>
          change(world, [{ op: 'merge', collection: 'events', id: world.causes[1]!, fields: { revision: -1 } }]),
      ],
      [
        'was left by a release that kept it in another way',
        async ({ documents }) => {
          const from = (await documents.checkpoint(place))!;
          const runnerState = { seen: '3', owed: [] };
          await documents.apply(place, { changes: [], from, to: from.position, runnerState });
        },
      ],
      [
        'is counted, and its end is no position',
        async ({ documents }) => {
          const from = (await documents.checkpoint(place))!;
          const runnerState = { seen_to: { $gt: '' }, owes: 2 };
          await documents.apply(place, { changes: [], from, to: from.position, runnerState });
        },
      ],
      [
        'is counted as nothing, up to a place far ahead',
        async ({ documents }) => {
          const from = (await documents.checkpoint(place))!;
          const runnerState = { seen_to: '999', owes: 0 };
          await documents.apply(place, { changes: [], from, to: from.position, runnerState });
        },
      ],
    ])('answers everything behind its place again where it %s: nothing is left out', async (_, tamper) => {
      const world = setUpBroken();
      for (const text of ['a', 'b']) {
        await world.note(text);
        world.broken.set(text, new IntegrityError('elsewhere', 0, 'changed'));
      }
      await world.note('c');
      const first = world.start();
      await world.answeredAll('c');
      await first.stop();
      await tamper(world);
      world.broken.clear();
      const next = world.start();
      await world.caughtUp(next);
      await world.note('d');
      await world.answeredAll('d');
      await next.stop();
      expect(new Set(world.answered)).toEqual(new Set(['a', 'b', 'c', 'd']));
      expect(world.faults).toEqual([]);
      expect(await world.documents.count(list, 'events')).toBe(0);
    });

    it('passes over what it has answered already, and takes it away', async () => {
      const world = setUpBroken();
      await world.note('before');
      await world.note('a');
      world.broken.set('a', new IntegrityError('elsewhere', 0, 'changed'));
      await world.note('b');
      const first = world.start();
      await world.answeredAll('b');
      await first.stop();
      const body = { stream: 'test-0', revision: 0, position: '1', before: '0', needs: 'elsewhere' };
      await change(world, [{ op: 'put', collection: 'events', id: world.causes[0]!, body }]);
      const next = world.start();
      await world.note('c');
      await world.answeredAll('c');
      world.broken.clear();
      await world.answeredAll('a');
      await world.caughtUp(next);
      await next.stop();
      expect(world.answered).toEqual(['before', 'b', 'c', 'a']);
      expect(await world.documents.count(list, 'events')).toBe(0);
    });
  });

  it('waits with what follows once it owes too much, and goes on once it does not', async () => {
    const world = setUpBroken();
    for (let i = 0; i <= MOST_OWED; i++) {
      await world.note(`${i}`);
      world.broken.set(`${i}`, new IntegrityError('elsewhere', 0, 'changed'));
    }
    await world.note('last');
    const running = world.start();
    while (world.faults.length === 0) await tick();
    expect(world.faults[0]).toMatchObject({ error: { message: expect.stringContaining('too many') as unknown } });
    expect([world.answered, running.position]).toEqual([[], '0']);
    world.broken.clear();
    await world.answeredAll('last');
    await running.stop();
    expect(world.answered).toEqual([...Array.from({ length: MOST_OWED + 1 }, (_, i) => `${i}`), 'last']);
  });
});

type Changes = Partial<Omit<ReactorOptions, 'events'>> & { readonly reaction?: Partial<Reaction> };

/** Notes to follow, a place for checkpoints, and a reaction that appends one event for each note. */
function setUpWorld() {
  const { log, store, codec } = setUp();
  const documents = new MemoryReadStore();
  const answered: unknown[] = [];
  const causes: string[] = [];
  const faults: ReactorFault[] = [];
  const tampered: string[] = [];
  const react = async (event: ProjectedEvent): Promise<void> => {
    await follow(log, event);
    answered.push(event.data['text']);
  };
  const reactor = ({ reaction = {}, ...options }: Changes = {}): Reactor =>
    new Reactor(
      { name: 'follows', types: ['SAID'], react, ...reaction },
      {
        events: store,
        documents,
        open: async (recorded) => codec.open(recorded, claimedBefore(recorded.text)).event,
        onTampered: ({ stream, revision }, { position }) => tampered.push(`${position} ${stream} ${revision}`),
        onFault: (fault) => faults.push(fault),
        firstRetryMs: 1,
        maxRetryMs: 4,
        ...options,
      },
    );
  const world = { log, store, codec, documents, answered, causes, faults, tampered, react, reactor };
  const append = async (type: string, data: Record<string, string | number | null>): Promise<void> => {
    const seed = systemSeed('test', `${causes.length} ${await store.head()}`);
    const by = { jobSeed: seed, sequenceIndex: 0, actor: ACTOR, traceId: traceId(seed) };
    const { events } = await log.append(emptyHead(`test-${await store.head()}`), [{ type, data }], by);
    if (type === 'SAID') causes.push(events[0]!.metadata.event_id);
  };
  return {
    ...world,
    note: (text: string) => append('SAID', { who: null, text }),
    idOf: (text: string) => eventId(systemSeed('test', text), 0, 'SAID'),
    noteBehind: async (stream: string, text: string): Promise<void> => {
      const seed = systemSeed('test', text);
      const by = { jobSeed: seed, sequenceIndex: 0, actor: ACTOR, traceId: traceId(seed) };
      const { head } = await log.load(stream);
      await log.append(head, [{ type: 'SAID', data: { who: null, text } }], by);
    },
    seal: () => append('SEALED', { count: 0 }),
    caughtUp: async (running: Reactor) => running.waitFor(await store.head(), 5000),
    whileRunning: async (doing: () => Promise<void>, reaction: Partial<Reaction> = {}) => {
      const running = reactor({ reaction });
      running.start();
      await doing();
      await running.waitFor(await lastSaid(store), 5000);
      await running.stop();
    },
  };
}

/** What a text says that it follows, as far as it is an event. */
function claimedBefore(text: string): string {
  return /"prev_hash":"([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
}

async function lastSaid(store: EventStore): Promise<string> {
  const { events } = await store.readAll({ after: '0' as never, limit: 1000, types: ['SAID'] });
  return events.at(-1)!.position;
}

async function follow(log: EventLog, event: ProjectedEvent): Promise<void> {
  const what = event.data['text'] as string;
  const cause = event.metadata.event_id;
  await log.append(emptyHead(`follow-${what}`), [{ type: 'NOTED', data: { what } }], {
    jobSeed: reactionSeed('follows', cause),
    sequenceIndex: 0,
    actor: ACTOR,
    traceId: event.metadata.trace_id,
    causationId: cause,
  });
}

function tick(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** A store whose user is stopped, as by SIGSTOP: what it asked for waits, and is then asked for late. */
function asleepUntil(store: ReadStore, woken: () => Promise<void>): ReadStore {
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
