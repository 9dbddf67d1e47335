import fc from 'fast-check';

import {
  atLeast,
  clamp,
  floorWithEpsilon,
  nearlyEqual,
  NUMERIC_EPSILON,
  NUMERIC_PRECISION,
  round9,
} from './rounding.js';

describe('numbers in rules', () => {
  test('nine decimals and 1e-9', () => {
    expect([NUMERIC_PRECISION, NUMERIC_EPSILON]).toEqual([9, 1e-9]);
  });

  test.each([
    [0.1 + 0.2, 0.3],
    [1 / 3, 0.333333333],
    [-2 / 3, -0.666666667],
    [4e-10, 0],
    [123456789, 123456789],
  ])('round9(%p) is %p', (x, rounded) => {
    expect(round9(x)).toBe(rounded);
  });

  test('any number rounds as its own exact decimal text does, halves and their neighbours too', () => {
    const half = fc
      .tuple(fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), fc.integer({ min: -3, max: 3 }))
      .map(([units, steps]) => ((units + 0.5) / 1e9) * (1 + steps * Number.EPSILON));
    const numbers = fc.oneof(half, fc.double(), fc.double({ min: -2000, max: 2000, noNaN: true }));
    fc.assert(
      fc.property(numbers, (x) => {
        fc.pre(!Number.isInteger(x));
        expect(round9(x)).toBe(Number(x.toFixed(9)) + 0);
      }),
      { numRuns: 20_000 },
    );
  });

  test('there is no negative zero', () => {
    expect(Object.is(round9(-0), 0)).toBe(true);
    expect(Object.is(round9(-1e-12), 0)).toBe(true);
  });

  test('numbers closer than epsilon are equal, others are not', () => {
    expect(nearlyEqual(0.3, 0.1 + 0.2)).toBe(true);
    expect(nearlyEqual(1, 1 + 2e-9)).toBe(false);
    expect(atLeast(0.7 - 1e-10, 0.7)).toBe(true);
    expect(atLeast(0.7 - 1e-8, 0.7)).toBe(false);
    expect(atLeast(0.8, 0.7)).toBe(true);
  });

  test('a floor forgives what lies within epsilon below an integer', () => {
    expect(floorWithEpsilon(0.29 * 100)).toBe(29);
    expect(floorWithEpsilon(2.9999)).toBe(2);
  });

  test('clamp keeps within both ends', () => {
    expect([clamp(-1, 0, 1), clamp(0.5, 0, 1), clamp(2, 0, 1)]).toEqual([0, 0.5, 1]);
  });
});
