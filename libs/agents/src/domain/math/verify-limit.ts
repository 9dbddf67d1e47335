import { ballToNumber } from './ball.js';
import { binary, children, type Expr, number, negation, substitute, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { fromDecimal } from './rational.js';
import { addValues, negateValue, toBall, type Value } from './value.js';
import type { Check } from './verify.js';

const STEPS = ['0.1', '1e-2', '1e-3', '1e-5', '1e-8', '1e-12', '1e-20', '1e-30', '1e-45', '1e-60'];
const REACHES = ['10', '1e2', '5e2', '2e3', '1e4', '1e6', '1e9', '1e14', '1e20', '1e30'];

export type Side = 'both' | 'left' | 'right';

/** 1 or -1 for plus or minus infinity, 0 for a number. */
export function infinite(e: Expr): -1 | 0 | 1 {
  if (e.kind === 'constant' && e.name === 'infinity') return 1;
  return e.kind === 'negate' && e.arg.kind === 'constant' && e.arg.name === 'infinity' ? -1 : 0;
}

/** Places ever closer to the goal, one list for each side. */
function approaches(to: Expr, side: Side): readonly (readonly Expr[])[] {
  const direction = infinite(to);
  const signed = (text: string, minus: boolean): Expr =>
    minus ? negation(number(fromDecimal(text))) : number(fromDecimal(text));
  if (direction !== 0) return [REACHES.map((x) => signed(x, direction < 0))];
  const ways = side === 'both' ? [false, true] : [side === 'left'];
  return ways.map((minus) => STEPS.map((h) => binary('+', to, signed(h, minus))));
}

function valueOrNull(e: Expr): Value | null {
  try {
    return evaluate(e);
  } catch (problem) {
    if (problem instanceof MathUndefined || problem instanceof MathRefusal) return null;
    throw problem;
  }
}

const MILLION = 1e6;

/** Numbers so large or small that the places of trial could all lie on one side of where the formula turns. */
function extreme(e: Expr): boolean {
  if (e.kind === 'variable') return false;
  if (variablesOf(e).length > 0) return children(e).some(extreme);
  const value = valueOrNull(e);
  if (value === null) return infinite(e) === 0;
  const size = Math.abs(ballToNumber(toBall(value)));
  return size !== 0 && !(size <= MILLION && size * MILLION >= 1);
}

const UNSCALED: Check = {
  kind: 'unverifiable',
  reason: 'the formula holds numbers too large or too small to be tried',
};

/**
 * Does the formula come ever closer to the claim as the variable approaches its goal, from each side asked for, down
 * to 24 digits? The formula is computed to some 90 digits, so that nothing cancels away close to the goal. This is
 * evidence, not proof; `settleLimit` is asked first.
 */
export function verifyLimit(expr: Expr, variable: string, to: Expr, side: Side, claim: Expr): Check {
  if (variablesOf(expr).some((name) => name !== variable))
    return { kind: 'unverifiable', reason: 'the formula has further variables' };
  if (extreme(expr) || extreme(to)) return UNSCALED;
  const goal = valueOrNull(claim);
  if (goal === null) return { kind: 'unverifiable', reason: 'the claim has no value' };
  const size = Math.max(1, Math.abs(ballToNumber(toBall(goal))));
  let points = 0;
  for (const places of approaches(to, side)) {
    const gaps: { readonly least: number; readonly most: number }[] = [];
    for (const place of places) {
      const value = valueOrNull(substitute(expr, variable, place));
      if (value !== null) gaps.push(bounds(addValues(value, negateValue(goal))));
    }
    if (gaps.length < 4) return { kind: 'unverifiable', reason: 'the formula has too few values on the way' };
    const tail = gaps.slice(-4);
    if (tail.every((gap) => gap.least > 1e-3 * size) && (tail.at(-1)?.least ?? 0) > 0.9 * (tail[0]?.most ?? 0))
      return { kind: 'wrong', reason: 'the formula settles elsewhere' };
    const closest = Math.min(...tail.map((gap) => gap.most));
    const closing = tail.every(
      (gap, i) => i === 0 || gap.least <= (tail[i - 1]?.most ?? 0) || gap.least <= 1e-24 * size,
    );
    if (closest > 1e-24 * size || !closing)
      return { kind: 'unverifiable', reason: 'the formula does not settle close to the goal' };
    points += gaps.length;
  }
  return { kind: 'holds', points };
}

function bounds(gap: Value): { least: number; most: number } {
  const { m, e, r } = toBall(gap);
  const size = m < 0n ? -m : m;
  return {
    least: size > r ? ballToNumber({ m: size - r, e, r: 0n }) : 0,
    most: ballToNumber({ m: size + r, e, r: 0n }),
  };
}

/** Does the formula grow beyond all bounds, with this sign, on each side asked for? */
export function verifyDivergence(expr: Expr, variable: string, to: Expr, side: Side, sign: -1 | 1): Check {
  if (variablesOf(expr).some((name) => name !== variable))
    return { kind: 'unverifiable', reason: 'the formula has further variables' };
  if (extreme(expr) || extreme(to)) return UNSCALED;
  let points = 0;
  for (const places of approaches(to, side)) {
    const values: number[] = [];
    for (const place of places) {
      const value = valueOrNull(substitute(expr, variable, place));
      if (value !== null) values.push(sign * ballToNumber(toBall(value)));
    }
    const last = values.at(-1) ?? NaN;
    if (values.length < 3 || !(last > 1e9))
      return { kind: 'unverifiable', reason: 'the formula does not grow beyond all bounds' };
    if (values.slice(-3).some((y, i, tail) => i > 0 && !(y > (tail[i - 1] ?? 0))))
      return { kind: 'unverifiable', reason: 'the formula does not grow steadily' };
    points += values.length;
  }
  return { kind: 'holds', points };
}
