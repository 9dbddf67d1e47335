import type { FunctionName } from './ast.js';
import * as B from './ball.js';
import { MATH_LIMITS, MathRefusal, MathUndefined, thousands } from './limits.js';
import { logarithm, rootOf, signOf, squareRoot } from './powers.js';
import * as Q from './rational.js';
import type { Rational } from './rational.js';
import { exactArc, exactSine } from './special-angles.js';
import {
  about,
  addValues,
  asRational,
  divideValues,
  exact,
  multiplyValues,
  negateValue,
  toBall,
  type Value,
} from './value.js';

const one = exact(Q.ONE);
const half = exact(Q.HALF);

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
    if (Q.bitLength(q.n) > 3_400) throw new MathRefusal(`the ${what} is computed for numbers of up to 1,000 digits`);
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
