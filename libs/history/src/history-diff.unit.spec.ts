import fc from 'fast-check';

import { IntegrityError } from '#lib/event-store';
import { MaceError } from '#lib/kernel';

import { MemoryEventStore } from '../../event-store/src/memory/memory-event-store.js';
import { ctxOf, type MemoryProcess, memoryProcess, NOON, TUFF } from '../../memory/src/testing/memory-harness.js';
import { type HistoryChange, HistoryDiff, type HistoryDiffPage } from './history-diff.js';
import { COUNTED } from './teller.js';
import { tellersOn } from './tellers.js';

const COLOR = 'user/profile/user_tuff/favorite_color';
const ASKER = 'user_ada';
const CITY = 'user/profile/user_tuff/city';
const KEYS = [COLOR, CITY, 'user/profile/user_tuff/pet'];

let clock = NOON;
const put = (memory: MemoryProcess, key: string, value: string) =>
  memory.writes.put(ctxOf(TUFF, { now: (clock += 1000), body: { value } }), { key, value });

function house() {
  const memory = memoryProcess();
  const snapshots = { load: () => Promise.reject(new Error('there is no policy here')) };
  return { memory, history: new HistoryDiff(memory.log, tellersOn(snapshots as never)) };
}

async function head({ store }: MemoryProcess): Promise<string> {
  return store.head();
}

describe('what changed between two positions', () => {
  it('is each stream that was written to between them, with its state before and after', async () => {
    const { memory, history } = house();
    await put(memory, COLOR, 'blue');
    const from = await head(memory);
    await put(memory, COLOR, 'green');
    await put(memory, CITY, 'Oslo');
    const to = await head(memory);
    await put(memory, CITY, 'Bergen');
    const { items } = await history.page({ from, to, limit: 200 }, ASKER);
    expect(
      items.map(({ kind, stream, change, from_version, to_version }) => [
        kind,
        stream,
        change,
        from_version,
        to_version,
      ]),
    ).toEqual([
      ['memory', `sem-${COLOR}`, 'changed', 1, 2],
      ['memory', `sem-${CITY}`, 'created', 0, 1],
    ]);
    expect(items[0]!.differences.map(({ pointer }) => pointer)).toContain('/value');
    expect(JSON.stringify(items)).not.toMatch(/blue|green|Oslo|Bergen/);
  });

  it('is nothing where nothing was written', async () => {
    const { memory, history } = house();
    await put(memory, COLOR, 'blue');
    const at = await head(memory);
    expect((await history.page({ from: at, to: at, limit: 10 }, ASKER)).items).toEqual([]);
    expect((await history.page({ from: at, limit: 10 }, ASKER)).items).toEqual([]);
  });

  it('names a stream that is not what was signed, and goes on with the others', async () => {
    const store = new MemoryEventStore();
    const memory = memoryProcess({ store });
    await put(memory, COLOR, 'blue');
    await put(memory, CITY, 'Oslo');
    const readStream = store.readStream.bind(store);
    jest.spyOn(store, 'readStream').mockImplementation(async (stream, options) => {
      const slice = await readStream(stream, options);
      const forged = slice.events.map((event) => ({ ...event, text: event.text.replace('user_tuff', 'user_eve1') }));
      return stream === `sem-${COLOR}` ? { ...slice, events: forged } : slice;
    });
    const { items } = await new HistoryDiff(memory.log, tellersOn({} as never)).page({ from: '0', limit: 10 }, ASKER);
    expect(items.map(({ stream, change }) => [stream, change])).toEqual([
      [`sem-${COLOR}`, 'unreadable'],
      [`sem-${CITY}`, 'created'],
    ]);
    expect(items[0]!.reason).toMatch(/^revision 0: /);
  });

  it.each<[string, Error, RegExp]>([
    ['is not what was signed', new IntegrityError('snapshot-s1', 0, 'changed'), /^snapshot-s1 revision 0: changed$/],
    [
      'is not stored any more',
      new MaceError('MISSING_SNAPSHOT', 'snapshot s1 is not stored'),
      /^snapshot s1 is not stored$/,
    ],
  ])('names a stream of which what it stands on %s, and goes on with the others', async (_, fault, reason) => {
    const { memory } = house();
    await put(memory, COLOR, 'blue');
    await put(memory, CITY, 'Oslo');
    const { fold } = COUNTED;
    const told = { kind: 'memory', prefix: 'sem-', fold, tell: () => ({ told: true }) } as const;
    const standing = { kind: 'policy', prefix: `sem-${COLOR}`, fold, tell: () => Promise.reject(fault) } as const;
    const { items } = await new HistoryDiff(memory.log, [standing, told]).page({ from: '0', limit: 10 }, ASKER);
    expect(items.map(({ stream, change }) => [stream, change])).toEqual([
      [`sem-${COLOR}`, 'unreadable'],
      [`sem-${CITY}`, 'rewritten'],
    ]);
    expect(items[0]!.reason).toMatch(reason);
  });

  it.each<[string, Partial<Parameters<HistoryDiff['page']>[0]>, RegExp]>([
    ['beyond the log', { from: '0', to: '99' }, /^to: nothing has reached position 99/],
    ['in the wrong order', { from: '2', to: '1' }, /^from: a position not after/],
    ['of no form', { from: 'x' }, /^from: a position of the log/],
    ['with a cursor of another range', { from: '1', to: '2', cursor: '0' }, /^cursor: next_cursor/],
  ])('positions %s are refused by name', async (_, request, message) => {
    const { memory, history } = house();
    await put(memory, COLOR, 'blue');
    await put(memory, COLOR, 'green');
    await expect(history.page({ from: '0', limit: 10, ...request }, ASKER)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      developerMessage: expect.stringMatching(message) as string,
    });
  });

  it('is the same however it is paged, whatever was written and wherever the range lies', async () => {
    const writes = fc.array(fc.nat(KEYS.length - 1), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(writes, fc.nat(12), fc.nat(12), fc.integer({ min: 1, max: 3 }), async (keys, a, b, limit) => {
        const { memory, history } = house();
        for (const [i, key] of keys.entries()) await put(memory, KEYS[key]!, `v${i}`);
        const end = Number(await head(memory));
        const [from, to] = [Math.min(a, b, end), Math.min(Math.max(a, b), end)].map(String) as [string, string];
        const whole = await history.page({ from, to, limit: 200 }, ASKER);
        expect(await paged(history, { from, to, limit })).toEqual(whole.items);
        const { events } = await memory.store.readAll({ after: from as never, limit: 1000 });
        const touched = events.filter(({ position }) => Number(position) <= Number(to)).map(({ stream }) => stream);
        expect(whole.items.map(({ stream }) => stream)).toEqual([...new Set(touched)]);
      }),
      { numRuns: 40 },
    );
  });
});

async function paged(
  history: HistoryDiff,
  range: { from: string; to: string; limit: number },
): Promise<HistoryChange[]> {
  const items: HistoryChange[] = [];
  let page: HistoryDiffPage | undefined;
  do {
    const cursor = page?.next_cursor;
    page = await history.page({ ...range, ...(typeof cursor === 'string' ? { cursor } : {}) }, ASKER);
    expect(page.items.length).toBeLessThanOrEqual(range.limit);
    items.push(...page.items);
  } while (page.next_cursor !== null);
  return items;
}
