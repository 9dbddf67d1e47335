import type { Expr } from './ast.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';

/** Coefficients, lowest power first, without trailing zeros; the zero polynomial is empty. */
export type Polynomial = readonly Rational[];

const MAX_DEGREE = 40;

function trim(p: readonly Rational[]): Polynomial {
  let end = p.length;
  while (end > 0 && (p[end - 1] ?? Q.ZERO).n === 0n) end -= 1;
  return p.slice(0, end);
}

const at = (p: Polynomial, i: number): Rational => p[i] ?? Q.ZERO;

function plus(a: Polynomial, b: Polynomial): Polynomial {
  return trim(Array.from({ length: Math.max(a.length, b.length) }, (_, i) => Q.add(at(a, i), at(b, i))));
}
const scale = (p: Polynomial, by: Rational): Polynomial => trim(p.map((c) => Q.multiply(c, by)));

function times(a: Polynomial, b: Polynomial): Polynomial | null {
  if (a.length + b.length > MAX_DEGREE + 2) return null;
  const product: Rational[] = Array.from({ length: Math.max(0, a.length + b.length - 1) }, () => Q.ZERO);
  for (const [i, x] of a.entries())
    for (const [j, y] of b.entries()) product[i + j] = Q.add(product[i + j] ?? Q.ZERO, Q.multiply(x, y));
  return trim(product);
}

/** Quotient and remainder; the divisor is not zero. */
function divide(a: Polynomial, b: Polynomial): { quotient: Polynomial; remainder: Polynomial } {
  const rest = [...a];
  const lead = at(b, b.length - 1);
  const quotient: Rational[] = [];
  for (let shift = a.length - b.length; shift >= 0; shift -= 1) {
    const factor = Q.divide(rest[shift + b.length - 1] ?? Q.ZERO, lead);
    quotient[shift] = factor;
    for (let i = 0; i < b.length; i += 1)
      rest[shift + i] = Q.subtract(rest[shift + i] ?? Q.ZERO, Q.multiply(factor, at(b, i)));
  }
  return { quotient: trim(quotient), remainder: trim(rest) };
}

/** The leading coefficient becomes 1 or -1: keeps coefficients small along a chain of divisions. */
function monic(p: Polynomial): Polynomial {
  const lead = at(p, p.length - 1);
  return p.length === 0 ? p : scale(p, Q.divide(Q.ONE, lead.n < 0n ? Q.negate(lead) : lead));
}

function greatestCommonDivisor(a: Polynomial, b: Polynomial): Polynomial {
  let [x, y] = [monic(a), monic(b)];
  while (y.length > 0) [x, y] = [y, monic(divide(x, y).remainder)];
  return x;
}

/** The polynomial with the same roots, each of them once. */
export function squareFree(p: Polynomial): Polynomial {
  return p.length <= 2 ? p : divide(p, greatestCommonDivisor(p, derivative(p))).quotient;
}

const derivative = (p: Polynomial): Polynomial => trim(p.slice(1).map((c, i) => Q.multiply(c, Q.fromInt(i + 1))));

/** Number of different real roots, by Sturm's theorem; exact. */
export function countRealRoots(p: Polynomial): number {
  if (p.length <= 1) return 0;
  const chain: Polynomial[] = [p, derivative(p)];
  for (;;) {
    const [a, b] = chain.slice(-2) as [Polynomial, Polynomial];
    const { remainder } = divide(a, b);
    if (remainder.length === 0) break;
    chain.push(monic(scale(remainder, Q.fromInt(-1))));
  }
  const changes = (signs: readonly number[]): number => signs.filter((s, i) => i > 0 && s !== signs[i - 1]).length;
  const lead = (q: Polynomial): number => Q.sign(at(q, q.length - 1));
  return changes(chain.map((q) => lead(q) * (q.length % 2 === 0 ? -1 : 1))) - changes(chain.map(lead));
}

export function valueAt(p: Polynomial, x: Rational): Rational {
  return p.reduceRight<Rational>((sum, c) => Q.add(Q.multiply(sum, x), c), Q.ZERO);
}

interface Ratio {
  readonly top: Polynomial;
  readonly bottom: Polynomial;
}

/** The formula as a quotient of polynomials with rational coefficients; null when it is none, or of degree above 40. */
function asRatio(e: Expr, variable: string): Ratio | null {
  switch (e.kind) {
    case 'number':
      return { top: trim([e.value]), bottom: [Q.ONE] };
    case 'variable':
      return e.name === variable ? { top: [Q.ZERO, Q.ONE], bottom: [Q.ONE] } : null;
    case 'negate': {
      const a = asRatio(e.arg, variable);
      return a === null ? null : { ...a, top: scale(a.top, Q.fromInt(-1)) };
    }
    case 'percent': {
      const a = asRatio(e.arg, variable);
      return a === null ? null : { ...a, top: scale(a.top, Q.rational(1n, 100n)) };
    }
    case 'binary':
      return e.op === '^' ? powerRatio(e, variable) : combine(e, variable);
    default:
      return null;
  }
}

function combine(e: Expr & { kind: 'binary' }, variable: string): Ratio | null {
  const a = asRatio(e.left, variable);
  const b = asRatio(e.right, variable);
  if (a === null || b === null) return null;
  if (e.op === '*' || e.op === 'of') return ratio(times(a.top, b.top), times(a.bottom, b.bottom));
  if (e.op === '/') return b.top.length === 0 ? null : ratio(times(a.top, b.bottom), times(a.bottom, b.top));
  if (e.op !== '+' && e.op !== '-') return null;
  const left = times(a.top, b.bottom);
  const right = times(b.top, a.bottom);
  if (left === null || right === null) return null;
  return ratio(plus(left, e.op === '+' ? right : scale(right, Q.fromInt(-1))), times(a.bottom, b.bottom));
}

function ratio(top: Polynomial | null, bottom: Polynomial | null): Ratio | null {
  return top === null || bottom === null ? null : { top, bottom };
}

function powerRatio(e: Expr & { kind: 'binary' }, variable: string): Ratio | null {
  const exponent = asRatio(e.right, variable);
  const base = asRatio(e.left, variable);
  if (base === null || exponent === null || exponent.top.length > 1 || exponent.bottom.length > 1) return null;
  const n = Q.divide(at(exponent.top, 0), at(exponent.bottom, 0));
  if (n.d !== 1n || n.n > BigInt(MAX_DEGREE) || n.n < BigInt(-MAX_DEGREE)) return null;
  const [from, under] = n.n < 0n ? [base.bottom, base.top] : [base.top, base.bottom];
  let result: Ratio | null = { top: [Q.ONE], bottom: [Q.ONE] };
  for (let i = 0n; i < Q.bigAbs(n.n) && result !== null; i += 1n)
    result = ratio(times(result.top, from), times(result.bottom, under));
  return under.length === 0 ? null : result;
}

/** The formula as a polynomial, or null. */
export function asPolynomial(e: Expr, variable: string): Polynomial | null {
  const quotient = asRatio(e, variable);
  if (quotient === null || quotient.bottom.length > 1) return null;
  return scale(quotient.top, Q.divide(Q.ONE, at(quotient.bottom, 0)));
}

/**
 * The polynomial whose roots are exactly the solutions of `e = 0`: the reduced numerator, less its roots where `e`
 * itself is not defined. Null when `e` is no quotient of polynomials.
 */
export function rootPolynomial(e: Expr, variable: string): Polynomial | null {
  const quotient = asRatio(e, variable);
  if (quotient === null || quotient.top.length === 0) return quotient === null ? null : [];
  let top = quotient.top;
  for (;;) {
    const common = greatestCommonDivisor(top, quotient.bottom);
    if (common.length <= 1) return top;
    top = divide(top, common).quotient;
  }
}

/** Has the polynomial no rational root? Decided up to degree 3 and coefficients of 10^4; null beyond. */
function lacksRationalRoot(p: Polynomial): boolean | null {
  const common = p.reduce((l, c) => (l / Q.gcd(l, c.d)) * c.d, 1n);
  const [lowest = 0n, highest = 0n] = [at(p, 0), at(p, p.length - 1)].map((c) => Q.bigAbs((c.n * common) / c.d));
  if (lowest > 10_000n || highest > 10_000n) return null;
  if (lowest === 0n) return false;
  for (let n = 1n; n <= lowest; n += 1n) {
    if (lowest % n !== 0n) continue;
    for (let d = 1n; d <= highest; d += 1n) {
      if (highest % d !== 0n) continue;
      for (const root of [Q.rational(n, d), Q.rational(-n, d)]) if (Q.isZero(valueAt(p, root))) return false;
    }
  }
  return true;
}

/** Proven to have no factor of a lower degree over the rational numbers; false also where this method cannot tell. */
export function isIrreducible(p: Polynomial): boolean {
  if (p.length === 2) return true;
  return (p.length === 3 || p.length === 4) && lacksRationalRoot(p) === true;
}
