import { MathRefusal, MathUndefined } from './limits.js';
import { bigAbs, bitLength, integerRoot, type Rational } from './rational.js';

/**
 * A real number that is known to lie within `(m - r) 2^e .. (m + r) 2^e`.
 * Integers only, so every machine gets the same digits; a rounding is right when both ends round to the same text.
 */
export interface Ball {
  readonly m: bigint;
  readonly e: number;
  readonly r: bigint;
}

const PRECISION = 320;
/** fraction bits of the series below; their error is far under 2^-WORK + 16 bits */
const WORK = 448;
const SLACK = 1n << 24n;

function normal(m: bigint, e: number, r: bigint): Ball {
  const excess = bitLength(m) - PRECISION;
  if (excess <= 0) return { m, e, r };
  const s = BigInt(excess);
  return { m: m >> s, e: e + excess, r: (r >> s) + 2n };
}

export function ballOf(a: Rational): Ball {
  if (a.d === 1n) return normal(a.n, 0, 0n);
  const shift = PRECISION + Math.max(0, bitLength(a.d) - bitLength(a.n));
  return normal((a.n << BigInt(shift)) / a.d, -shift, 1n);
}

function shifted(m: bigint, by: number): bigint {
  return by >= 0 ? m << BigInt(by) : m >> BigInt(-by);
}

export function negateBall(a: Ball): Ball {
  return { m: -a.m, e: a.e, r: a.r };
}

export function addBalls(a: Ball, b: Ball): Ball {
  const [low, high] = a.e <= b.e ? [a, b] : [b, a];
  const gap = high.e - low.e;
  if (gap <= 3 * PRECISION) return normal((high.m << BigInt(gap)) + low.m, low.e, (high.r << BigInt(gap)) + low.r);
  if (high.m === 0n && high.r === 0n) return low;
  const drop = gap - 2 * PRECISION;
  const s = BigInt(2 * PRECISION);
  return normal(
    (high.m << s) + shifted(low.m, -drop),
    high.e - 2 * PRECISION,
    (high.r << s) + shifted(low.r, -drop) + 2n,
  );
}

export function multiplyBalls(a: Ball, b: Ball): Ball {
  return normal(a.m * b.m, a.e + b.e, bigAbs(a.m) * b.r + bigAbs(b.m) * a.r + a.r * b.r);
}

export function divideBalls(a: Ball, b: Ball): Ball {
  const floor = bigAbs(b.m) - b.r;
  if (floor <= 0n) {
    if (b.m === 0n && b.r === 0n) throw new MathUndefined('division by zero is not defined');
    throw new MathRefusal('the divisor cannot be told apart from zero');
  }
  const shift = BigInt(Math.max(0, PRECISION + bitLength(b.m) - bitLength(a.m) + 8));
  const m = (a.m << shift) / b.m;
  const r = ((a.r << shift) + bigAbs(m) * b.r) / floor + 2n;
  return normal(m, a.e - b.e - Number(shift), r);
}

/** -1, 0 (exactly zero) or 1; throws MathRefusal where the ball holds zero and more. */
export function signOfBall(a: Ball): number {
  if (a.m > a.r) return 1;
  if (-a.m > a.r) return -1;
  if (a.m === 0n && a.r === 0n) return 0;
  throw new MathRefusal('the value cannot be told apart from zero');
}

/** Fixed point with WORK fraction bits, and the radius in the same unit. */
function fixed(a: Ball): { x: bigint; r: bigint } {
  const by = a.e + WORK;
  return by >= 0
    ? { x: a.m << BigInt(by), r: a.r << BigInt(by) }
    : { x: a.m >> BigInt(-by), r: (a.r >> BigInt(-by)) + 2n };
}

const fromFixed = (x: bigint, r: bigint): Ball => normal(x, -WORK, r + SLACK);
const UNIT = 1n << BigInt(WORK);
const mul = (a: bigint, b: bigint): bigint => (a * b) >> BigInt(WORK);
const div = (a: bigint, b: bigint): bigint => (a << BigInt(WORK)) / b;

function tooLarge(a: Ball, bits: number, what: string): void {
  if (bitLength(bigAbs(a.m) + a.r) + a.e > bits) throw new MathRefusal(what);
}

function arctanInverse(k: bigint, unit: bigint): bigint {
  let term = unit / k;
  let total = term;
  for (let n = 3n, s = -1n; term !== 0n; n += 2n, s = -s) {
    term /= k * k;
    total += (s * term) / n;
  }
  return total;
}

const PI_BITS = WORK + 256;
const PI_LONG = ((): bigint => {
  const unit = 1n << BigInt(PI_BITS + 32);
  return (4n * (4n * arctanInverse(5n, unit) - arctanInverse(239n, unit))) >> 32n;
})();
const PI_WORK = PI_LONG >> 256n;

/** 2 artanh(y), |y| <= 1/2 */
function doubleArtanh(y: bigint): bigint {
  const square = mul(y, y);
  let power = y;
  let total = y;
  for (let n = 3n; power !== 0n && power !== -1n; n += 2n) {
    power = mul(power, square);
    total += power / n;
  }
  return 2n * total;
}
const LN2 = doubleArtanh(UNIT / 3n);

export const PI_BALL = fromFixed(PI_WORK, 0n);

export function sqrtBall(a: Ball): Ball {
  const s = signOfBall(a);
  if (s === 0) return a;
  if (s < 0) throw new MathUndefined('the square root of a negative number is not a real number');
  const widen = 2 * PRECISION - Math.min(bitLength(a.m), 2 * PRECISION) + 8;
  const shift = widen + ((a.e - widen) & 1);
  const m = integerRoot(a.m << BigInt(shift), 2n);
  return normal(m, (a.e - shift) / 2, ((a.r << BigInt(shift)) + m) / m + 2n);
}

export function expBall(a: Ball): Ball {
  tooLarge(a, 13, 'the power of e is too large to write down');
  const { x, r } = fixed(a);
  if (r > UNIT) throw new MathRefusal('the power of e is not known closely enough');
  const k = (x + LN2 / 2n) / LN2 - (x + LN2 / 2n < 0n ? 1n : 0n);
  const halvings = 16n;
  const y = (x - k * LN2) >> halvings;
  let term = UNIT;
  let total = UNIT;
  for (let n = 1n; term !== 0n && term !== -1n; n += 1n) {
    term = mul(term, y) / n;
    total += term;
  }
  for (let i = 0n; i < halvings; i += 1n) total = mul(total, total);
  const result = normal(total, -WORK + Number(k), (mul(total, r + bigAbs(k)) << 1n) + (SLACK << 8n));
  return result;
}

export function lnBall(a: Ball): Ball {
  const s = signOfBall(a);
  if (s === 0) throw new MathUndefined('the logarithm of 0 is not defined');
  if (s < 0) throw new MathUndefined('the logarithm of a negative number is not a real number');
  if (a.r << 8n > a.m) throw new MathRefusal('the value cannot be told apart from zero');
  const bits = bitLength(a.m);
  let y = shifted(a.m, WORK - bits);
  let power = a.e + bits;
  for (; y < UNIT >> 1n; power -= 1) y <<= 1n;
  const total = doubleArtanh(div(y - UNIT, y + UNIT)) + BigInt(power) * LN2;
  const relative = shifted(a.r, WORK - bits) + 1n;
  return fromFixed(total, (relative << 5n) + BigInt(Math.abs(power)));
}

/** sine and cosine; the angle, in radians, is at most 2^200 */
export function sinCosBall(a: Ball): { sin: Ball; cos: Ball } {
  tooLarge(a, 200, 'the angle is too large');
  const by = a.e + PI_BITS;
  const long = shifted(a.m, by);
  const half = PI_LONG >> 1n;
  let quarter = (long + (half >> 1n)) / half;
  if (long + (half >> 1n) < 0n) quarter -= 1n;
  const x = (long - quarter * half) >> 256n;
  const r = fixed(a).r + 4n;
  const square = mul(x, x);
  let s = x;
  let c = UNIT;
  let term = x;
  for (let n = 2n; term !== 0n && term !== -1n; n += 2n) {
    term = -mul(term, square) / (n * (n + 1n));
    s += term;
  }
  term = UNIT;
  for (let n = 1n; term !== 0n && term !== -1n; n += 2n) {
    term = -mul(term, square) / (n * (n + 1n));
    c += term;
  }
  const turn = Number(((quarter % 4n) + 4n) % 4n);
  const sin = [s, c, -s, -c][turn] as bigint;
  const cos = [c, -s, -c, s][turn] as bigint;
  return { sin: fromFixed(sin, r), cos: fromFixed(cos, r) };
}

export function atanBall(a: Ball): Ball {
  const one: Ball = { m: 1n, e: 0, r: 0n };
  if (a.m === 0n && a.r === 0n) return a;
  if (bitLength(a.m) + a.e > 4) {
    const half = normal(PI_WORK, -WORK - 1, SLACK);
    const rest = atanBall(divideBalls(one, a));
    return addBalls(a.m > 0n ? half : negateBall(half), negateBall(rest));
  }
  const { x, r } = fixed(a);
  const halvings = 6;
  let y = x;
  for (let i = 0; i < halvings; i += 1) {
    const root = integerRoot((UNIT + mul(y, y)) << BigInt(WORK), 2n);
    y = div(y, UNIT + root);
  }
  const square = mul(y, y);
  let power = y;
  let total = y;
  for (let n = 3n, s = -1n; power !== 0n && power !== -1n; n += 2n, s = -s) {
    power = mul(power, square);
    total += (s * power) / n;
  }
  return fromFixed(total << BigInt(halvings), r);
}

/** Floor of the value when the whole ball has the same one. */
export function floorOfBall(a: Ball): bigint {
  const low = shifted(a.m - a.r, a.e);
  if (low !== shifted(a.m + a.r, a.e)) throw new MathRefusal('the value lies too close to a whole number to be cut');
  return low;
}

export function ballToNumber(a: Ball): number {
  const bits = bitLength(a.m);
  const cut = Math.max(0, bits - 64);
  return Number(a.m >> BigInt(cut)) * 2 ** (a.e + cut);
}
