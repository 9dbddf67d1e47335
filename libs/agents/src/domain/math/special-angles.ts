import * as Q from './rational.js';
import type { Rational } from './rational.js';
import { type Exact, exact, negateValue } from './value.js';

const value = (n: bigint, d: bigint, root = 1n): Exact => exact(Q.rational(n, d), root);

/** Angles as a share of pi, in the first quadrant, with their sine and tangent. */
const TABLE: readonly { readonly angle: Rational; readonly sin: Exact; readonly tan: Exact | null }[] = [
  { angle: Q.ZERO, sin: value(0n, 1n), tan: value(0n, 1n) },
  { angle: Q.rational(1n, 6n), sin: value(1n, 2n), tan: value(1n, 3n, 3n) },
  { angle: Q.rational(1n, 4n), sin: value(1n, 2n, 2n), tan: value(1n, 1n) },
  { angle: Q.rational(1n, 3n), sin: value(1n, 2n, 3n), tan: value(1n, 1n, 3n) },
  { angle: Q.HALF, sin: value(1n, 1n), tan: null },
];

/** sin(angle pi) where it is `q sqrt(n)` in the table of every schoolbook, else null. */
export function exactSine(angle: Rational): Exact | null {
  const turn = Q.modulo(angle, Q.fromInt(2));
  const lower = Q.compare(turn, Q.ONE) >= 0;
  const half = lower ? Q.subtract(turn, Q.ONE) : turn;
  const quarter = Q.compare(half, Q.HALF) > 0 ? Q.subtract(Q.ONE, half) : half;
  const found = TABLE.find((row) => Q.equal(row.angle, quarter));
  if (found === undefined) return null;
  return lower ? (negateValue(found.sin) as Exact) : found.sin;
}

/** The angle whose sine (or tangent) is the value, as an exact multiple of pi, or null. */
export function exactArc(kind: 'sin' | 'tan', v: Exact): Exact | null {
  for (const row of TABLE) {
    const known = row[kind];
    if (known === null || v.pi !== 0 || known.root !== v.root) continue;
    if (Q.equal(known.q, v.q)) return exact(row.angle, 1n, 1);
    if (Q.equal(known.q, Q.negate(v.q))) return exact(Q.negate(row.angle), 1n, 1);
  }
  return null;
}
