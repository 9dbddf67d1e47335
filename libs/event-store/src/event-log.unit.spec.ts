import type { DomainEvent } from '#lib/kernel';

import { IntegrityError } from './codec/integrity-error.js';
import type { LoggedEvent } from './codec/logged-event.js';
import { DifferentBodyError, type Fold, NO_STATE, StoredError, VersionConflictError } from './event-log.js';
import { MemoryEventStore } from './memory/memory-event-store.js';
import {
  DuplicateEventError,
  type EventStore,
  type EventToAppend,
  type ExpectedVersion,
  type NonEmpty,
  type RecordedEvent,
  START,
  StorageFullError,
  StoreUnavailableError,
} from './port.js';
import { HEAD, key, NOON, provenance, setUp, sha256 } from './testing/codec-support.js';

const noted = (what: string): DomainEvent => ({ type: 'NOTED', data: { what } });
const LIST: Fold<readonly string[]> = {
  name: 'list',
  initial: [],
  evolve: (state, { data, type }) => [...state, wordOf(data['what'] ?? data['text'] ?? type)],
};

const COUNT: Fold<number> = { name: 'count', initial: 0, evolve: (count) => count + 1 };

/** A store whose appends do something else first or afterwards. */
class Interposed extends MemoryEventStore {
  readonly parts: number[] = [];
  before: (() => Promise<unknown> | void) | undefined;
  after: (() => void) | undefined;

  override async append(stream: string, expected: ExpectedVersion, events: NonEmpty<EventToAppend>) {
    const { before } = this;
    this.before = undefined;
    await before?.();
    this.parts.push(events.length);
    const result = await super.append(stream, expected, events);
    const { after } = this;
    this.after = undefined;
    after?.();
    return result;
  }
}

const lose = (): never => {
  throw new StoreUnavailableError('the answer was lost');
};

function command(what: string, seed = what) {
  return { stream: 'test-1', fold: LIST, provenance: provenance(seed), decide: () => [noted(what)] };
}

describe('executing a command', () => {
  it('appends what was decided and answers the state after it', async () => {
    const { log } = setUp();
    const first = await log.execute(command('a'));
    const second = await log.execute(command('b'));
    expect(first).toMatchObject({ state: ['a'], head: { version: 1 } });
    expect(second).toMatchObject({ state: ['a', 'b'], head: { version: 2 } });
    expect(second.events[0]).toMatchObject({ revision: 1, data: { what: 'b' } });
  });

  it('decides again on fresh state when another process wrote in between', async () => {
    const store = new Interposed();
    const [mine, others] = [setUp({ store }).log, setUp({ store }).log];
    store.before = () => others.execute(command('theirs'));
    const seen: (readonly string[])[] = [];
    const done = await mine.execute({
      ...command('mine'),
      decide: (state) => {
        seen.push(state);
        return [noted('mine')];
      },
    });
    expect(seen).toEqual([[], ['theirs']]);
    expect(done.state).toEqual(['theirs', 'mine']);
  });

  it('decides again where another process carried out the same command first, and finds it done', async () => {
    for (const meanwhile of [['theirs'], ['theirs', 'next'], ['next', 'theirs']]) {
      const store = new Interposed();
      const [mine, others] = [setUp({ store }).log, setUp({ store }).log];
      store.before = async () => {
        for (const what of meanwhile)
          await others.execute(command(what, what === 'theirs' ? 'one-seed' : 'other-seed'));
      };
      const done = await mine.execute({
        ...command('mine', 'one-seed'),
        decide: (state) => (state.includes('theirs') ? [] : [noted('mine')]),
      });
      expect(done.state).toEqual(meanwhile);
      expect(done.events).toEqual([]);
    }
  });

  it('that insists on ids which another body holds is refused, and nothing is written', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    await log.execute(command('first', 'one-seed'));
    await expect(log.execute(command('second', 'one-seed'))).rejects.toThrow(DuplicateEventError);
    expect((await log.fold('test-1', LIST)).state).toEqual(['first']);
  });

  it('gives up after 32 lost races, and says how the stream stands', async () => {
    const store = new MemoryEventStore();
    const { log } = setUp({ store });
    let decisions = 0;
    const conflict = async () => ({ outcome: 'conflict', version: 7 }) as const;
    jest.spyOn(store, 'append').mockImplementation(conflict);
    const racing = log.execute({ ...command('a'), decide: () => (decisions++, [noted('a')]) });
    await expect(racing).rejects.toThrow(VersionConflictError);
    expect(decisions).toBe(32);
  });

  it('writes nothing where nothing is decided', async () => {
    const { log, store } = setUp();
    expect(await log.execute({ ...command('a'), decide: () => [] })).toMatchObject({ state: [], events: [] });
    expect(await store.head()).toBe('0');
  });

  it('takes turns with the other commands of its process on that stream', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    const names = Array.from({ length: 50 }, (_, i) => `c${i}`);
    await Promise.all(names.map((name) => log.execute(command(name))));
    expect((await log.fold('test-1', LIST)).state).toEqual(names);
    expect(store.parts).toHaveLength(50);
  });

  it('is not held up by one that failed before it', async () => {
    const { log } = setUp();
    const failing = log.execute({
      ...command('a'),
      decide: () => {
        throw new Error('no');
      },
    });
    const next = log.execute(command('b'));
    await expect(failing).rejects.toThrow('no');
    expect((await next).state).toEqual(['b']);
  });
});

describe('a state in memory', () => {
  it('is never stale where two processes share a store', async () => {
    const store = new MemoryEventStore();
    const logs = [setUp({ store }).log, setUp({ store }).log] as const;
    const expected: string[] = [];
    for (let i = 0; i < 40; i++) {
      await logs[i % 3 === 0 ? 0 : 1].execute(command(`e${i}`));
      expected.push(`e${i}`);
      for (const log of logs) expect((await log.fold('test-1', LIST)).state).toEqual(expected);
    }
  });

  it('is folded on from where it is, each event once', async () => {
    const store = new MemoryEventStore();
    const [mine, others] = [setUp({ store }).log, setUp({ store }).log];
    const seen: string[] = [];
    const counting: Fold<number> = {
      name: 'counting',
      initial: 0,
      evolve: (state, event) => (seen.push(wordOf(event.data['what'])), state + 1),
    };
    await others.execute(command('a'));
    await mine.fold('test-1', counting);
    await others.execute(command('b'));
    expect((await mine.fold('test-1', counting)).state).toBe(2);
    await mine.fold('test-1', counting);
    expect(seen).toEqual(['a', 'b']);
  });

  it('is not built on a tampered event, and nothing is read from its stream', async () => {
    const { log, store } = setUp();
    await log.execute(command('a'));
    const { events } = await store.readStream('test-1');
    (events[0] as { text: string }).text = events[0]!.text.replace('"a"', '"b"');
    const { log: fresh } = setUp({ store });
    await expect(fresh.fold('test-1', LIST)).rejects.toThrow(IntegrityError);
    await expect(fresh.load('test-1')).rejects.toThrow(IntegrityError);
  });

  it('is given at once where the store knows its version at once, and never one that is not the newest', async () => {
    class Knowing extends MemoryEventStore {
      known: number | undefined = undefined;
      knownVersion(): number | undefined {
        return this.known;
      }
    }
    const store = new Knowing();
    const { log } = setUp({ store });
    await log.execute(command('a'));
    expect(log.foldKnown('test-1', LIST)).toBeUndefined();
    store.known = 1;
    expect(log.foldKnown('test-1', LIST)).toMatchObject({ state: ['a'], head: { version: 1 } });
    store.known = 2;
    expect(log.foldKnown('test-1', LIST)).toBeUndefined();
    store.known = 0;
    expect(log.foldKnown('test-2', LIST)).toBeUndefined();
  });

  it('of personal fields is plain only for a fold that asks for it', async () => {
    const { log } = setUp();
    const saying = { ...command('x'), decide: () => [{ type: 'SAID', data: { who: 'user_tuff', text: 'blue' } }] };
    expect((await log.execute({ ...saying, fold: { ...LIST, name: 'plain', personal: 'plain' } })).state).toEqual([
      'blue',
    ]);
    expect((await log.fold('test-1', LIST)).state).toEqual(['(sealed)']);
  });
});

describe('an append whose answer was lost', () => {
  it('is asked again and reports the first one as repeated', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    store.after = lose;
    const { repeated, head, events } = await log.append(HEAD, [noted('a'), noted('b')], provenance());
    expect({ repeated, version: head.version }).toEqual({ repeated: true, version: 2 });
    expect(events.map(({ data }) => data)).toEqual([{ what: 'a' }, { what: 'b' }]);
    expect((await log.load('test-1')).head).toEqual(head);
  });

  it('is not asked again where the store said that nothing was written', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    store.before = () => {
      throw new StorageFullError('quota');
    };
    await expect(log.append(HEAD, [noted('a')], provenance())).rejects.toThrow(StorageFullError);
    expect(store.parts).toEqual([]);
  });

  it('is refused where its ids stand for another body', async () => {
    const { log } = setUp();
    await log.append(HEAD, [noted('a')], provenance());
    await expect(log.append(HEAD, [noted('b')], provenance())).rejects.toThrow(DifferentBodyError);
    const eve = provenance('seed-1', { actor: { id: 'user_eve', role: 'user' } });
    await expect(log.append(HEAD, [noted('a')], eve)).rejects.toThrow(DifferentBodyError);
  });

  it.each([
    ['at another time', { now: () => NOON + 60_000 }],
    ['under another key', { ring: [key('event-hmac', 'k1', 1, 'verify-only'), key('event-hmac', 'k2', 2)] }],
  ])(
    'is repeated where an earlier try stored the same %s: what follows is chained to the bytes that are there',
    async (_, later) => {
      const store = new MemoryEventStore();
      const first = await setUp({ store }).log.append(HEAD, [noted('a'), noted('b')], provenance());
      const { log } = setUp({ store, ...later });
      const { repeated, head, events } = await log.append(HEAD, [noted('a'), noted('b')], provenance());
      expect({ repeated, head }).toEqual({ repeated: true, head: first.head });
      expect(events.map(({ metadata }) => metadata)).toEqual(first.events.map(({ metadata }) => metadata));
      await log.append(head, [noted('c')], provenance('seed-2'));
      expect((await log.fold('test-1', LIST)).state).toEqual(['a', 'b', 'c']);
    },
  );

  it('is a conflict where the same follows on something else: whoever appends has to read anew', async () => {
    const store = new MemoryEventStore();
    const { log } = setUp({ store });
    await log.append(HEAD, [noted('a')], provenance());
    const { head } = await log.append((await log.load('test-1')).head, [noted('b')], provenance('seed-2'));
    const elsewhere = { stream: head.stream, version: 1, lastHash: 'f'.repeat(64) };
    await expect(log.append(elsewhere, [noted('b')], provenance('seed-2'))).rejects.toThrow(VersionConflictError);
  });
});

describe('a command whose decision rests on nothing in its stream', () => {
  const record = (what: string) => ({ ...command(what), fold: NO_STATE });

  async function longStream(store: MemoryEventStore) {
    const events = Array.from({ length: 3000 }, (_, i) => noted(`${i}`));
    return (await setUp({ store }).log.append(HEAD, events, provenance())).head;
  }

  it('reads one event of a stream of thousands, and appends behind it what every reader verifies', async () => {
    const store = new MemoryEventStore();
    const head = await longStream(store);
    const { log } = setUp({ store });
    const reads = jest.spyOn(store, 'readStream');
    await log.execute(record('first'));
    await log.execute(record('second'));
    expect(reads.mock.calls).toEqual([['test-1', { from: head.version - 1, limit: 1 }]]);
    expect((await setUp({ store }).log.load('test-1')).head.version).toBe(head.version + 2);
  });

  it('reads one event where other processes have written thousands since its last', async () => {
    const store = new MemoryEventStore();
    const { log } = setUp({ store });
    await log.execute(record('mine'));
    const others = setUp({ store }).log;
    const theirs = Array.from({ length: 3000 }, (_, i) => noted(`${i}`));
    await others.append((await others.load('test-1')).head, theirs, provenance('theirs'));
    const reads = jest.spyOn(store, 'readStream');
    await log.execute(record('again'));
    expect(reads.mock.calls).toEqual([['test-1', { from: 3000, limit: 1 }]]);
  });

  it('is refused where the same ids stand further back, and where the last event is not signed', async () => {
    const store = new MemoryEventStore();
    const { version } = await longStream(store);
    const { log } = setUp({ store });
    await log.execute(record('said'));
    await log.execute(record('next'));
    await expect(setUp({ store }).log.execute(record('said'))).rejects.toThrow(DuplicateEventError);
    const { events } = await store.readStream('test-1', { from: version, limit: 1 });
    const text = events[0]!.text.replace('"said"', '"forged"');
    await store.append('test-1', version + 2, [{ id: sha256('forged'), type: 'NOTED', text }]);
    await expect(setUp({ store }).log.execute(record('other'))).rejects.toThrow(IntegrityError);
  });
});

describe('a decision', () => {
  it('that does not fit into one append is refused whole, and nothing of it is stored', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    const large = ['a', 'b', 'c'].map((name) => noted(name + 'x'.repeat(400 * 1024)));
    await expect(log.execute({ ...command('a'), decide: () => large })).rejects.toThrow(
      /^an append of 12\d{5} bytes is over 921600$/,
    );
    expect([store.parts, await store.streamVersion('test-1')]).toEqual([[], 0]);
  });

  it('that is stored is told as stored where the state after it cannot be made', async () => {
    const { log, store } = setUp();
    const fault = new Error('no state');
    const broken: Fold<readonly string[]> = {
      ...LIST,
      name: 'broken',
      evolve: () => {
        throw fault;
      },
    };
    const done = await log.execute({ ...command('a'), fold: broken });
    expect(done.events).toMatchObject([{ revision: 0, data: { what: 'a' } }]);
    expect(() => done.state).toThrow(new StoredError('test-1', fault));
    expect(await store.streamVersion('test-1')).toBe(1);
    expect((await log.fold('test-1', LIST)).state).toEqual(['a']);
  });
});

describe('an append that is too large for one', () => {
  const large = (name: string): DomainEvent => noted(name + 'x'.repeat(400 * 1024));
  const seal: DomainEvent = { type: 'SEALED', data: { count: 5 } };

  it('is split, one chain through all parts, the seal in the last', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    const { head } = await log.append(
      HEAD,
      [large('a'), large('b'), large('c'), large('d'), large('e'), seal],
      provenance(),
    );
    expect(store.parts).toEqual([2, 2, 2]);
    const loaded = await log.load('test-1');
    expect(loaded.head).toEqual(head);
    expect(loaded.events.at(-1)!.data).toEqual({ count: 5, last_hash: sha256(await textAt(store, 4)) });
    const ids = loaded.events.map(({ metadata }) => metadata.event_id);
    expect(loaded.events.map(({ metadata }) => metadata.$causationId)).toEqual([undefined, ...ids.slice(0, -1)]);
  });

  it('of whose second part the answer is lost is repeated like any other', async () => {
    const store = new Interposed();
    const { log } = setUp({ store });
    store.after = () => (store.after = lose);
    const { repeated, head } = await log.append(HEAD, [large('a'), large('b'), large('c'), seal], provenance());
    expect(repeated).toBe(true);
    expect((await log.load('test-1')).head).toEqual(head);
  });

  it.each([1, 2, 3])(
    'of which an earlier try stored %d parts is finished, one chain through all of them',
    async (parts) => {
      const store = new Interposed();
      const events = [large('a'), large('b'), large('c'), large('d'), large('e'), seal];
      const by = provenance('seed-1', { causationId: 'c'.repeat(64), requestDigest: 'd'.repeat(64) });
      let left = parts;
      const stop = (): void => {
        if (left-- === 0) throw new StorageFullError('quota');
        store.before = stop;
      };
      store.before = stop;
      const first = setUp({ store }).log.append(HEAD, events, by);
      await (parts < 3 ? expect(first).rejects.toThrow(StorageFullError) : first);
      store.before = undefined;
      const { log } = setUp({ store, now: () => NOON + 60_000 });
      const { head, repeated, events: answered } = await log.append(HEAD, events, by);
      const loaded = await log.load('test-1');
      expect([loaded.head, repeated, loaded.events.length]).toEqual([head, true, 6]);
      expect(answered.map(({ metadata }) => metadata)).toEqual(loaded.events.map(({ metadata }) => metadata));
      const ids = loaded.events.map(({ metadata }) => metadata.event_id);
      expect(loaded.events.map(({ metadata }) => metadata.$causationId)).toEqual([by.causationId, ...ids.slice(0, -1)]);
    },
  );
});

describe('finding a request by its seed', () => {
  it('finds its newest event, however far back, and nobody else’s', async () => {
    const { log } = setUp();
    await log.execute(command('wanted', 'the-seed'));
    await log.append(
      (await log.load('test-1')).head,
      Array.from({ length: 2500 }, (_, i) => noted(`"job_seed":"the-seed"${i}`)),
      provenance('many'),
    );
    expect(await log.findBySeed('test-1', 'the-seed', 0)).toMatchObject({ revision: 0, data: { what: 'wanted' } });
    expect(await log.findBySeed('test-1', 'the-see', 0)).toBeNull();
    expect(await log.findBySeed('test-1', 'many', 0)).toMatchObject({ revision: 2500 });
    expect(await log.findBySeed('no-such', 'many', 0)).toBeNull();
  });

  it('is not a row that carries the seed and that nobody signed', async () => {
    const { log, store } = setUp();
    await log.execute(command('said', 'the-seed'));
    const { events } = await store.readStream('test-1');
    const text = events[0]!.text.replace('"said"', '"forged"');
    await store.append('test-1', 1, [{ id: sha256('forged'), type: 'NOTED', text }]);
    expect(await log.findBySeed('test-1', 'the-seed', 0)).toMatchObject({ revision: 0, data: { what: 'said' } });
  });

  it('does not look further back than asked', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(1000);
    const { log } = setUp();
    await log.execute(command('old', 'the-seed'));
    now.mockReturnValue(2000);
    await log.execute(command('new', 'other'));
    expect(await log.findBySeed('test-1', 'the-seed', 1000)).toMatchObject({ revision: 0 });
    expect(await log.findBySeed('test-1', 'the-seed', 1001)).toBeNull();
    now.mockRestore();
  });
});

it('reads a stream of many pages in order, each event once', async () => {
  const { log } = setUp();
  const events = Array.from({ length: 2100 }, (_, i) => noted(`${i}`));
  await log.append(HEAD, events, provenance());
  const loaded: readonly LoggedEvent[] = (await log.load('test-1')).events;
  expect(loaded.map(({ data }) => data['what'])).toEqual(events.map(({ data }) => data['what']));
});

describe('the state as of a position', () => {
  const LONG = 2100;

  /** Counts how many events are read. */
  class Counting extends MemoryEventStore {
    read = 0;

    override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
      const slice = await super.readStream(...args);
      this.read += slice.events.length;
      return slice;
    }
  }

  async function longStream(length = LONG) {
    const store = new Counting();
    const { log, keys } = setUp({ store });
    const events = Array.from({ length }, (_, i) => noted(`${i}`));
    for (let from = 0; from < length; from += 100)
      await log.append(
        from === 0 ? HEAD : (await log.fold('test-1', COUNT)).head,
        events.slice(from, from + 100),
        provenance(`seed-${from}`),
      );
    const positions = (await log.load('test-1')).events.map(({ position }) => position);
    return { store, positions, events, log: setUp({ store, keys }).log };
  }

  it('is what the events up to there make, wherever it lies and whatever was asked for before', async () => {
    const { log, positions, events } = await longStream();
    const words = events.map(({ data }) => data['what']);
    for (const revision of [1500, 300, 2099, 0, 1499, 1501, 255, 256, 257]) {
      const { state, head } = await log.foldAsOf('test-1', LIST, positions[revision]!);
      expect(state).toEqual(words.slice(0, revision + 1));
      expect(head.version).toBe(revision + 1);
      // What was folded on the way to now is taken up where it is not too new.
      if (revision === 2099) await log.fold('test-1', LIST);
    }
    expect(await log.foldAsOf('test-1', LIST, START)).toEqual({ state: [], head: HEAD });
    expect(await log.foldAsOf('no-such', LIST, positions[5]!)).toMatchObject({ state: [], head: { version: 0 } });
  });

  it('is read once for all who ask side by side, and from near there after', async () => {
    const { log, positions, store } = await longStream();
    store.read = 0;
    await Promise.all(Array.from({ length: 20 }, (_, i) => log.foldAsOf('test-1', COUNT, positions[2000 - i]!)));
    expect(store.read).toBeLessThan(2 * LONG + 20 * 512);
    store.read = 0;
    await log.foldAsOf('test-1', COUNT, positions[1000]!);
    expect(store.read).toBeLessThan(512);
  });

  it('is refused where an event before it is not what was signed', async () => {
    const { log, positions, store } = await longStream(300);
    const readStream = store.readStream.bind(store);
    store.readStream = async (...args) => {
      const slice = await readStream(...args);
      return { ...slice, events: slice.events.map((event) => (event.revision === 3 ? forged(event) : event)) };
    };
    await expect(log.foldAsOf('test-1', COUNT, positions[10]!)).rejects.toThrow(IntegrityError);
    expect((await log.foldAsOf('test-1', COUNT, positions[2]!)).state).toBe(3);
  });

  it('lets others in while it is read', async () => {
    const { log, positions } = await longStream(800);
    const evolve = (count: number): number => {
      for (const end = performance.now() + 0.1; performance.now() < end;);
      return count + 1;
    };
    let [turns, isDone] = [0, false];
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await log.foldAsOf('test-1', { name: 'slow', initial: 0, evolve }, positions[799]!);
    isDone = true;
    // 80 ms of work at least, in slices of ten.
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

it('has a page each of few long streams in memory, however many are read side by side', async () => {
  const open = new Set<string>();
  let most = 0;
  class Watched extends MemoryEventStore {
    override async readStream(...args: Parameters<MemoryEventStore['readStream']>) {
      const slice = await super.readStream(...args);
      if (slice.events.length > 1 && slice.events[0]!.revision > 0) open.add(args[0]);
      most = Math.max(most, open.size);
      return slice;
    }
  }
  const { log } = setUp({ store: new Watched() });
  const streams = Array.from({ length: 30 }, (_, i) => `test-${i}`);
  for (const stream of streams)
    await log.append({ ...HEAD, stream }, Array(3 * 128).fill(noted('x')) as DomainEvent[], provenance(stream));
  const take = ({ stream, revision }: LoggedEvent) => void (revision % 128 === 127 && open.delete(stream));
  await Promise.all(streams.map((stream) => log.each(stream, {}, take)));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(8);
});

function forged(event: RecordedEvent): RecordedEvent {
  return { ...event, text: event.text.replace('"what":"', '"what":"1') };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '(sealed)';
}

async function textAt(store: EventStore, revision: number): Promise<string> {
  const { events } = await store.readStream('test-1', { from: revision, limit: 1 });
  return (events[0] as RecordedEvent).text;
}
