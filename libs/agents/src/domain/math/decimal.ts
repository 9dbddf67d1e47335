import type { Ball } from './ball.js';
import { MATH_LIMITS, MathRefusal, thousands } from './limits.js';
import { bigAbs, bitLength, type Rational } from './rational.js';
import { asRational, type Exact, toBall, type Value } from './value.js';

/** Significant digits of a rounded result. */
export const SIGNIFICANT_DIGITS = 12;
const LONGEST_EXACT = 40;

export interface Rendered {
  /** exact, or rounded half away from zero to 12 significant digits where `rounded` */
  readonly text: string;
  readonly rounded: boolean;
  /** the exact value where it can be written shortly: "10/3", "2*sqrt(2)"; null for an approximation */
  readonly exact: string | null;
}

interface Digits {
  readonly negative: boolean;
  /** significant digits, without a point */
  readonly digits: string;
  /** power of ten of the first digit */
  readonly exponent: number;
}

/** n / d to a number of significant digits, half away from zero. */
function significant(n: bigint, d: bigint, count: number): Digits {
  const size = bigAbs(n);
  if (size === 0n) return { negative: false, digits: '0', exponent: 0 };
  let exponent = Math.floor((bitLength(size) - bitLength(d)) * 0.30103) - 2;
  const reaches = (power: number): boolean =>
    power >= 0 ? size >= d * 10n ** BigInt(power) : size * 10n ** BigInt(-power) >= d;
  if (Math.abs(exponent) > 40_000) throw new MathRefusal('the number is too large or too small to write down');
  while (reaches(exponent + 1)) exponent += 1;
  const shift = count - 1 - exponent;
  const top = shift >= 0 ? size * 10n ** BigInt(shift) : size;
  const bottom = shift >= 0 ? d : d * 10n ** BigInt(-shift);
  let digits = ((2n * top + bottom) / (2n * bottom)).toString();
  if (digits.length > count) {
    exponent += digits.length - count;
    digits = digits.slice(0, count);
  }
  return { negative: n < 0n, digits, exponent };
}

function layOut({ negative, digits, exponent }: Digits): string {
  const trimmed = digits.replace(/0+$/, '') || '0';
  const sign = negative ? '-' : '';
  if (exponent < -7 || exponent > 20) {
    const mantissa = trimmed.length === 1 ? trimmed : `${trimmed[0]}.${trimmed.slice(1)}`;
    return `${sign}${mantissa} * 10^${exponent}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${trimmed}`;
  const padded = trimmed.padEnd(exponent + 1, '0');
  const fraction = padded.slice(exponent + 1);
  return sign + padded.slice(0, exponent + 1) + (fraction === '' ? '' : `.${fraction}`);
}

/** The finite decimal of a fraction, or null when it has none (or one longer than any result may be). */
export function finiteDecimal(a: Rational): string | null {
  let rest = a.d;
  let twos = 0;
  let fives = 0;
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  if (rest !== 1n) return null;
  const places = Math.max(twos, fives);
  const digits = ((bigAbs(a.n) * 10n ** BigInt(places)) / a.d).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return (a.n < 0n ? '-' : '') + whole + (places === 0 ? '' : `.${digits.slice(-places)}`);
}

export function fractionText(a: Rational): string {
  return a.d === 1n ? a.n.toString() : `${a.n}/${a.d}`;
}

function renderRational(a: Rational): Rendered {
  if (a.d === 1n) {
    const text = a.n.toString();
    if (text.length > MATH_LIMITS.digits + 1)
      throw new MathRefusal(`the result has more than ${thousands(MATH_LIMITS.digits)} digits`);
    return { text, rounded: false, exact: text };
  }
  const decimal = finiteDecimal(a);
  if (decimal !== null && decimal.replace(/^-?0*\.?0*|\./g, '').length <= SIGNIFICANT_DIGITS && decimal.length <= 24) {
    return { text: decimal, rounded: false, exact: decimal };
  }
  const fraction = decimal !== null && decimal.length <= LONGEST_EXACT ? decimal : fractionText(a);
  return {
    text: layOut(significant(a.n, a.d, SIGNIFICANT_DIGITS)),
    rounded: true,
    exact: fraction.length <= LONGEST_EXACT ? fraction : null,
  };
}

function renderBall(ball: Ball): string {
  const unit = (m: bigint, count: number): string =>
    layOut(ball.e >= 0 ? significant(m << BigInt(ball.e), 1n, count) : significant(m, 1n << BigInt(-ball.e), count));
  if (bigAbs(ball.m) <= ball.r) throw new MathRefusal('the result cannot be told apart from zero');
  for (let count = SIGNIFICANT_DIGITS; count >= 9; count -= 1) {
    const low = unit(ball.m - ball.r, count);
    if (low === unit(ball.m + ball.r, count)) return low;
  }
  throw new MathRefusal('the result cannot be rounded safely');
}

/** "2*sqrt(2)/3", "pi/4" */
export function exactText(v: Exact): string {
  const factors: string[] = [];
  const below: string[] = [];
  const top = bigAbs(v.q.n);
  if (v.root !== 1n) factors.push(`sqrt(${v.root})`);
  if (v.pi !== 0) (v.pi > 0 ? factors : below).push(Math.abs(v.pi) === 1 ? 'pi' : `pi^${Math.abs(v.pi)}`);
  if (top !== 1n || factors.length === 0) factors.unshift(top.toString());
  if (v.q.d !== 1n) below.unshift(v.q.d.toString());
  const bottom = below.length === 0 ? '' : below.length === 1 ? `/${below[0]}` : `/(${below.join('*')})`;
  return `${v.q.n < 0n ? '-' : ''}${factors.join('*')}${bottom}`;
}

/** A value for people. Throws MathRefusal above 2,000 digits, or where its rounding is not certain. */
export function renderValue(v: Value): Rendered {
  const q = asRational(v);
  if (q !== null) return renderRational(q);
  if (v.kind === 'about') return { text: renderBall(v.ball), rounded: true, exact: null };
  const exact = exactText(v);
  return { text: renderBall(toBall(v)), rounded: true, exact: exact.length <= LONGEST_EXACT ? exact : null };
}
