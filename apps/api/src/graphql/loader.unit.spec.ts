import { Loader } from './loader.js';

describe('what the items of a list lead to', () => {
  it('is asked for in batches, and others have a turn between them', async () => {
    const asked: number[] = [];
    const loader = new Loader(async ({ i }) => {
      asked.push(i as number);
      // Whatever is waited for in a batch is waited for side by side.
      for (let hops = 0; hops < 50; hops++) await Promise.resolve();
      if (i === 7) throw new Error('gone');
      return { i };
    });
    const seen: number[] = [];
    const look = (): void => {
      seen.push(asked.length);
      if (asked.length < 100) setImmediate(look);
    };
    setImmediate(look);
    const answers = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => loader.load({ i })));
    expect(seen).toEqual(expect.arrayContaining([20, 40, 60, 80]));
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(answers[99]).toMatchObject({ value: { i: 99 } });
  });

  it('is asked for once however many items lead to it', async () => {
    const ask = jest.fn((args: object) => Promise.resolve({ ...args }));
    const loader = new Loader(ask);
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => loader.load({ i: i % 2 })));
    expect(ask).toHaveBeenCalledTimes(2);
    expect(answers[58]).toBe(answers[0]);
  });
});
