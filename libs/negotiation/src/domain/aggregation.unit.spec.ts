import fc from 'fast-check';

import { aggregate, type AggregationStrategy, type ScoredVote } from './aggregation.js';

const votes = (...pairs: readonly (readonly [number, number, boolean?])[]): ScoredVote[] =>
  pairs.map(([score, confidence, passed = true]) => ({ score, confidence, passed }));

describe('scores of several votes', () => {
  it('are weighted by confidence, and stray as a population does', () => {
    expect(aggregate(votes([2, 0.25], [10, 0.75]))).toEqual({
      mean: 6,
      min_score: 2,
      max_score: 10,
      std_dev: 4,
      weighted_mean: 8,
      vote_count: 2,
    });
    expect(aggregate(votes([8, 0.9], [4, 0.5], [6, 0.7])).weighted_mean).toBe(6.380952381);
  });

  it('have the plain mean where nobody has any confidence', () => {
    expect(aggregate(votes([2, 0], [10, 0])).weighted_mean).toBe(6);
  });

  it('of nobody are an error', () => {
    expect(() => aggregate([])).toThrow(RangeError);
  });

  it('count the plain mean as weighted under simple_average', () => {
    expect(aggregate(votes([2, 0.25], [10, 0.75]), 'simple_average').weighted_mean).toBe(6);
  });

  it.each([
    ['all passed', [true, true, true], 10],
    ['most passed', [true, true, false], 7.5],
    ['half passed', [true, false], 5],
    ['few passed', [true, false, false], 2.5],
    ['none passed', [false], 0],
  ])('are worth their majority under majority: %s', (_, passed, expected) => {
    expect(aggregate(votes(...passed.map((one) => [6, 1, one] as const)), 'majority').weighted_mean).toBe(expected);
  });

  it('are ranked under borda', () => {
    for (const scores of [
      [9, 7, 5],
      [5, 9, 7],
    ]) {
      const { weighted_mean } = aggregate(votes(...scores.map((score) => [score, 1] as const)), 'borda');
      expect(weighted_mean).toBe(Number((46 / 6).toFixed(9)));
    }
  });

  it('are the same in whatever order the votes came, and lie between the least and the greatest', () => {
    const vote = fc.record({
      score: fc.double({ min: 0, max: 10, noNaN: true }),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      passed: fc.boolean(),
    });
    const strategies: AggregationStrategy[] = ['confidence_weighted', 'simple_average', 'majority', 'borda'];
    const shuffled = fc
      .array(vote, { minLength: 1, maxLength: 12 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, fc.constantFrom(...strategies), ([list, other], strategy) => {
        const result = aggregate(list, strategy);
        expect(aggregate(other, strategy)).toEqual(result);
        expect(result.mean).toBeGreaterThanOrEqual(result.min_score - 1e-9);
        expect(result.mean).toBeLessThanOrEqual(result.max_score + 1e-9);
      }),
    );
  });
});
