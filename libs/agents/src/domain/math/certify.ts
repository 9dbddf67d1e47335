import { binary, type Expr, some } from './ast.js';
import { ballOf, type Ball } from './ball.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { type Polynomial, squareFree, valueAt } from './polynomial.js';
import { signOf } from './powers.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';
import { about, asRational, exact, toBall, type Value } from './value.js';

/** Is there a root within the interval? Proven either way, or not known. */
export type Located = 'root' | 'no root' | 'unknown';

/** The equation `left = right` as the sign of a difference, with what is needed to prove where it vanishes. */
export interface Equation {
  readonly gap: Expr;
  readonly variable: string;
  /** the polynomial with the same roots, each once; null where the equation is none of polynomials */
  readonly polynomial: Polynomial | null;
}

export function equation(left: Expr, right: Expr, variable: string, polynomial: Polynomial | null): Equation {
  return { gap: binary('-', left, right), variable, polynomial: polynomial === null ? null : squareFree(polynomial) };
}

/** -1, 0, 1 as proven, or null. */
function signAt({ gap, variable, polynomial }: Equation, x: Rational): number | null {
  if (polynomial !== null) return Q.sign(valueAt(polynomial, x));
  return tried(() => signOf(evaluate(gap, new Map([[variable, exact(x)]]))));
}

function tried<T>(calculate: () => T): T | null {
  try {
    return calculate();
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return null;
    throw problem;
  }
}

const JUMPS: ReadonlySet<string> = new Set(['floor', 'ceil', 'round']);
const jumps = (e: Expr): boolean =>
  some(e, (n) => (n.kind === 'call' && JUMPS.has(n.fn)) || (n.kind === 'binary' && n.op === 'mod'));

/** Bits that make room for the radius where the centre is a short number. */
const FINER = 400;

/** The interval as one value with an error bound: what it gives holds for every number within. */
function around(centre: Rational, radius: Rational): Ball {
  const { m, e, r } = ballOf(centre);
  const fine = e - FINER;
  const units = fine >= 0 ? Q.rational(1n, 1n << BigInt(fine)) : Q.rational(1n << BigInt(-fine));
  const up = BigInt(FINER);
  return { m: m << up, e: fine, r: (r << up) + Q.floor(Q.multiply(radius, units)) + 1n };
}

/**
 * Is there a root within `centre - radius .. centre + radius`? A change of sign proves one where the formula is
 * continuous, which it is where it has a bounded value on the whole interval; a value away from zero on the whole
 * interval disproves it.
 */
export function locate(of: Equation, centre: Rational, radius: Rational): Located {
  if (of.polynomial === null && jumps(of.gap)) return 'unknown';
  const [low, high] = [signAt(of, Q.subtract(centre, radius)), signAt(of, Q.add(centre, radius))];
  if (low === 0 || high === 0) return 'root';
  if (low !== null && high !== null && low !== high) {
    if (of.polynomial !== null) return 'root';
    const whole = new Map([[of.variable, about(around(centre, radius))]]);
    return tried(() => evaluate(of.gap, whole)) === null ? 'unknown' : 'root';
  }
  if (of.polynomial !== null) return low === high && signAt(of, centre) === low ? 'no root' : 'unknown';
  return tried(() => signOf(evaluate(of.gap, new Map([[of.variable, about(around(centre, radius))]])))) === null
    ? 'unknown'
    : 'no root';
}

/** Put in, does the formula vanish exactly? Null where that can only be told to some 90 digits. */
function vanishes(of: Equation, root: Expr): boolean | null {
  try {
    const gap = evaluate(of.gap, new Map([[of.variable, evaluate(root)]]));
    if (gap.kind === 'exact') return gap.q.n === 0n;
    return tried(() => signOf(gap)) === null ? null : false;
  } catch (problem) {
    if (problem instanceof MathUndefined) return false;
    if (problem instanceof MathRefusal) return null;
    throw problem;
  }
}

const CLOSE = Q.rational(1n, 10n ** 30n);

/**
 * Is this formula a root? True: it vanishes exactly, or to some 90 digits beside a root within 10^-30 that is proven to
 * be there. False: it does not vanish. Null: not known.
 */
export function isRoot(of: Equation, root: Expr): boolean | null {
  const exactly = vanishes(of, root);
  if (exactly !== null) return exactly;
  const value = tried(() => evaluate(root));
  const centre = value === null ? null : rationalNear(value);
  if (centre === null || isDecimalInDisguise(root)) return null;
  return locate(of, centre, Q.multiply(CLOSE, Q.compare(centre, Q.ZERO) === 0 ? Q.ONE : absolute(centre))) === 'root'
    ? true
    : null;
}

const absolute = (a: Rational): Rational => ({ n: Q.bigAbs(a.n), d: a.d });

/** A quotient of long numbers from a symbolic engine is an approximation. */
const isDecimalInDisguise = (e: Expr): boolean =>
  !some(e, (n) => n.kind === 'call' || n.kind === 'constant' || (n.kind === 'binary' && n.op === '^')) ||
  some(e, (n) => n.kind === 'number' && (n.value.d > 10_000n || n.value.n > 10n ** 12n));

/** A fraction within 10^-60 of the value. */
function rationalNear(value: Value): Rational | null {
  const q = asRational(value);
  if (q !== null) return q;
  return tried(() => {
    const { m, e } = value.kind === 'about' ? value.ball : toBall(value);
    return e >= 0 ? Q.rational(m << BigInt(e)) : Q.rational(m, 1n << BigInt(-e));
  });
}
