import * as B from './ball.js';
import { MATH_LIMITS, MathRefusal, MathUndefined, thousands } from './limits.js';
import * as Q from './rational.js';
import {
  about,
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

/** -1, 0 or 1; throws MathRefusal where zero cannot be told apart. */
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
      const long = (n < 0n || !Q.isInteger(base.q)) && BigInt(bits) * size > 1_600n;
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

export function squareRoot(v: Value): Value {
  if (signOf(v) < 0) throw new MathUndefined('the square root of a negative number is not a real number');
  const q = asRational(v);
  return (q === null ? null : exactSqrt(q)) ?? about(B.sqrtBall(toBall(v)));
}

export function rootOf(degree: Value, v: Value): Value {
  const k = asRational(degree);
  if (k === null || !Q.isInteger(k) || k.n < 1n || k.n > 1000n)
    throw new MathUndefined('the degree of a root is a whole number from 1 to 1,000');
  if (k.n === 2n) return squareRoot(v);
  if (signOf(v) >= 0) return powerOf(v, exact(Q.rational(1n, k.n)));
  if (k.n % 2n === 0n) throw new MathUndefined('an even root of a negative number is not a real number');
  return negateValue(powerOf(negateValue(v), exact(Q.rational(1n, k.n))));
}

export function logarithm(base: Value, v: Value): Value {
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
