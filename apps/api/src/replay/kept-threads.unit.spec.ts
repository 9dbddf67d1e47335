import { KeptThreads, type SweepThread } from './kept-threads.js';
import type { SweepTask } from './sweep-thread-data.js';

const TASK: SweepTask = { ring: [], checkpoint: null };
const A_MINUTE = 60_000;

class FakeThread implements SweepThread {
  readonly depth = 1;
  isGone = false;
  readonly told: string[] = [];

  begin(): void {
    this.told.push('begin');
  }
  replay(): Promise<never> {
    return Promise.reject(new Error('nothing to replay'));
  }
  end(): void {
    this.told.push('end');
  }
  async stop(): Promise<void> {
    this.isGone = true;
  }
}

describe('threads of sweeps', () => {
  let started: FakeThread[];
  let threads: KeptThreads;
  beforeEach(() => {
    jest.useFakeTimers();
    started = [];
    threads = new KeptThreads(() => {
      started.push(new FakeThread());
      return started.at(-1)!;
    }, A_MINUTE);
  });
  afterEach(() => jest.useRealTimers());

  it('are those of the sweep before, each ended with it and begun anew', async () => {
    await threads.open(2, TASK).stop();
    const again = threads.open(2, TASK);
    expect(new Set(again.workers)).toEqual(new Set(started));
    expect(started.map(({ told }) => told)).toEqual([
      ['begin', 'end', 'begin'],
      ['begin', 'end', 'begin'],
    ]);
  });

  it('are as many as are asked for, whatever is kept', async () => {
    await threads.open(1, TASK).stop();
    expect([threads.open(3, TASK).workers.length, started.length]).toEqual([3, 3]);
  });

  it('end once no sweep has needed them for a while, and not while one does', async () => {
    const first = threads.open(1, TASK);
    jest.advanceTimersByTime(2 * A_MINUTE);
    expect(started[0]!.isGone).toBe(false);
    await first.stop();
    jest.advanceTimersByTime(A_MINUTE / 2);
    const second = threads.open(1, TASK);
    jest.advanceTimersByTime(2 * A_MINUTE);
    expect(started[0]!.isGone).toBe(false);
    await second.stop();
    jest.advanceTimersByTime(A_MINUTE);
    expect(started.map(({ isGone }) => isGone)).toEqual([true]);
    expect(threads.open(1, TASK).workers).toEqual([started[1]]);
  });

  it('that ended by themselves are given to no sweep', async () => {
    await threads.open(1, TASK).stop();
    started[0]!.isGone = true;
    expect(threads.open(1, TASK).workers).toEqual([started[1]]);
  });

  it('end when they are closed, also those that a sweep gives back later', async () => {
    const [early, late] = [threads.open(1, TASK), threads.open(1, TASK)];
    await early.stop();
    await threads.close();
    expect(started.map(({ isGone }) => isGone)).toEqual([true, false]);
    await late.stop();
    expect(started.map(({ isGone }) => isGone)).toEqual([true, true]);
  });
});
