import { interleave, median, pairedRatio, quantile } from './statistics.js';

describe('statistics of a benchmark', () => {
  it('takes the middle value as the median, whatever the order', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4])).toBe(4);
  });

  it('takes the mean of the middle two of an even number of values', () => {
    expect(median([10, 2, 4, 100])).toBe(7);
  });

  it('leaves the values it is given in their order', () => {
    const values = [3, 1, 2];
    median(values);
    quantile(values, 0.5);
    expect(values).toEqual([3, 1, 2]);
  });

  it('has no median of nothing', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  it('names as p99 a value that 99 of 100 do not exceed', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile(values, 1)).toBe(100);
    expect(quantile(values, 0)).toBe(1);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it('compares numerically, not by the text of the numbers', () => {
    expect(median([10, 9, 100])).toBe(10);
    expect(quantile([10, 9, 100], 1)).toBe(100);
  });

  it('pairs the figures of each round, so that a slow round does not weigh on the ratio', () => {
    expect(pairedRatio([50, 5, 50], [100, 10, 100])).toBe(0.5);
    expect(pairedRatio([60, 5, 40], [100, 10, 100])).toBe(0.5);
  });

  it('refuses rounds that do not pair', () => {
    expect(() => pairedRatio([1, 2], [1])).toThrow(RangeError);
  });
});

describe('interleaving', () => {
  it('runs baseline and measured in turn, round after round', async () => {
    const order: string[] = [];
    const task = (name: string) => async () => {
      order.push(name);
      return order.length;
    };
    const figures = await interleave({ baseline: task('b'), measured: task('m') }, { rounds: 3, warmUps: 0 });
    expect(order).toEqual(['b', 'm', 'b', 'm', 'b', 'm']);
    expect(figures).toEqual({ baseline: [1, 3, 5], measured: [2, 4, 6] });
  });

  it('runs the warm-up rounds and drops their figures', async () => {
    let runs = 0;
    const figures = await interleave({ only: async () => ++runs }, { rounds: 2, warmUps: 2 });
    expect(figures.only).toEqual([3, 4]);
  });

  it('tells which task of which round begins; warm-ups come before round 1', async () => {
    const begun: string[] = [];
    const onTask = (name: string, round: number): void => void begun.push(`${name}${round}`);
    await interleave({ a: async () => 1, b: async () => 1 }, { rounds: 1, onTask });
    expect(begun).toEqual(['a0', 'b0', 'a1', 'b1']);
  });

  it('ends with the fault of a task', async () => {
    const failing = interleave({ a: () => Promise.reject(new Error('full')) }, { rounds: 1 });
    await expect(failing).rejects.toThrow('full');
  });
});
