import { nextSlice, sliceIsOver } from './event-loop.js';

const clock = performance.now.bind(performance);

/** Holds the thread for so long. */
function work(ms: number): void {
  const end = clock() + ms;
  while (clock() < end);
}

async function read(steps: number, done: () => void): Promise<void> {
  for (let i = 0; i < steps; i++) {
    if (sliceIsOver()) await nextSlice();
    work(2);
  }
  done();
}

describe('slices of the event loop', () => {
  it('let timers and sockets in while many reads go on side by side', async () => {
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 20 }, () => read(4, () => undefined)));
    isDone = true;
    // 160 ms of work: a turn has some five steps of two.
    expect(turns).toBeGreaterThan(10);
  });

  it('come also while a test holds the clock', async () => {
    jest.useFakeTimers();
    try {
      await read(20, () => undefined);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are shared in turn: a short read ends before the long ones that began before it', async () => {
    const ended: string[] = [];
    const long = Array.from({ length: 3 }, (_, i) => read(20, () => ended.push(`long ${i}`)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([...long, read(2, () => ended.push('short'))]);
    expect(ended[0]).toBe('short');
  });
});
