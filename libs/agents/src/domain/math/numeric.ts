import type { Expr, FunctionName } from './ast.js';
import { toNumber } from './rational.js';

/** Values of the variables. */
export type Point = ReadonlyMap<string, number>;

/** The value in doubles; NaN where it is not a real number. Used to check, never to answer. */
export function numericValue(e: Expr, at: Point): number {
  switch (e.kind) {
    case 'number':
      return toNumber(e.value);
    case 'constant':
      return e.name === 'pi' ? Math.PI : e.name === 'e' ? Math.E : Infinity;
    case 'variable':
      return at.get(e.name) ?? NaN;
    case 'negate':
      return -numericValue(e.arg, at);
    case 'percent':
      return numericValue(e.arg, at) / 100;
    case 'degrees':
      return (numericValue(e.arg, at) * Math.PI) / 180;
    case 'factorial':
      return factorial(numericValue(e.arg, at));
    case 'call':
      return callValue(
        e.fn,
        e.args.map((a) => numericValue(a, at)),
      );
    case 'binary': {
      const left = numericValue(e.left, at);
      const right = numericValue(e.right, at);
      switch (e.op) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
        case 'of':
          return left * right;
        case '/':
          return right === 0 ? NaN : left / right;
        case 'mod':
          return left - right * Math.floor(left / right);
        case '^':
          return powerValue(left, right);
      }
    }
  }
}

function powerValue(base: number, exponent: number): number {
  if (base === 0 && exponent <= 0) return NaN;
  return base ** exponent;
}

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) return NaN;
  let product = 1;
  for (let i = 2; i <= n; i += 1) product *= i;
  return product;
}

const DIRECT: Readonly<Partial<Record<FunctionName, (x: number) => number>>> = {
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  abs: Math.abs,
  exp: Math.exp,
  ln: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  sec: (x) => 1 / Math.cos(x),
  csc: (x) => 1 / Math.sin(x),
  cot: (x) => 1 / Math.tan(x),
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  floor: Math.floor,
  ceil: Math.ceil,
  round: (x) => Math.sign(x) * Math.floor(Math.abs(x) + 0.5),
  erf,
};

function callValue(fn: FunctionName, args: readonly number[]): number {
  const [a = NaN, b = NaN] = args;
  const direct = DIRECT[fn];
  if (direct !== undefined) return direct(a);
  switch (fn) {
    case 'min':
      return Math.min(...args);
    case 'max':
      return Math.max(...args);
    case 'sum':
      return args.reduce((x, y) => x + y, 0);
    case 'product':
      return args.reduce((x, y) => x * y, 1);
    case 'average':
      return args.reduce((x, y) => x + y, 0) / args.length;
    case 'logbase':
      return Math.log(b) / Math.log(a);
    case 'root':
      return b < 0 && a % 2 === 1 ? -((-b) ** (1 / a)) : b ** (1 / a);
    default:
      return NaN;
  }
}

/** Error function: Maclaurin series below 3, continued fraction above. */
function erf(x: number): number {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  if (size < 3) {
    let term = size;
    let total = size;
    for (let n = 1; Math.abs(term) > 1e-18 * total && n < 200; n += 1) {
      term *= -(size * size) / n;
      total += term / (2 * n + 1);
    }
    return (Math.sign(x) * 2 * total) / Math.sqrt(Math.PI);
  }
  let tail = 0;
  for (let k = 60; k > 0; k -= 1) tail = k / 2 / (size + tail);
  return Math.sign(x) * (1 - Math.exp(-size * size) / (Math.sqrt(Math.PI) * (size + tail)));
}
