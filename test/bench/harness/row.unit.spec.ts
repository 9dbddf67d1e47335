import { atLeast, atMost, below, isMet } from './row.js';

describe('an aim of a row of the bench', () => {
  it('is met at its bound, but not where the bound is excluded', () => {
    expect(isMet(atLeast('rate', 1500, 1500))).toBe(true);
    expect(isMet(atLeast('rate', 1499, 1500))).toBe(false);
    expect(isMet(atMost('ms', 10, 10))).toBe(true);
    expect(isMet(below('ms', 10, 10))).toBe(false);
  });

  it('takes a rate as higher, and a time as lower, on a machine that is faster', () => {
    expect(isMet(atLeast('rate', 800, 1500, 'rate'), 2)).toBe(true);
    expect(isMet(atLeast('rate', 700, 1500, 'rate'), 2)).toBe(false);
    expect(isMet(below('p99 ms', 190, 100, 'time'), 2)).toBe(true);
    expect(isMet(below('p99 ms', 210, 100, 'time'), 2)).toBe(false);
  });

  it('takes a rate as lower on a machine that is slower than this one', () => {
    expect(isMet(atLeast('rate', 1600, 1500, 'rate'), 0.5)).toBe(false);
  });

  it('leaves a share as it is, however fast the machine', () => {
    expect(isMet(atLeast('ratio', 0.5, 0.6), 10)).toBe(false);
    expect(isMet(atMost('p99 of commands, of before', 1.9, 2), 0.1)).toBe(true);
  });
});
