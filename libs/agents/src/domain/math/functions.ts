import type { FunctionName } from './ast.js';
import * as B from './ball.js';
import { MATH_LIMITS, MathRefusal, MathUndefined, thousands } from './limits.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';
import { exactArc, exactSine } from './special-angles.js';
import {
  about,
  addValues,
  asRational,
  divideValues,
  exact,
  exactSqrt,
  multiplyValues,
  negateValue,
  toBall,
  type Value,
} from './value.js';

const one = exact(Q.ONE);
const half = exact(Q.HALF);

export function signOf(v: Value): number {
  return v.kind === 'exact' ? Q.sign(v.q) : B.signOfBall(v.ball);
}

export function factorial(v: Value): Value {
  const n = asRational(v);
  if (n === null || !Q.isInteger(n) || n.n < 0n)
    throw new MathUndefined('a factorial is defined for whole numbers from 0 up');
  if (n.n > BigInt(MATH_LIMITS.factorial))
    throw new MathRefusal(`factorials are computed up to ${thousands(MATH_LIMITS.factorial)}!`);
  let product = 1n;
  for (let i = 2n; i <= n.n; i += 1n) product *= i;
  return exact(Q.rational(product));
}

export function powerOf(base: Value, exponent: Value): Value {
  const p = asRational(exponent);
  if (p !== null && Q.isInteger(p)) return wholePower(base, p.n);
  const s = signOf(base);
  if (s < 0) throw new MathUndefined('a negative number to a fractional power is not a real number');
  if (s === 0) {
    if (signOf(exponent) < 0) throw new MathUndefined('0 to a negative power would divide by zero');
    return exact(Q.ZERO);
  }
  const q = asRational(base);
  if (q !== null && p !== null && p.d <= 64n) {
    const root = Q.exactRoot(q, p.d);
    if (root !== null) return wholePower(exact(root), p.n);
    const surd = p.d === 2n ? exactSqrt(q) : null;
    if (surd !== null) return wholePower(surd, p.n);
  }
  return about(B.expBall(B.multiplyBalls(toBall(exponent), B.lnBall(toBall(base)))));
}

function wholePower(base: Value, n: bigint): Value {
  const size = Q.bigAbs(n);
  if (base.kind === 'exact') {
    const pi = Number(base.pi) * Number(n);
    if (base.root === 1n && base.pi === 0) {
      const bits = Math.max(Q.bitLength(base.q.n), Q.bitLength(base.q.d));
      const long = !Q.isInteger(base.q) && BigInt(bits) * size > 13_000n;
      return long ? powerByLogarithm(base, n) : exact(Q.power(base.q, n));
    }
    if (Math.abs(pi) <= 8) {
      const outside = Q.multiply(Q.power(base.q, size), Q.power(Q.rational(base.root), size / 2n));
      const positive = exact(outside, size % 2n === 1n ? base.root : 1n, base.pi * Number(size));
      return n < 0n ? divideValues(one, positive) : positive;
    }
  }
  if (size > 1_000n) return powerByLogarithm(base, n);
  let result: Value = one;
  let square: Value = base;
  for (let rest = size; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiplyValues(result, square);
    if (rest > 1n) square = multiplyValues(square, square);
  }
  return n < 0n ? divideValues(one, result) : result;
}

/** Rounded, where the exact fraction would be too long: 1.0001^10000. */
function powerByLogarithm(base: Value, n: bigint): Value {
  const negative = signOf(base) < 0;
  const size = B.lnBall(toBall(negative ? negateValue(base) : base));
  const result = about(B.expBall(B.multiplyBalls(size, { m: n, e: 0, r: 0n })));
  return negative && n % 2n !== 0n ? negateValue(result) : result;
}

function squareRoot(v: Value): Value {
  if (signOf(v) < 0) throw new MathUndefined('the square root of a negative number is not a real number');
  const q = asRational(v);
  return (q === null ? null : exactSqrt(q)) ?? about(B.sqrtBall(toBall(v)));
}

function rootOf(degree: Value, v: Value): Value {
  const k = asRational(degree);
  if (k === null || !Q.isInteger(k) || k.n < 1n || k.n > 1000n)
    throw new MathUndefined('the degree of a root is a whole number from 1 to 1,000');
  if (k.n === 2n) return squareRoot(v);
  if (signOf(v) >= 0) return powerOf(v, exact(Q.rational(1n, k.n)));
  if (k.n % 2n === 0n) throw new MathUndefined('an even root of a negative number is not a real number');
  return negateValue(powerOf(negateValue(v), exact(Q.rational(1n, k.n))));
}

function logarithm(base: Value, v: Value): Value {
  if (signOf(v) === 0) throw new MathUndefined('the logarithm of 0 is not defined');
  if (signOf(v) < 0) throw new MathUndefined('the logarithm of a negative number is not a real number');
  const b = asRational(base);
  if (signOf(base) <= 0 || (b !== null && Q.isOne(b)))
    throw new MathUndefined('the base of a logarithm is positive and not 1');
  const ratio = B.divideBalls(B.lnBall(toBall(v)), B.lnBall(toBall(base)));
  const q = asRational(v);
  if (b === null || q === null) return about(ratio);
  for (const d of [1n, 2n, 3n]) {
    const guess = B.ballToNumber(ratio) * Number(d);
    const n = BigInt(Math.abs(guess) < 14_000 ? Math.round(guess) : 0);
    if (Math.abs(guess - Number(n)) < 1e-9 && Q.equal(Q.power(b, n), Q.power(q, d))) return exact(Q.rational(n, d));
  }
  return about(ratio);
}

/** The angle as a share of pi, or null. */
function shareOfPi(v: Value): Rational | null {
  if (v.kind !== 'exact' || v.root !== 1n) return null;
  return v.q.n === 0n ? v.q : v.pi === 1 ? v.q : null;
}

function sine(v: Value): Value {
  const share = shareOfPi(v);
  return (share === null ? null : exactSine(share)) ?? about(B.sinCosBall(toBall(v)).sin);
}
function cosine(v: Value): Value {
  const share = shareOfPi(v);
  return (share === null ? null : exactSine(Q.add(share, Q.HALF))) ?? about(B.sinCosBall(toBall(v)).cos);
}

function over(top: Value, bottom: Value, what: string): Value {
  if (signOf(bottom) === 0) throw new MathUndefined(`the ${what} is not defined at this angle`);
  return divideValues(top, bottom);
}

function arcsine(v: Value): Value {
  const known = v.kind === 'exact' ? exactArc('sin', v) : null;
  if (known !== null) return known;
  const rest = addValues(one, negateValue(multiplyValues(v, v)));
  if (signOf(rest) < 0) throw new MathUndefined('an arcsine or arccosine takes a value from -1 to 1');
  return about(B.atanBall(B.divideBalls(toBall(v), B.sqrtBall(toBall(rest)))));
}

function exponential(v: Value): Value {
  return signOf(v) === 0 ? one : about(B.expBall(toBall(v)));
}

function hyperbolic(v: Value, minus: boolean): Value {
  if (signOf(v) === 0) return minus ? v : one;
  const up = exponential(v);
  const down = exponential(negateValue(v));
  return multiplyValues(half, addValues(up, minus ? negateValue(down) : down));
}

function floorValue(v: Value): Value {
  const q = asRational(v);
  return exact(Q.rational(q === null ? B.floorOfBall(toBall(v)) : Q.floor(q)));
}

/** Halves go away from zero, as people round. */
function round(v: Value): Value {
  return signOf(v) < 0 ? negateValue(round(negateValue(v))) : floorValue(addValues(v, half));
}

export function remainder(a: Value, b: Value): Value {
  const p = asRational(a);
  const q = asRational(b);
  if (p !== null && q !== null) return exact(Q.modulo(p, q));
  if (signOf(b) === 0) throw new MathUndefined('a remainder after division by zero is not defined');
  return addValues(a, negateValue(multiplyValues(b, floorValue(divideValues(a, b)))));
}

function wholes(args: readonly Value[], what: string): bigint[] {
  return args.map((v) => {
    const q = asRational(v);
    if (q === null || !Q.isInteger(q)) throw new MathUndefined(`the ${what} is defined for whole numbers`);
    return q.n;
  });
}

function choose(args: readonly Value[]): Value {
  const [n = 0n, k = 0n] = wholes(args, 'number of choices');
  if (n < 0n || k < 0n) throw new MathUndefined('the number of choices is defined for whole numbers from 0 up');
  if (k > n) return exact(Q.ZERO);
  const small = k < n - k ? k : n - k;
  if (small > BigInt(MATH_LIMITS.factorial))
    throw new MathRefusal(`choices are computed up to ${thousands(MATH_LIMITS.factorial)} members`);
  let product: Rational = Q.ONE;
  for (let i = 1n; i <= small; i += 1n) product = Q.multiply(product, Q.rational(n - small + i, i));
  return exact(product);
}

function extreme(args: readonly Value[], direction: number): Value {
  return args.reduce((best, v) => (signOf(addValues(v, negateValue(best))) === direction ? v : best));
}

function sum(args: readonly Value[]): Value {
  return args.reduce(addValues);
}

function lcm(a: bigint, b: bigint): bigint {
  return a === 0n || b === 0n ? 0n : Q.rational(Q.bigAbs((a / Q.gcd(a, b)) * b)).n;
}

/** A function of the grammar at exact or enclosed values. Throws MathUndefined or MathRefusal. */
export function applyFunction(fn: FunctionName, args: readonly Value[]): Value {
  const [a = exact(Q.ZERO), b = a] = args;
  switch (fn) {
    case 'sqrt':
      return squareRoot(a);
    case 'cbrt':
      return rootOf(exact(Q.fromInt(3)), a);
    case 'root':
      return rootOf(a, b);
    case 'abs':
      return signOf(a) < 0 ? negateValue(a) : a;
    case 'exp':
      return exponential(a);
    case 'ln':
      return asRational(a) !== null && Q.isOne(asRational(a) ?? Q.ZERO) ? exact(Q.ZERO) : about(B.lnBall(toBall(a)));
    case 'log':
    case 'log10':
      return logarithm(exact(Q.fromInt(10)), a);
    case 'log2':
      return logarithm(exact(Q.fromInt(2)), a);
    case 'logbase':
      return logarithm(a, b);
    case 'sin':
      return sine(a);
    case 'cos':
      return cosine(a);
    case 'tan':
      return over(sine(a), cosine(a), 'tangent');
    case 'sec':
      return over(one, cosine(a), 'secant');
    case 'csc':
      return over(one, sine(a), 'cosecant');
    case 'cot':
      return over(cosine(a), sine(a), 'cotangent');
    case 'asin':
      return arcsine(a);
    case 'acos':
      return addValues(exact(Q.HALF, 1n, 1), negateValue(arcsine(a)));
    case 'atan':
      return (a.kind === 'exact' ? exactArc('tan', a) : null) ?? about(B.atanBall(toBall(a)));
    case 'sinh':
      return hyperbolic(a, true);
    case 'cosh':
      return hyperbolic(a, false);
    case 'tanh':
      return divideValues(hyperbolic(a, true), hyperbolic(a, false));
    case 'floor':
      return floorValue(a);
    case 'ceil':
      return negateValue(floorValue(negateValue(a)));
    case 'round':
      return round(a);
    case 'erf':
      throw new MathRefusal('the error function is only known to the calculus part');
    case 'min':
      return extreme(args, -1);
    case 'max':
      return extreme(args, 1);
    case 'gcd':
      return exact(Q.rational(wholes(args, 'greatest common divisor').reduce(Q.gcd)));
    case 'lcm':
      return exact(Q.rational(wholes(args, 'least common multiple').reduce(lcm)));
    case 'sum':
      return sum(args);
    case 'average':
      return divideValues(sum(args), exact(Q.fromInt(args.length)));
    case 'product':
      return args.reduce(multiplyValues);
    case 'choose':
      return choose(args);
  }
}
