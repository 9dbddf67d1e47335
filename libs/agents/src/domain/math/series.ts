import { type Expr, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { applyFunction } from './functions.js';
import { MathRefusal } from './limits.js';
import { powerOf, rootOf, signOf } from './powers.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';
import { addValues, asRational, divideValues, exact, multiplyValues, negateValue, type Value } from './value.js';

/** `terms[i] t^(low + i)` for small positive t; nothing is known from the power `low + terms.length` on. */
export interface Series {
  readonly low: number;
  readonly terms: readonly Value[];
}

const ZERO = exact(Q.ZERO);
const ONE = exact(Q.ONE);
const whole = (n: number): Value => exact(Q.fromInt(n));

/** Throws MathRefusal: a formula whose series this method does not find. */
function unknown(): never {
  throw new MathRefusal('the formula has no power series here');
}

const isZero = (v: Value): boolean => v.kind === 'exact' && v.q.n === 0n;
const termOf = (s: Series, power: number): Value => s.terms[power - s.low] ?? ZERO;
const end = (s: Series): number => s.low + s.terms.length;

/** Without leading zeros; a leading term that cannot be told apart from zero throws MathRefusal. */
export function trimmed(s: Series): Series {
  let zeros = 0;
  while (zeros < s.terms.length && isZero(s.terms[zeros] ?? ZERO)) zeros += 1;
  const lead = s.terms[zeros];
  if (lead !== undefined) signOf(lead);
  return { low: s.low + zeros, terms: s.terms.slice(zeros) };
}

/** Trimmed, and with a leading term. */
function leading(s: Series): Series & { readonly lead: Value } {
  const cut = trimmed(s);
  const [lead] = cut.terms;
  return lead === undefined ? unknown() : { ...cut, lead };
}

function add(a: Series, b: Series): Series {
  const low = Math.min(a.low, b.low);
  const length = Math.min(end(a), end(b)) - low;
  return {
    low,
    terms: Array.from({ length: Math.max(0, length) }, (_, i) => addValues(termOf(a, low + i), termOf(b, low + i))),
  };
}

const scale = (s: Series, by: Value): Series => ({ ...s, terms: s.terms.map((t) => multiplyValues(t, by)) });
const negate = (s: Series): Series => ({ ...s, terms: s.terms.map(negateValue) });

function sumOf(count: number, term: (i: number) => Value): Value {
  let total: Value = ZERO;
  for (let i = 0; i < count; i += 1) total = addValues(total, term(i));
  return total;
}

function multiply(a: Series, b: Series): Series {
  const length = Math.min(a.terms.length, b.terms.length);
  const at = (s: Series, i: number): Value => s.terms[i] ?? ZERO;
  const terms = Array.from({ length }, (_, n) => sumOf(n + 1, (i) => multiplyValues(at(a, i), at(b, n - i))));
  return { low: a.low + b.low, terms };
}

function reciprocal(s: Series): Series {
  const { low, terms, lead } = leading(s);
  const result: Value[] = [];
  for (let n = 0; n < terms.length; n += 1) {
    const known = sumOf(n, (i) => multiplyValues(result[i] ?? ZERO, terms[n - i] ?? ZERO));
    result.push(divideValues(n === 0 ? ONE : negateValue(known), lead));
  }
  return { low: -low, terms: result };
}

const derivative = (s: Series): Series => ({
  low: s.low - 1,
  terms: s.terms.map((t, i) => multiplyValues(t, whole(s.low + i))),
});

/** The series with this rate of change and this value at 0. */
function integral(rate: Series, start: Value): Series {
  if (rate.low < 0) {
    const cut = trimmed(rate);
    return cut.low < 0 ? unknown() : integral(cut, start);
  }
  const terms = rate.terms.map((t, i) => divideValues(t, whole(rate.low + i + 1)));
  return {
    low: 0,
    terms: [start, ...Array<Value>(rate.low).fill(ZERO), ...terms].slice(0, rate.terms.length + rate.low + 1),
  };
}

/** Without a pole, as terms from the power 0 on. */
function regular(s: Series): Series {
  const cut = trimmed(s);
  if (cut.low < 0) unknown();
  return { low: 0, terms: [...Array<Value>(cut.low).fill(ZERO), ...cut.terms] };
}

function exponential(s: Series): Series {
  const { terms } = regular(s);
  const result = [applyFunction('exp', [terms[0] ?? ZERO])];
  for (let n = 1; n < terms.length; n += 1) {
    const total = sumOf(n, (i) =>
      multiplyValues(multiplyValues(whole(i + 1), terms[i + 1] ?? ZERO), result[n - 1 - i] ?? ZERO),
    );
    result.push(divideValues(total, whole(n)));
  }
  return { low: 0, terms: result };
}

function sineAndCosine(s: Series): { sin: Series; cos: Series } {
  const { terms } = regular(s);
  const sin = [applyFunction('sin', [terms[0] ?? ZERO])];
  const cos = [applyFunction('cos', [terms[0] ?? ZERO])];
  for (let n = 1; n < terms.length; n += 1) {
    const along = (other: readonly Value[]): Value =>
      divideValues(
        sumOf(n, (i) => multiplyValues(multiplyValues(whole(i + 1), terms[i + 1] ?? ZERO), other[n - 1 - i] ?? ZERO)),
        whole(n),
      );
    const [up, down] = [along(cos), negateValue(along(sin))];
    sin.push(up);
    cos.push(down);
  }
  return { sin: { low: 0, terms: sin }, cos: { low: 0, terms: cos } };
}

/** A rational power; the leading power of t times it has to be whole. `root` takes the power of the leading term. */
function raised(s: Series, p: Rational, root: (lead: Value) => Value): Series {
  const { low, terms, lead } = leading(s);
  const power = Q.multiply(Q.fromInt(low), p);
  if (!Q.isInteger(power)) unknown();
  const result = [root(lead)];
  for (let n = 1; n < terms.length; n += 1) {
    const total = sumOf(n, (i) => {
      const weight = Q.subtract(Q.multiply(p, Q.fromInt(i + 1)), Q.fromInt(n - 1 - i));
      return multiplyValues(multiplyValues(exact(weight), terms[i + 1] ?? ZERO), result[n - 1 - i] ?? ZERO);
    });
    result.push(divideValues(total, multiplyValues(whole(n), lead)));
  }
  return { low: Number(power.n), terms: result };
}

const power = (s: Series, p: Rational): Series => raised(s, p, (lead) => powerOf(lead, exact(p)));

function logarithm(s: Series): Series {
  const { low, lead } = leading(s);
  if (low !== 0) unknown();
  return integral(multiply(derivative(s), reciprocal(s)), applyFunction('ln', [lead]));
}

function arctangent(s: Series): Series {
  const cut = trimmed(s);
  if (cut.low < 0) {
    const half = exact(Q.rational(BigInt(signOf(leading(cut).lead)), 2n), 1n, 1);
    const rest = arctangent(reciprocal(cut));
    return add({ low: 0, terms: [half, ...Array<Value>(rest.terms.length).fill(ZERO)] }, negate(rest));
  }
  const r = regular(cut);
  const below = add({ low: 0, terms: [ONE, ...Array<Value>(r.terms.length).fill(ZERO)] }, multiply(r, r));
  return integral(multiply(derivative(r), reciprocal(below)), applyFunction('atan', [r.terms[0] ?? ZERO]));
}

function arcsine(s: Series): Series {
  const r = regular(s);
  const below = add({ low: 0, terms: [ONE, ...Array<Value>(r.terms.length).fill(ZERO)] }, negate(multiply(r, r)));
  if (trimmed(below).low !== 0) unknown();
  const slope = power(below, Q.negate(Q.HALF));
  return integral(multiply(derivative(r), slope), applyFunction('asin', [r.terms[0] ?? ZERO]));
}

/**
 * The series of a formula, with `count` terms, where the variable is the series `x`. Every coefficient is exact or
 * enclosed. Throws MathRefusal or MathUndefined where there is none that this method finds.
 */
export function seriesOf(e: Expr, variable: string, x: Series, count: number): Series {
  const constant = (v: Value): Series => ({ low: 0, terms: [v, ...Array<Value>(count - 1).fill(ZERO)] });
  const of = (part: Expr): Series => seriesOf(part, variable, x, count);
  if (!variablesOf(e).includes(variable)) return constant(evaluate(e));
  switch (e.kind) {
    case 'variable':
      return x;
    case 'negate':
      return negate(of(e.arg));
    case 'percent':
      return scale(of(e.arg), exact(Q.rational(1n, 100n)));
    case 'degrees':
      return scale(of(e.arg), exact(Q.rational(1n, 180n), 1n, 1));
    case 'call':
      return callSeries(e, of, constant);
    case 'binary':
      return binarySeries(e, of, variable);
    default:
      return unknown();
  }
}

function binarySeries(e: Expr & { kind: 'binary' }, of: (part: Expr) => Series, variable: string): Series {
  switch (e.op) {
    case '+':
      return add(of(e.left), of(e.right));
    case '-':
      return add(of(e.left), negate(of(e.right)));
    case '*':
    case 'of':
      return multiply(of(e.left), of(e.right));
    case '/':
      return multiply(of(e.left), reciprocal(of(e.right)));
    case '^': {
      const p = variablesOf(e.right).includes(variable) ? null : asRational(evaluate(e.right));
      if (p !== null && p.n !== 0n) return power(of(e.left), p);
      if (e.left.kind === 'constant' && e.left.name === 'e') return exponential(of(e.right));
      return exponential(multiply(of(e.right), logarithm(of(e.left))));
    }
    case 'mod':
      return unknown();
  }
}

function callSeries(e: Expr & { kind: 'call' }, of: (part: Expr) => Series, constant: (v: Value) => Series): Series {
  const [first, second] = e.args;
  if (first === undefined) return unknown();
  if (e.fn === 'logbase' && second !== undefined)
    return multiply(logarithm(of(second)), reciprocal(logarithm(of(first))));
  if (e.args.length > 1) return unknown();
  const s = of(first);
  const over = (base: number): Series => scale(logarithm(s), divideValues(ONE, applyFunction('ln', [whole(base)])));
  const hyperbolic = (sign: Value): Series =>
    scale(add(exponential(s), scale(exponential(negate(s)), sign)), exact(Q.HALF));
  switch (e.fn) {
    case 'sqrt':
      return power(s, Q.HALF);
    case 'cbrt':
      return raised(s, Q.rational(1n, 3n), (lead) => rootOf(whole(3), lead));
    case 'abs':
      return signOf(leading(s).lead) < 0 ? negate(s) : s;
    case 'exp':
      return exponential(s);
    case 'ln':
      return logarithm(s);
    case 'log10':
      return over(10);
    case 'log2':
      return over(2);
    case 'sin':
      return sineAndCosine(s).sin;
    case 'cos':
      return sineAndCosine(s).cos;
    case 'tan':
      return multiply(sineAndCosine(s).sin, reciprocal(sineAndCosine(s).cos));
    case 'sec':
      return reciprocal(sineAndCosine(s).cos);
    case 'csc':
      return reciprocal(sineAndCosine(s).sin);
    case 'cot':
      return multiply(sineAndCosine(s).cos, reciprocal(sineAndCosine(s).sin));
    case 'atan':
      return arctangent(s);
    case 'asin':
      return arcsine(s);
    case 'acos':
      return add(constant(exact(Q.HALF, 1n, 1)), negate(arcsine(s)));
    case 'sinh':
      return hyperbolic(whole(-1));
    case 'cosh':
      return hyperbolic(ONE);
    case 'tanh':
      return multiply(hyperbolic(whole(-1)), reciprocal(hyperbolic(ONE)));
    default:
      return unknown();
  }
}
