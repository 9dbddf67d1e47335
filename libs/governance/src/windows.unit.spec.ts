import fc from 'fast-check';

import { watchTimers, type WatchedTimers } from '../../../test/support/watched-timers.js';
import { MAX_TIMER_MS, Windows } from './windows.js';

const iso = (ms: number): string => new Date(ms).toISOString();
const turn = (): Promise<void> => jest.advanceTimersByTimeAsync(0).then(() => undefined);

describe('due times', () => {
  let timers: WatchedTimers;
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    timers = watchTimers(/libs\/governance\/src\/windows\.(?!unit)/);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('come one after another, each at its time, none before', async () => {
    const closed: string[] = [];
    const windows = new Windows(async (id) => void closed.push(id), fail);
    windows.add('b', iso(2000));
    windows.add('a', iso(1000));
    await jest.advanceTimersByTimeAsync(999);
    expect(closed).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(closed).toEqual(['a']);
    await jest.advanceTimersByTimeAsync(1000);
    expect(closed).toEqual(['a', 'b']);
    expect(timers.left()).toHaveLength(0);
  });

  it('that are over already are closed at once', async () => {
    const closed: string[] = [];
    const windows = new Windows(async (id) => void closed.push(id), fail);
    jest.setSystemTime(10_000);
    for (let i = 0; i < 100; i++) windows.add(`r${i}`, iso(i));
    await turn();
    expect(closed).toHaveLength(100);
  });

  it('ten thousand of them hold one timer, which never is longer than a minute', async () => {
    const windows = new Windows(() => Promise.resolve(), fail);
    for (let i = 0; i < 10_000; i++) windows.add(`r${i}`, iso(90 * 86_400_000 + i));
    expect(timers.left()).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(24 * MAX_TIMER_MS);
    expect(timers.left()).toHaveLength(1);
    expect(windows.size).toBe(10_000);
    // One a new earliest and one a minute: nothing else happens while nothing is due.
    expect(timers.waits.length).toBeLessThanOrEqual(26);
    expect(Math.max(...timers.waits)).toBeLessThanOrEqual(MAX_TIMER_MS);
  });

  it('whose closing fails are closed a little later, and the others on time', async () => {
    const closed: string[] = [];
    const faults: string[] = [];
    let broken = true;
    const close = async (id: string): Promise<void> => {
      if (id === 'a' && broken) throw new Error('no store');
      closed.push(id);
    };
    const windows = new Windows(close, (id) => void faults.push(id));
    windows.add('a', iso(10));
    windows.add('b', iso(10));
    await jest.advanceTimersByTimeAsync(10);
    expect([closed, faults]).toEqual([['b'], ['a']]);
    broken = false;
    await jest.advanceTimersByTimeAsync(5000);
    expect(closed).toEqual(['b', 'a']);
  });

  it('of a stopped process are not closed any more', async () => {
    const closed: string[] = [];
    const windows = new Windows(async (id) => void closed.push(id), fail);
    windows.add('a', iso(10));
    await windows.stop();
    await jest.advanceTimersByTimeAsync(100);
    expect(closed).toEqual([]);
    expect(timers.left()).toHaveLength(0);
  });

  it('that a clock was set past are closed with the next that is added, and a minute later where none is', async () => {
    const closed: string[] = [];
    const windows = new Windows(async (id) => void closed.push(id), fail);
    windows.add('a', iso(600_000));
    jest.setSystemTime(3_600_000);
    windows.add('b', iso(3_700_000));
    await turn();
    expect(closed).toEqual(['a']);
    jest.setSystemTime(7_200_000);
    await jest.advanceTimersByTimeAsync(MAX_TIMER_MS);
    expect(closed).toEqual(['a', 'b']);
    expect(MAX_TIMER_MS).toBeLessThanOrEqual(60_000);
  });

  it('of a clock that was set back wait for it, and are closed a minute after it is set right again', async () => {
    const closed: string[] = [];
    jest.setSystemTime(3_600_000);
    const windows = new Windows(async (id) => void closed.push(id), fail);
    windows.add('a', iso(3_601_000));
    jest.setSystemTime(0);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(closed).toEqual([]);
    jest.setSystemTime(3_601_000);
    await jest.advanceTimersByTimeAsync(MAX_TIMER_MS);
    expect(closed).toEqual(['a']);
  });

  it('in any order are closed in theirs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(1000), { maxLength: 60 }), async (times) => {
        jest.setSystemTime(0);
        const closed: number[] = [];
        const windows = new Windows(async (id) => void closed.push(Number(id)), fail);
        for (const time of times) windows.add(String(time), iso(time));
        await jest.advanceTimersByTimeAsync(1000);
        expect(closed).toEqual([...times].sort((a, b) => a - b));
        await windows.stop();
      }),
    );
  });
});

function fail(_: string, error: unknown): never {
  throw error as Error;
}
