import { MemoryEventStore } from '../memory/memory-event-store.js';
import { StorageFullError, StoreUnavailableError } from '../port.js';
import { idsOf, newEvent, newStream } from '../testing/contract-support.js';
import { describeEventStoreContract } from '../testing/event-store.contract.js';
import { appendFaults, type Fault, type FaultPlan, seededFaults } from './fault-plan.js';
import { FaultyEventStore } from './faulty-event-store.js';

function storeWith(...faults: Fault[]): FaultyEventStore {
  return new FaultyEventStore(new MemoryEventStore(), appendFaults(...faults));
}

describeEventStoreContract('an event store without faults planned', {
  open: async () => {
    const store = new FaultyEventStore(new MemoryEventStore(), () => undefined);
    return { store, dispose: () => store.close() };
  },
});

describeEventStoreContract('an event store whose every third call is delayed', {
  open: async () => {
    const everyThird: FaultPlan = ({ number }) => (number % 3 === 0 ? { kind: 'delay', turns: 2 } : undefined);
    const store = new FaultyEventStore(new MemoryEventStore(), everyThird);
    return { store, dispose: () => store.close() };
  },
});

describe('a planned fault', () => {
  it.each<[Fault, number]>([
    [{ kind: 'refused' }, 0],
    [{ kind: 'lostAnswer' }, 1],
  ])('%j leaves %i events and an unknown result; the retry finds out', async (fault, stored) => {
    const store = storeWith(fault);
    const [stream, event] = [newStream(), newEvent()];
    await expect(store.append(stream, 'none', [event])).rejects.toThrow(StoreUnavailableError);
    expect(await store.streamVersion(stream)).toBe(stored);
    expect(await store.append(stream, 'none', [event])).toMatchObject({ version: 1, repeated: stored === 1 });
  });

  it('of a full disk stores nothing, and the next append works', async () => {
    const store = storeWith({ kind: 'full' });
    const [stream, event] = [newStream(), newEvent()];
    await expect(store.append(stream, 'none', [event])).rejects.toThrow(StorageFullError);
    expect(await store.append(stream, 'none', [event])).toMatchObject({ version: 1, repeated: false });
  });

  it('of a conflict stores nothing and tells the stream’s version', async () => {
    const store = storeWith({ kind: 'conflict' });
    const stream = newStream();
    expect(await store.append(stream, 'none', [newEvent()])).toEqual({ outcome: 'conflict', version: 0 });
    expect(await store.streamVersion(stream)).toBe(0);
  });

  it('of a delay lets a later append overtake', async () => {
    const store = storeWith({ kind: 'delay', turns: 5 });
    const [stream, late, early] = [newStream(), newEvent(), newEvent()];
    const results = await Promise.all([store.append(stream, 'none', [late]), store.append(stream, 'none', [early])]);
    expect(results.map(({ outcome }) => outcome)).toEqual(['conflict', 'appended']);
  });

  it('of a duplicate stores once, and answers as to a repetition', async () => {
    const store = storeWith({ kind: 'duplicate' });
    const [stream, event] = [newStream(), newEvent()];
    expect(await store.append(stream, 'none', [event])).toMatchObject({ version: 1, repeated: true });
    expect(idsOf((await store.readStream(stream)).events)).toEqual([event.id]);
  });

  it('of a late append is given up before it is stored, and stored all the same', async () => {
    let arrive = (): void => undefined;
    const turn = () => new Promise<void>((resolve) => (arrive = resolve));
    const inner = new MemoryEventStore();
    const store = new FaultyEventStore(inner, appendFaults({ kind: 'late', turns: 1 }), turn);
    const [stream, event] = [newStream(), newEvent()];
    await expect(store.append(stream, 'none', [event])).rejects.toThrow(StoreUnavailableError);
    expect(await store.streamVersion(stream)).toBe(0);
    arrive();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await store.streamVersion(stream)).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'of a crash %s the call refuses everything until the store is revived',
    async (when) => {
      const store = storeWith({ kind: 'crash', when });
      const [stream, event] = [newStream(), newEvent()];
      await expect(store.append(stream, 'none', [event])).rejects.toThrow(StoreUnavailableError);
      await expect(store.readStream(stream)).rejects.toThrow(StoreUnavailableError);
      await expect(store.append(stream, 'none', [event])).rejects.toThrow(StoreUnavailableError);
      store.revive();
      expect(idsOf((await store.readStream(stream)).events)).toEqual(when === 'after' ? [event.id] : []);
    },
  );

  it('is written down with the call it met', async () => {
    const store = storeWith({ kind: 'full' });
    const stream = newStream();
    await store.streamVersion(stream);
    await store.append(stream, 'none', [newEvent()]).catch(() => undefined);
    expect(store.faults).toEqual([{ method: 'append', stream, number: 1, fault: { kind: 'full' } }]);
  });
});

describe('seeded faults', () => {
  const RATES = { delay: 0.2, refused: 0.1, lostAnswer: 0.1, full: 0.05, conflict: 0.1, crash: 0.02 };
  const draw = (seed: string, method: 'append' | 'readAll', count = 2000): (Fault | undefined)[] => {
    const plan = seededFaults(seed, RATES);
    return Array.from({ length: count }, (_, number) => plan({ method, stream: null, number }));
  };

  it('are the same for the same seed and others for another', () => {
    expect(draw('a', 'append')).toEqual(draw('a', 'append'));
    expect(draw('a', 'append')).not.toEqual(draw('b', 'append'));
  });

  it('come about as often as their rates say, and spare reads what only appends can meet', () => {
    const appends = draw('rates', 'append', 5000);
    for (const [kind, rate] of Object.entries(RATES)) {
      const share = appends.filter((fault) => fault?.kind === kind).length / appends.length;
      expect(Math.abs(share - rate)).toBeLessThan(0.025);
    }
    const kinds = new Set(draw('rates', 'readAll').map((fault) => fault?.kind));
    expect(kinds).toEqual(new Set([undefined, 'delay', 'refused']));
  });

  it('never cost an acknowledged event or store one twice, where the writer retries', async () => {
    const inner = new MemoryEventStore();
    const store = new FaultyEventStore(inner, seededFaults('history', RATES));
    const stream = newStream();
    const ids: string[] = [];
    for (let version = 0; version < 200; version++) {
      const event = newEvent();
      for (let stored = false; !stored; store.revive()) {
        const result = await store.append(stream, version, [event]).catch(() => null);
        stored = result?.outcome === 'appended';
      }
      ids.push(event.id);
    }
    expect(idsOf((await inner.readStream(stream)).events)).toEqual(ids);
    expect(store.faults.length).toBeGreaterThan(50);
  });
});
