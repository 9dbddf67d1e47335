import { MATH_LIMITS, MathRefusal, MathUndefined, thousands } from './limits.js';

/** An exact fraction in lowest terms, `d > 0`. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

const MAX_BITS = Math.ceil((MATH_LIMITS.workingDigits * 10) / 3);
const TOO_LONG = 10n ** BigInt(MATH_LIMITS.workingDigits);
const TOO_LONG_REASON = `a number on the way to the result would have more than ${thousands(MATH_LIMITS.workingDigits)} digits`;

export const ZERO: Rational = { n: 0n, d: 1n };
export const ONE: Rational = { n: 1n, d: 1n };
export const HALF: Rational = { n: 1n, d: 2n };

export function bigAbs(a: bigint): bigint {
  return a < 0n ? -a : a;
}

export function gcd(a: bigint, b: bigint): bigint {
  let x = bigAbs(a);
  let y = bigAbs(b);
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

const DEEP = 10n ** BigInt(MATH_LIMITS.denominatorDigits);
const TOO_DEEP_REASON = `a fraction on the way to the result would have more than ${thousands(MATH_LIMITS.denominatorDigits)} digits below its line`;

function guard(a: bigint): bigint {
  if (a >= TOO_LONG || -a >= TOO_LONG) throw new MathRefusal(TOO_LONG_REASON);
  return a;
}

/** A fraction in lowest terms. Throws MathUndefined on a zero denominator, MathRefusal above 2,000 digits. */
export function rational(n: bigint, d = 1n): Rational {
  if (d === 1n) return { n: guard(n), d };
  if (d === 0n) throw new MathUndefined('division by zero is not defined');
  const g = gcd(n, d);
  const sign = d < 0n ? -1n : 1n;
  const below = (sign * d) / g;
  if (below >= DEEP) throw new MathRefusal(TOO_DEEP_REASON);
  return { n: guard((sign * n) / g), d: below };
}

export const fromInt = (n: number): Rational => ({ n: BigInt(n), d: 1n });
export const isInteger = (a: Rational): boolean => a.d === 1n;
export const isZero = (a: Rational): boolean => a.n === 0n;
export const isOne = (a: Rational): boolean => a.n === 1n && a.d === 1n;
export const sign = (a: Rational): number => (a.n > 0n ? 1 : a.n < 0n ? -1 : 0);
export const negate = (a: Rational): Rational => ({ n: -a.n, d: a.d });
export const equal = (a: Rational, b: Rational): boolean => a.n === b.n && a.d === b.d;
export const compare = (a: Rational, b: Rational): number => sign({ n: a.n * b.d - b.n * a.d, d: 1n });

export function add(a: Rational, b: Rational): Rational {
  return a.d === 1n && b.d === 1n ? rational(a.n + b.n) : rational(a.n * b.d + b.n * a.d, a.d * b.d);
}
export function subtract(a: Rational, b: Rational): Rational {
  return add(a, negate(b));
}
export function multiply(a: Rational, b: Rational): Rational {
  return rational(a.n * b.n, a.d * b.d);
}
export function divide(a: Rational, b: Rational): Rational {
  return rational(a.n * b.d, a.d * b.n);
}

export function floor(a: Rational): bigint {
  const q = a.n / a.d;
  return a.n < 0n && q * a.d !== a.n ? q - 1n : q;
}

/** a - b floor(a / b): the sign of the divisor, as mathematics has it. */
export function modulo(a: Rational, b: Rational): Rational {
  if (isZero(b)) throw new MathUndefined('a remainder after division by zero is not defined');
  return subtract(a, multiply(b, rational(floor(divide(a, b)))));
}

export function bitLength(a: bigint): number {
  return a === 0n ? 0 : bigAbs(a).toString(16).length * 4;
}

/** Whole power; the size of the result is bounded before anything is multiplied. */
export function power(a: Rational, exponent: bigint): Rational {
  if (exponent === 0n) {
    if (isZero(a)) throw new MathUndefined('0 to the power 0 is not defined');
    return ONE;
  }
  if (isZero(a)) {
    if (exponent < 0n) throw new MathUndefined('0 to a negative power would divide by zero');
    return ZERO;
  }
  const size = bigAbs(exponent);
  if (a.d === 1n && (a.n === 1n || a.n === -1n)) return size % 2n === 0n ? ONE : a;
  const bits = Math.max(bitLength(a.n), bitLength(a.d)) - 4;
  if (size > BigInt(MAX_BITS) * 4n || Math.max(bits, 1) * Number(size) > MAX_BITS + 64) {
    throw new MathRefusal(TOO_LONG_REASON);
  }
  return exponent > 0n ? rational(a.n ** size, a.d ** size) : rational(a.d ** size, a.n ** size);
}

/** Floor of the k-th root of a non-negative integer. */
export function integerRoot(a: bigint, k: bigint): bigint {
  if (a < 2n || k === 1n) return a;
  let x = 1n << BigInt(Math.floor(bitLength(a) / Number(k)) + 1);
  for (;;) {
    const next = ((k - 1n) * x + a / x ** (k - 1n)) / k;
    if (next >= x) return x;
    x = next;
  }
}

/** The exact k-th root of a non-negative fraction, or null when it is irrational. */
export function exactRoot(a: Rational, k: bigint): Rational | null {
  const n = integerRoot(a.n, k);
  if (n ** k !== a.n) return null;
  const d = integerRoot(a.d, k);
  return d ** k === a.d ? { n, d } : null;
}

/** The nearest double; also right where numerator and denominator exceed the range of doubles. */
export function toNumber(a: Rational): number {
  if (a.d === 1n) return Number(a.n);
  const shift = Math.max(0, Math.min(bitLength(a.n), bitLength(a.d)) - 1000);
  if (bitLength(a.n) < 1000 && bitLength(a.d) < 1000) {
    const extra = Math.max(0, bitLength(a.d) - bitLength(a.n) + 128);
    return extra < 1000 ? Number((a.n << BigInt(extra)) / a.d) / 2 ** extra : 0;
  }
  return Number(a.n >> BigInt(shift)) / Number(a.d >> BigInt(shift));
}

/** A double as the fraction that its shortest text stands for. */
export function fromNumber(x: number): Rational {
  const size = fromDecimal(String(Math.abs(x)));
  return x < 0 ? negate(size) : size;
}

/** `"-12.50"`, `"1e-3"` to an exact fraction. The text must match /^\d*\.?\d*(e[+-]?\d+)?$/. */
export function fromDecimal(text: string): Rational {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = Number(exponent) - fraction.length;
  if (whole.length + fraction.length > MATH_LIMITS.digits || Math.abs(scale) > MATH_LIMITS.digits)
    throw new MathRefusal(`a number has more than ${thousands(MATH_LIMITS.digits)} digits`);
  const n = BigInt(whole + fraction || '0');
  return scale >= 0 ? rational(n * 10n ** BigInt(scale)) : rational(n, 10n ** BigInt(-scale));
}
