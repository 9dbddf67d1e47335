import { addBalls, type Ball, ballOf, divideBalls, multiplyBalls, PI_BALL, sqrtBall } from './ball.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';

/** `q sqrt(root) pi^pi`, exactly; `root` is positive, and 1 for a fraction. */
export interface Exact {
  readonly kind: 'exact';
  readonly q: Rational;
  readonly root: bigint;
  readonly pi: number;
}

export interface Approximate {
  readonly kind: 'about';
  readonly ball: Ball;
}

export type Value = Exact | Approximate;

const SMALL_PRIMES: readonly bigint[] = Array.from({ length: 996 }, (_, i) => i + 2)
  .filter((n) => !Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, i) => i + 2).some((d) => n % d === 0))
  .map(BigInt);
const LARGEST_RADICAND = 10n ** 24n;

export function exact(q: Rational, root = 1n, pi = 0): Exact {
  return q.n === 0n ? { kind: 'exact', q, root: 1n, pi: 0 } : { kind: 'exact', q, root, pi };
}
export const about = (ball: Ball): Approximate => ({ kind: 'about', ball });

/** The value as a plain fraction, or null. */
export function asRational(v: Value): Rational | null {
  return v.kind === 'exact' && v.root === 1n && v.pi === 0 ? v.q : null;
}

export function toBall(v: Value): Ball {
  if (v.kind === 'about') return v.ball;
  let ball = ballOf(v.q);
  if (v.root !== 1n) ball = multiplyBalls(ball, sqrtBall(ballOf(Q.rational(v.root))));
  for (let i = 0; i < Math.abs(v.pi); i += 1)
    ball = v.pi > 0 ? multiplyBalls(ball, PI_BALL) : divideBalls(ball, PI_BALL);
  return ball;
}

export function addValues(a: Value, b: Value): Value {
  if (a.kind === 'exact' && b.kind === 'exact') {
    if (a.q.n === 0n) return b;
    if (b.q.n === 0n) return a;
    if (a.root === b.root && a.pi === b.pi) return exact(Q.add(a.q, b.q), a.root, a.pi);
  }
  return about(addBalls(toBall(a), toBall(b)));
}

export function negateValue(a: Value): Value {
  return a.kind === 'exact' ? exact(Q.negate(a.q), a.root, a.pi) : about({ ...a.ball, m: -a.ball.m });
}

export function multiplyValues(a: Value, b: Value): Value {
  if (a.kind === 'exact' && a.q.n === 0n) return a;
  if (b.kind === 'exact' && b.q.n === 0n) return b;
  if (a.kind === 'exact' && b.kind === 'exact' && Math.abs(a.pi + b.pi) <= 8) {
    if (a.root === 1n && b.root === 1n) return exact(Q.multiply(a.q, b.q), 1n, a.pi + b.pi);
    const g = Q.gcd(a.root, b.root);
    const root = (a.root / g) * (b.root / g);
    if (root <= LARGEST_RADICAND) return exact(Q.multiply(Q.multiply(a.q, b.q), Q.rational(g)), root, a.pi + b.pi);
  }
  return about(multiplyBalls(toBall(a), toBall(b)));
}

export function divideValues(a: Value, b: Value): Value {
  if (a.kind === 'exact' && b.kind === 'exact' && b.root === 1n && Math.abs(a.pi - b.pi) <= 8) {
    return exact(Q.divide(a.q, b.q), a.root, a.pi - b.pi);
  }
  if (b.kind === 'exact' && (a.kind === 'exact' || b.q.n === 0n)) {
    return multiplyValues(a, exact(Q.divide(Q.ONE, Q.multiply(b.q, Q.rational(b.root))), b.root, -b.pi));
  }
  return about(divideBalls(toBall(a), toBall(b)));
}

/** The square root of a non-negative fraction as `q sqrt(root)`, or null when its radicand is too large to reduce. */
export function exactSqrt(a: Rational): Exact | null {
  const whole = Q.exactRoot(a, 2n);
  if (whole !== null) return exact(whole);
  let rest = a.n * a.d;
  if (rest > LARGEST_RADICAND) return null;
  let outside = 1n;
  for (const p of SMALL_PRIMES) {
    const square = p * p;
    if (square > rest) break;
    for (; rest % square === 0n; rest /= square) outside *= p;
  }
  return exact(Q.rational(outside, a.d), rest);
}
