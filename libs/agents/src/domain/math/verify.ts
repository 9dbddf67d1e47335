import { binary, type Expr, number, substitute, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { numericValue, type Point } from './numeric.js';
import { parity } from './parity.js';
import { fromNumber } from './rational.js';
import { quadrature } from './quadrature.js';
import { addValues } from './value.js';

/** `points` counts the places where the claim was held against an independent computation. */
export type Check =
  | { readonly kind: 'holds'; readonly points: number }
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'unverifiable'; readonly reason: string };

/** Places of trial: no landmarks of any common function, small and large, on both sides. */
const PLACES = [
  0.3137, -0.2741, 0.7313, -0.8171, 1.1931, -1.3717, 1.7723, -2.2391, 2.6171, 3.6593, -4.3391, 5.1137, 0.0917, 8.3711,
  17.239, 41.773, 133.31, 1203.7, -19.417,
];
const ENOUGH = 4;

function pointAt(place: number, index: number, variable: string, names: readonly string[]): Point {
  const point = new Map(
    names.map((name, i) => {
      const size = 0.6173 + 0.4391 * ((i * 7 + index * 3) % 5) + 0.0917 * i;
      return [name, (index >> 1) % 2 === i % 2 ? size : -size] as const;
    }),
  );
  point.set(variable, place);
  return point;
}

/** n-th derivative by central differences, extrapolated; null near a singular place. */
function difference(f: (x: number) => number, x: number, order: number): { value: number; error: number } | null {
  const levels = order <= 2 ? 5 : 4;
  const width = 0.06 * order * Math.min(Math.max(Math.abs(x), 0.5), 4);
  for (const shrink of [1, 1 / 6, 1 / 40, 1 / 250]) {
    const table: number[][] = [];
    let scale = 0;
    for (let i = 0; i < levels; i += 1) {
      const h = (width * shrink) / 2 ** i;
      let total = 0;
      let choose = 1;
      for (let k = 0; k <= order; k += 1) {
        const y = f(x + (order / 2 - k) * h);
        scale = Math.max(scale, Math.abs(y));
        total += (k % 2 === 0 ? 1 : -1) * choose * y;
        choose = (choose * (order - k)) / (k + 1);
      }
      const row = [total / h ** order];
      for (let j = 1; j <= i; j += 1)
        row.push((row[j - 1] ?? NaN) + ((row[j - 1] ?? NaN) - (table[i - 1]?.[j - 1] ?? NaN)) / (4 ** j - 1));
      table.push(row);
    }
    const value = table.at(-1)?.at(-1) ?? NaN;
    const previous = table.at(-2)?.at(-1) ?? NaN;
    if (!Number.isFinite(value) || !Number.isFinite(scale)) continue;
    const noise = (2e-15 * scale) / ((width * shrink) / 2 ** (levels - 1)) ** order;
    const error = Math.abs(value - previous) + 8 * noise;
    if (error <= 1e-6 * Math.abs(value) + 1e-7 * Math.min(scale, 1)) return { value, error };
  }
  return null;
}

/** Is `claim` the derivative of `expr`? Central differences at several places; singular ones are passed over. */
export function verifyDerivative(expr: Expr, variable: string, order: number, claim: Expr): Check {
  const names = variablesOf(binary('+', expr, claim));
  let points = 0;
  let missing = 0;
  for (const [i, place] of PLACES.entries()) {
    const point = pointAt(place, i, variable, names);
    const found = difference((x) => numericValue(expr, new Map(point).set(variable, x)), place, order);
    if (found === null) continue;
    const claimed = numericValue(claim, point);
    if (!Number.isFinite(claimed)) {
      missing += 1;
      continue;
    }
    const size = Math.max(Math.abs(found.value), Math.abs(claimed));
    if (Math.abs(found.value - claimed) > 2e-6 * size + 20 * found.error + 1e-12) {
      return {
        kind: 'wrong',
        reason: `at ${variable} = ${place} the rate of change is ${short(found.value)}, and the claim gives ${short(claimed)}`,
      };
    }
    points += 1;
  }
  if (points < ENOUGH || missing > points)
    return { kind: 'unverifiable', reason: 'too few places where both sides could be compared' };
  return { kind: 'holds', points };
}

/** Is the derivative of `claim` the integrand? */
export function verifyAntiderivative(integrand: Expr, variable: string, claim: Expr): Check {
  return verifyDerivative(claim, variable, 1, integrand);
}

/** Numbers at which the rules for powers, roots and logarithms of positive numbers fail. */
const CORNERS = [-2, 2, 0.5, -1.5, 3];

/** Every way to give up to three letters a corner; beyond three, each letter takes its turn. */
function corners(names: readonly string[]): Point[] {
  if (names.length > 3)
    return CORNERS.map((_, i) => new Map(names.map((name, k) => [name, CORNERS[(i + k) % CORNERS.length] ?? 1])));
  return names.reduce<Point[]>(
    (points, name) => points.flatMap((point) => CORNERS.map((corner) => new Map(point).set(name, corner))),
    [new Map()],
  );
}

/**
 * Are two formulas the same over the real numbers? Where both have a value they have to agree, and a place where only
 * one of them has a value refutes: ln(x^2) is not 2*ln(x), for x may be negative. `wider`: the second may have values
 * where the first has none, as x has beside sqrt(x)^2.
 */
export function verifyEqual(a: Expr, b: Expr, wider = false): Check {
  const names = variablesOf(binary('+', a, b));
  const [variable = 'x'] = names;
  const places = PLACES.map((place, i) => pointAt(place, i, variable, names));
  const mirrored = PLACES.map((place, i) => flip(pointAt(place, i, variable, names), i));
  let points = 0;
  for (const point of [...places, ...mirrored, ...corners(names)]) {
    const left = numericValue(a, point);
    const right = numericValue(b, point);
    const where = names.map((name) => `${name} = ${point.get(name) ?? 0}`).join(', ');
    if (Number.isFinite(left) !== Number.isFinite(right)) {
      if (wider && Number.isFinite(right)) continue;
      if (!hasNoValue(Number.isFinite(left) ? b : a, point)) continue;
      return { kind: 'wrong', reason: `at ${where} only one side has a value` };
    }
    if (!Number.isFinite(left)) continue;
    if (Math.abs(left - right) > 1e-8 * Math.max(Math.abs(left), Math.abs(right)) + 1e-10)
      return { kind: 'wrong', reason: `at ${where} one side is ${short(left)}, the other ${short(right)}` };
    points += 1;
  }
  return points >= ENOUGH
    ? { kind: 'holds', points }
    : { kind: 'unverifiable', reason: 'too few places where both sides could be compared' };
}

/** The letters' signs changed, in every second place all of them. */
function flip(point: Point, index: number): Point {
  return new Map([...point].map(([name, value], k) => [name, index % 2 === 0 || k > 0 ? -value : value]));
}

/** Undefined over the real numbers, and not merely too large for doubles. A division by zero is a single place, and says nothing. */
function hasNoValue(e: Expr, point: Point): boolean {
  let inPlace = e;
  for (const [name, value] of point) inPlace = substitute(inPlace, name, number(fromNumber(value)));
  try {
    evaluate(inPlace);
    return false;
  } catch (problem) {
    if (problem instanceof MathUndefined) return !/by zero|0 to/.test(problem.message);
    if (problem instanceof MathRefusal) return false;
    throw problem;
  }
}

export interface NumericIntegral {
  readonly value: number;
  /** bound of the error: both quadratures and the rounding of doubles considered */
  readonly error: number;
  /** about the integral of the absolute value */
  readonly size: number;
}

/** The definite integral by quadrature, twice with different parts; null where it does not settle. */
export function numericIntegral(expr: Expr, variable: string, from: Expr, to: Expr): NumericIntegral | null {
  if (variablesOf(expr).some((name) => name !== variable)) return null;
  const nowhere: Point = new Map();
  const f = (x: number): number => numericValue(expr, new Map([[variable, x]]));
  const a = numericValue(from, nowhere);
  const b = numericValue(to, nowhere);
  const one = quadrature(f, a, b, 7);
  const two = quadrature(f, a, b, 12);
  if (one === null || two === null) return null;
  const size = Math.max(one.size, two.size);
  // A narrow peak can lie between all places of both quadratures; an even scan sees those wider than its step.
  if (!(Math.abs(scanned(f, a, b) - one.value) <= 0.02 * size)) return null;
  const error = Math.abs(one.value - two.value) + 1e-13 * size;
  return error <= 1e-10 * size || size === 0 ? { value: one.value, error, size } : null;
}

const SCAN = 4_001;

function scanned(f: (x: number) => number, from: number, to: number): number {
  const step = (to - from) / SCAN;
  let total = 0;
  for (let i = 0; i < SCAN; i += 1) total += f(from + (i + 0.5) * step);
  return total * step;
}

export function verifyDefinite(expr: Expr, variable: string, from: Expr, to: Expr, claim: number): Check {
  if (claim === 0 && isZeroBySymmetry(expr, variable, from, to)) return { kind: 'holds', points: 2 };
  const found = numericIntegral(expr, variable, from, to);
  if (found === null)
    return { kind: 'unverifiable', reason: 'the integral does not settle numerically over this range' };
  const off = Math.abs(found.value - claim);
  if (!(off <= 1e-8 * Math.abs(found.value) + found.error))
    return { kind: 'wrong', reason: `quadrature gives ${short(found.value)}` };
  return { kind: 'holds', points: 2 };
}

/** An odd integrand over a range around zero that it can be integrated on: exactly zero. */
export function isZeroBySymmetry(expr: Expr, variable: string, from: Expr, to: Expr): boolean {
  if (variablesOf(expr).some((name) => name !== variable) || parity(expr, variable) !== 'odd') return false;
  try {
    const ends = addValues(evaluate(from), evaluate(to));
    if (ends.kind !== 'exact' || ends.q.n !== 0n) return false;
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return false;
    throw problem;
  }
  return numericIntegral(expr, variable, { kind: 'number', value: { n: 0n, d: 1n } }, to) !== null;
}

function short(x: number): string {
  return String(Number(x.toPrecision(6)));
}
