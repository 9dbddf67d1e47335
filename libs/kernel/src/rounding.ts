/** Decimals that every non-integer number keeps (spec/kernel.md, seed 002 section 4). */
export const NUMERIC_PRECISION = 9;

/** Two numbers closer than this are equal in every comparison of a rule. */
export const NUMERIC_EPSILON = 1e-9;

const SCALE = 10 ** NUMERIC_PRECISION;
/** Below this, `x * SCALE` is off by less than UNCERTAIN. */
const MAX_CERTAIN = 1e12;
const UNCERTAIN = 1e-3;

/** Rounds to 9 decimals and turns -0 into 0. Integers pass unchanged. */
export function round9(x: number): number {
  if (Number.isInteger(x)) return x === 0 ? 0 : x;
  const scaled = x * SCALE;
  const distance = Math.abs(scaled - Math.floor(scaled) - 0.5);
  // Far enough from a half, the nearest integer is certain, and its division gives the double nearest to the decimal:
  // what the text below gives, at a tenth of its time.
  if (Math.abs(scaled) < MAX_CERTAIN && distance > UNCERTAIN) {
    const units = Math.round(scaled);
    return units === 0 ? 0 : units / SCALE;
  }
  const rounded = Number(x.toFixed(NUMERIC_PRECISION));
  return rounded === 0 ? 0 : rounded;
}

export function nearlyEqual(a: number, b: number): boolean {
  return Math.abs(a - b) < NUMERIC_EPSILON;
}

/** `a >= b` where a shortfall below epsilon counts as equal. */
export function atLeast(a: number, b: number): boolean {
  return a >= b || nearlyEqual(a, b);
}

/** The floor that a rule means: values within epsilon below an integer count as that integer. */
export function floorWithEpsilon(x: number): number {
  return Math.floor(x + NUMERIC_EPSILON);
}

export function clamp(x: number, low: number, high: number): number {
  return x < low ? low : x > high ? high : x;
}
