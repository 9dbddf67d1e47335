import { MemoryEventStore } from '#lib/event-store';
import { type Generation, MemoryReadStore } from '#lib/read-store';
import { LogMark } from './log-mark.js';
import { append, nthNote } from './testing/notes.js';

const LIVE: Generation = { projection: 'notes', name: 'v1' };
const REACTOR: Generation = { projection: 'answers', name: 'reactor' };

describe('the mark that ties a read store to its log', () => {
  let documents: MemoryReadStore;
  beforeEach(() => (documents = new MemoryReadStore()));

  async function log(events: number): Promise<MemoryEventStore> {
    const store = new MemoryEventStore();
    for (let i = 0; i < events; i++) await append(store, nthNote(i));
    return store;
  }

  async function readTo(...positions: readonly [string, string]): Promise<void> {
    for (const [i, generation] of [LIVE, REACTOR].entries()) {
      await documents.prepare(generation, []);
      await documents.apply(generation, { changes: [], from: await documents.claim(generation), to: positions[i]! });
    }
  }

  /** Opens and closes; answers why the read models were dropped. */
  async function opened(events: MemoryEventStore): Promise<string[]> {
    const reasons: string[] = [];
    const mark = await LogMark.open({ events, documents, onForeign: (reason) => reasons.push(reason) });
    await mark.close();
    return reasons;
  }

  it('leaves alone what was made from this log, also when it grew', async () => {
    const events = await log(10);
    expect(await opened(events)).toEqual([]);
    await readTo('10', '4');
    await append(events, nthNote(10));
    expect(await opened(events)).toEqual([]);
    expect(await documents.checkpoint(LIVE)).toMatchObject({ position: '10' });
    expect(await documents.checkpoint(REACTOR)).toMatchObject({ position: '4' });
  });

  it('drops every read model and checkpoint where one of them is beyond the head, and says which', async () => {
    await readTo('3', '11');
    expect(await opened(await log(10))).toEqual(['answers is at 11, beyond the last event at 10']);
    expect(await documents.checkpoint(LIVE)).toBeNull();
    expect(await documents.checkpoint(REACTOR)).toBeNull();
    expect(await opened(await log(10))).toEqual(['the event at 10 is another one']);
  });

  it('drops them where a reactor has seen events that the log does not have, wherever all is answered', async () => {
    await readTo('3', '4');
    const from = await documents.claim(REACTOR);
    const seen = (seen_to: string) => ({ changes: [], from, to: from.position, runnerState: { seen_to, owes: 1 } });
    await documents.apply(REACTOR, seen('10'));
    expect(await opened(await log(10))).toEqual([]);
    await documents.apply(REACTOR, { ...seen('11'), from: await documents.claim(REACTOR) });
    expect(await opened(await log(10))).toEqual(['answers is at 11, beyond the last event at 10']);
    expect(await documents.checkpoint(REACTOR)).toBeNull();
  });

  it.each(['abc', '-1', '007', ''])(
    'drops them where one says that it is at %j, which nothing of ours writes',
    async (at) => {
      await readTo('3', at);
      expect(await opened(await log(10))).toEqual(['answers is at no position']);
      expect(await documents.checkpoint(LIVE)).toBeNull();
    },
  );

  it('knows another log by its events where every position would fit', async () => {
    expect(await opened(await log(10))).toEqual([]);
    await readTo('10', '10');
    expect(await opened(await log(20))).toEqual(['the event at 10 is another one']);
    expect(await documents.checkpoint(LIVE)).toBeNull();
  });

  it('leaves alone what other processes append, project and mark while it looks', async () => {
    const events = await log(10);
    expect(await opened(events)).toEqual([]);
    await readTo('10', '10');
    const other = await LogMark.open({ events, documents, onForeign: () => undefined });
    const { checkpoint, runnerState } = MemoryReadStore.prototype;
    let left = 8;
    const goOn = async (): Promise<void> => {
      if (left-- <= 0) return;
      const to = await append(events, nthNote(20 + left));
      await documents.apply(LIVE, { changes: [], from: (await checkpoint.call(documents, LIVE))!, to });
      await other.keep();
    };
    jest.spyOn(documents, 'checkpoint').mockImplementation(async (generation) => {
      await goOn();
      return checkpoint.call(documents, generation);
    });
    jest.spyOn(documents, 'runnerState').mockImplementation(async (generation) => {
      await goOn();
      return runnerState.call(documents, generation);
    });
    expect(await opened(events)).toEqual([]);
    expect(left).toBeLessThan(0);
    await other.close();
  });

  it('knows an empty log', async () => {
    expect(await opened(await log(10))).toEqual([]);
    expect(await opened(await log(0))).toEqual(['log-mark is at 10, beyond the last event at 0']);
    expect(await opened(await log(0))).toEqual([]);
  });
});
