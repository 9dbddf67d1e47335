import { Courtesy } from './courtesy.js';

/** A walk that works 10 ms between two turns, beside a thread that is so busy. */
async function rests(busyness: number | (() => number), threads: number, turns: number): Promise<number[]> {
  let time = 0;
  const rested: number[] = [];
  const courtesy = new Courtesy({
    busy: async () => (typeof busyness === 'number' ? busyness : busyness()),
    threads,
    now: () => time,
    rest: async (ms) => {
      rested.push(Math.round(ms));
      time += ms;
    },
  });
  for (let turn = 0; turn < turns; turn++) {
    await courtesy.turn();
    time += 10;
  }
  return rested;
}

describe('a walk in the background', () => {
  it('rests never while nobody is answered', async () => {
    expect(await rests(0.1, 1, 100)).toEqual([]);
  });

  it('takes a sixth of a processor while those who answer are busy all the time', async () => {
    expect(await rests(1, 1, 4)).toEqual([50, 50, 50]);
  });

  it('takes more where they are busy half of the time', async () => {
    expect(await rests(0.5, 1, 4)).toEqual([25, 25, 25]);
  });

  it('takes with two threads no more than with one', async () => {
    expect(await rests(1, 2, 3)).toEqual([110, 110]);
  });

  it('goes on at full speed once they have nothing to do', async () => {
    let asked = 0;
    const rested = await rests(() => (asked++ < 2 ? 1 : 0), 1, 100);
    expect(rested.length).toBeGreaterThan(0);
    expect(rested.length).toBeLessThan(20);
  });

  it('rests no longer than a seventh of a second where it waited long for a processor', async () => {
    let time = 0;
    const rested: number[] = [];
    const rest = async (ms: number): Promise<void> => void rested.push(ms);
    const courtesy = new Courtesy({ busy: async () => 1, threads: 1, now: () => time, rest });
    await courtesy.turn();
    time += 5_000;
    await courtesy.turn();
    expect(rested).toEqual([150]);
  });

  it('does not begin where nobody can be asked', async () => {
    const gone = new Courtesy({ busy: () => Promise.reject(new Error('gone')), threads: 1 });
    await expect(gone.turn()).rejects.toThrow('gone');
  });
});
