import { binary, type Expr, variablesOf } from './ast.js';
import { numericValue, type Point } from './numeric.js';
import { quadrature } from './quadrature.js';

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
    names.map((name, i) => [name, 0.6173 + 0.4391 * ((i * 7 + index * 3) % 5) + 0.0917 * i] as const),
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

/** Do two formulas agree wherever both have a value? */
export function verifyEqual(a: Expr, b: Expr): Check {
  const names = variablesOf(binary('+', a, b));
  const [variable = 'x'] = names;
  let points = 0;
  for (const [i, place] of PLACES.entries()) {
    const point = pointAt(place, i, variable, names);
    const left = numericValue(a, point);
    const right = numericValue(b, point);
    if (!Number.isFinite(left) || !Number.isFinite(right)) continue;
    if (Math.abs(left - right) > 1e-8 * Math.max(Math.abs(left), Math.abs(right)) + 1e-10) {
      return {
        kind: 'wrong',
        reason: `at ${variable} = ${place} one side is ${short(left)}, the other ${short(right)}`,
      };
    }
    points += 1;
  }
  return points >= ENOUGH
    ? { kind: 'holds', points }
    : { kind: 'unverifiable', reason: 'too few places where both sides could be compared' };
}

/** The definite integral by quadrature, twice with different parts; null where it does not settle. */
export function numericIntegral(expr: Expr, variable: string, from: Expr, to: Expr): number | null {
  if (variablesOf(expr).some((name) => name !== variable)) return null;
  const nowhere: Point = new Map();
  const f = (x: number): number => numericValue(expr, new Map([[variable, x]]));
  const a = numericValue(from, nowhere);
  const b = numericValue(to, nowhere);
  const one = quadrature(f, a, b, 7);
  const two = quadrature(f, a, b, 12);
  if (one === null || two === null) return null;
  return Math.abs(one - two) <= 1e-10 * Math.max(1, Math.abs(one)) ? one : null;
}

export function verifyDefinite(expr: Expr, variable: string, from: Expr, to: Expr, claim: number): Check {
  const found = numericIntegral(expr, variable, from, to);
  if (found === null)
    return { kind: 'unverifiable', reason: 'the integral does not settle numerically over this range' };
  if (!(Math.abs(found - claim) <= 1e-8 * Math.max(1, Math.abs(found))))
    return { kind: 'wrong', reason: `quadrature gives ${short(found)}` };
  return { kind: 'holds', points: 2 };
}

/**
 * Does the value solve `left = right`? The residual is held against the size of the terms and the slope; a value that
 * says it is rounded may be off by one in its ninth digit.
 */
export function verifyRoot(left: Expr, right: Expr, variable: string, root: number, rounded = false): Check {
  const others = variablesOf(binary('-', left, right)).filter((name) => name !== variable);
  if (others.length > 0) return { kind: 'unverifiable', reason: 'the equation has further variables' };
  const at = (x: number): number =>
    numericValue(left, new Map([[variable, x]])) - numericValue(right, new Map([[variable, x]]));
  const residual = at(root);
  if (!Number.isFinite(residual))
    return { kind: 'wrong', reason: `${variable} = ${short(root)} is outside the equation's range` };
  const step = 1e-6 * Math.max(1, Math.abs(root));
  const slope = Math.max(
    ...[at(root + step), at(root - step)].filter(Number.isFinite).map((y) => Math.abs(y - residual) / step),
    0,
  );
  const size =
    Math.abs(numericValue(left, new Map([[variable, root]]))) +
    Math.abs(numericValue(right, new Map([[variable, root]])));
  const allowed = (rounded ? 1e-8 : 1e-9) * slope * Math.max(1, Math.abs(root)) + 1e-12 * size + 1e-13;
  return Math.abs(residual) <= allowed
    ? { kind: 'holds', points: 1 }
    : { kind: 'wrong', reason: `${variable} = ${short(root)} leaves a difference of ${short(residual)}` };
}

/** The sides of a limit end at different values, or run away to opposite infinities. */
export function limitsDiffer(expr: Expr, variable: string, to: number): boolean {
  const f = (x: number): number => numericValue(expr, new Map([[variable, x]]));
  const sides = [1, -1].map((way) => [1e-2, 1e-4, 1e-6].map((h) => f(to + way * h * 0.8317)));
  const [right, left] = sides.map((values) => ends(values));
  if (right === undefined || left === undefined || right === null || left === null) return false;
  return Number.isFinite(right) && Number.isFinite(left)
    ? Math.abs(right - left) > 1e-2 * Math.max(1, Math.abs(right))
    : right !== left;
}

/** Where three values settle or run away to; null when neither. */
function ends([a = NaN, b = NaN, c = NaN]: readonly number[]): number | null {
  if (![a, b, c].every(Number.isFinite)) return null;
  if (Math.abs(c) > 50 * Math.abs(b) && Math.abs(b) > 50 * Math.abs(a)) return Math.sign(c) * Infinity;
  return Math.abs(c - b) <= 1e-3 * Math.max(1, Math.abs(c)) ? c : null;
}

function short(x: number): string {
  return String(Number(x.toPrecision(6)));
}
