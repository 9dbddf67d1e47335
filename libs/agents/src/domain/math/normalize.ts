import { binary, call, constant, type Expr, integer, negation, number } from './ast.js';
import { printFormula } from './print.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';

interface Factor {
  readonly base: Expr;
  readonly exponent: Expr;
}
/** A rational number times powers of different bases, by the text of their base. */
interface Term {
  readonly coefficient: Rational;
  readonly factors: ReadonlyMap<string, Factor>;
}

const NOTHING: ReadonlyMap<string, Factor> = new Map();
const FUNCTION_ORDER = ['sqrt', 'cbrt', 'abs', 'ln', 'sin', 'cos', 'tan', 'sec', 'csc', 'cot', 'asin', 'acos', 'atan'];

/**
 * One stable form for what a symbolic engine gives in any order: powers fall, like terms are one term, numbers stand
 * first, negative powers go below the line. Products of sums are kept, so that factors stay factors.
 */
export function normalize(e: Expr): Expr {
  return build(terms(e));
}

const numeral = (coefficient: Rational): Term => ({ coefficient, factors: NOTHING });
const power = (base: Expr, exponent: Expr): Term => ({
  coefficient: Q.ONE,
  factors: new Map([[printFormula(base), { base, exponent }]]),
});

function terms(e: Expr): Term[] {
  switch (e.kind) {
    case 'number':
      return Q.isZero(e.value) ? [] : [numeral(e.value)];
    case 'constant':
    case 'variable':
      return [power(e, integer(1))];
    case 'negate':
      return terms(e.arg).map((t) => ({ ...t, coefficient: Q.negate(t.coefficient) }));
    case 'percent':
      return terms(e.arg).map((t) => ({ ...t, coefficient: Q.multiply(t.coefficient, Q.rational(1n, 100n)) }));
    case 'degrees':
      return [product(single(terms(e.arg)), product(power(constant('pi'), integer(1)), numeral(Q.rational(1n, 180n))))];
    case 'factorial':
      return [power({ kind: 'factorial', arg: normalize(e.arg) }, integer(1))];
    case 'call':
      return callTerms(e);
    case 'binary':
      return binaryTerms(e);
  }
}

function callTerms(e: Expr & { kind: 'call' }): Term[] {
  const args = e.args.map(normalize);
  const [first] = args;
  if (e.fn === 'sqrt' && first !== undefined) return [raise(terms(first), number(Q.HALF))];
  if (e.fn === 'exp' && first !== undefined) return [power(constant('e'), first)];
  return [power(call(e.fn, ...args), integer(1))];
}

function binaryTerms(e: Expr & { kind: 'binary' }): Term[] {
  switch (e.op) {
    case '+':
      return collect([...terms(e.left), ...terms(e.right)]);
    case '-':
      return collect([...terms(e.left), ...terms(negation(e.right))]);
    case '*':
    case 'of': {
      const left = terms(e.left);
      const right = terms(e.right);
      return left.length === 0 || right.length === 0 ? [] : [product(single(left), single(right))];
    }
    case '/': {
      const top = terms(e.left);
      return top.length === 0 ? [] : [product(single(top), raise(terms(e.right), integer(-1)))];
    }
    case '^':
      return [raise(terms(e.left), normalize(e.right))];
    case 'mod':
      return [power(binary('mod', normalize(e.left), normalize(e.right)), integer(1))];
  }
}

/** A sum as one factor; a sum of one term is that term. */
function single(sum: readonly Term[]): Term {
  const [only] = sum;
  if (sum.length === 0) return numeral(Q.ZERO);
  return sum.length === 1 && only !== undefined ? only : power(build(sum), integer(1));
}

const rationalOf = (e: Expr): Rational | null =>
  e.kind === 'number' ? e.value : e.kind === 'negate' && e.arg.kind === 'number' ? Q.negate(e.arg.value) : null;

function quotientOf(e: Expr): Rational | null {
  if (e.kind === 'binary' && e.op === '/') {
    const top = rationalOf(e.left);
    const bottom = rationalOf(e.right);
    return top === null || bottom === null || Q.isZero(bottom) ? null : Q.divide(top, bottom);
  }
  if (e.kind === 'negate') {
    const inner = quotientOf(e.arg);
    return inner === null ? null : Q.negate(inner);
  }
  return rationalOf(e);
}

function product(a: Term, b: Term): Term {
  let coefficient = Q.multiply(a.coefficient, b.coefficient);
  const factors = new Map(a.factors);
  for (const [key, factor] of b.factors) {
    const known = factors.get(key);
    if (known === undefined) {
      factors.set(key, factor);
      continue;
    }
    const exponent = normalize(binary('+', known.exponent, factor.exponent));
    const value = quotientOf(exponent);
    if (value === null || !(Q.isZero(value) || (Q.isInteger(value) && known.base.kind === 'number'))) {
      factors.set(key, { base: known.base, exponent });
      continue;
    }
    factors.delete(key);
    if (known.base.kind === 'number') coefficient = Q.multiply(coefficient, Q.power(known.base.value, value.n));
  }
  return { coefficient, factors };
}

function raise(base: readonly Term[], exponent: Expr): Term {
  const n = quotientOf(exponent);
  if (base.length !== 1) {
    if (base.length === 0) return power(integer(0), exponent);
    return n !== null && Q.isZero(n) ? numeral(Q.ONE) : power(build(base), exponent);
  }
  const term = base[0] as Term;
  if (n === null) return power(build(base), exponent);
  if (Q.isInteger(n)) {
    if (Q.isZero(term.coefficient)) return power(integer(0), exponent);
    const factors = new Map<string, Factor>();
    for (const [key, f] of term.factors) {
      const total = normalize(binary('*', f.exponent, number(n)));
      const value = quotientOf(total);
      if (value === null || !Q.isZero(value)) factors.set(key, { base: f.base, exponent: total });
    }
    return { coefficient: Q.power(term.coefficient, n.n), factors };
  }
  if (term.factors.size === 0 && term.coefficient.n > 0n && n.d <= 64n) {
    const root = Q.exactRoot(term.coefficient, n.d);
    if (root !== null) return numeral(Q.power(root, n.n));
    const whole = Q.floor(n);
    const rest = number(Q.subtract(n, Q.rational(whole)));
    const { n: top, d: bottom } = term.coefficient;
    const outside = numeral(Q.power(term.coefficient, whole));
    if (n.d === 2n)
      return product(
        { ...outside, coefficient: Q.divide(outside.coefficient, Q.rational(bottom)) },
        rootOf(top * bottom),
      );
    return product(outside, power(number(term.coefficient), rest));
  }
  const [only] = term.factors.values();
  if (
    term.factors.size === 1 &&
    only !== undefined &&
    Q.isOne(term.coefficient) &&
    quotientOf(only.exponent) !== null &&
    Q.isOne(quotientOf(only.exponent) ?? Q.ZERO)
  ) {
    return power(only.base, number(n));
  }
  return power(build(base), number(n));
}

/** sqrt(n) with small square factors taken out. */
function rootOf(n: bigint): Term {
  let rest = n;
  let outside = 1n;
  for (let p = 2n; p * p <= rest && p < 1000n; p += 1n) for (; rest % (p * p) === 0n; rest /= p * p) outside *= p;
  const coefficient = numeral(Q.rational(outside));
  return rest === 1n ? coefficient : product(coefficient, power(number(Q.rational(rest)), number(Q.HALF)));
}

function keyOf(term: Term): string {
  return [...term.factors.entries()]
    .map(([key, f]) => `${key}^${printFormula(f.exponent)}`)
    .sort()
    .join('*');
}

function collect(all: readonly Term[]): Term[] {
  const sums = new Map<string, Term>();
  for (const term of all) {
    const key = keyOf(term);
    const known = sums.get(key);
    sums.set(key, known === undefined ? term : { ...known, coefficient: Q.add(known.coefficient, term.coefficient) });
  }
  return [...sums.values()].filter((t) => !Q.isZero(t.coefficient));
}

function degree(term: Term): number {
  let total = 0;
  for (const { base, exponent } of term.factors.values())
    if (base.kind === 'variable') total += Q.toNumber(quotientOf(exponent) ?? Q.ZERO);
  return total;
}

const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Falling powers; equal ones by their text. A sum does not start with a minus when it can be helped. */
function build(sum: readonly Term[]): Expr {
  const sorted = [...sum].sort((a, b) => degree(b) - degree(a) || before(keyOf(a), keyOf(b)));
  const positive = sorted.findIndex((t) => t.coefficient.n > 0n);
  if (positive > 0) sorted.unshift(...sorted.splice(positive, 1));
  const [first, ...rest] = sorted;
  if (first === undefined) return integer(0);
  return rest.reduce(
    (e, t) =>
      t.coefficient.n < 0n
        ? binary('-', e, buildTerm({ ...t, coefficient: Q.negate(t.coefficient) }))
        : binary('+', e, buildTerm(t)),
    buildTerm(first),
  );
}

function rank({ base, exponent }: Factor): number {
  if (base.kind === 'number') return 0;
  if (base.kind === 'constant' && base.name === 'pi') return 1;
  if (base.kind === 'variable') return 2;
  if (base.kind === 'constant') return 3;
  if (base.kind === 'call') return 4 + (FUNCTION_ORDER.indexOf(base.fn) + 1 || 40) / 100;
  return exponent.kind === 'number' ? 5 : 6;
}

function buildTerm({ coefficient, factors }: Term): Expr {
  if (coefficient.n < 0n) return negation(buildTerm({ coefficient: Q.negate(coefficient), factors }));
  const above: Expr[] = coefficient.n === 1n ? [] : [number({ n: coefficient.n, d: 1n })];
  const below: Expr[] = coefficient.d === 1n ? [] : [number({ n: coefficient.d, d: 1n })];
  const sorted = [...factors.values()].sort(
    (a, b) => rank(a) - rank(b) || before(printFormula(a.base), printFormula(b.base)),
  );
  for (const { base, exponent } of sorted) {
    const n = quotientOf(exponent);
    if (n !== null && n.n < 0n) below.push(buildPower(base, number(Q.negate(n)), Q.negate(n)));
    else above.push(buildPower(base, exponent, n));
  }
  const top = above.length === 0 ? integer(1) : multiplied(above);
  return below.length === 0 ? top : binary('/', top, multiplied(below));
}

function multiplied([first, ...rest]: readonly Expr[]): Expr {
  return rest.reduce((a, b) => binary('*', a, b), first as Expr);
}

function buildPower(base: Expr, exponent: Expr, n: Rational | null): Expr {
  if (n === null) return binary('^', base, exponent);
  if (Q.isOne(n)) return base;
  if (Q.equal(n, Q.HALF)) return call('sqrt', base);
  return binary(
    '^',
    base,
    Q.isInteger(n) ? number(n) : binary('/', number({ n: n.n, d: 1n }), number({ n: n.d, d: 1n })),
  );
}
