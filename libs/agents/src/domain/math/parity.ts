import { type Expr, type FunctionName, variablesOf } from './ast.js';
import { printFormula } from './print.js';

export type Parity = 'even' | 'odd' | null;

const ODD: ReadonlySet<FunctionName> = new Set([
  'sin',
  'tan',
  'csc',
  'cot',
  'asin',
  'atan',
  'sinh',
  'tanh',
  'cbrt',
  'erf',
]);
const EVEN: ReadonlySet<FunctionName> = new Set(['cos', 'sec', 'cosh', 'abs']);

/** Is f(-x) always f(x), or always -f(x)? Proven from the formula's shape; null where the shape does not show it. */
export function parity(e: Expr, variable: string): Parity {
  if (!variablesOf(e).includes(variable)) return 'even';
  switch (e.kind) {
    case 'variable':
      return 'odd';
    case 'negate':
    case 'percent':
    case 'degrees':
      return parity(e.arg, variable);
    case 'call': {
      const [first] = e.args;
      const inner = e.args.length === 1 && first !== undefined ? parity(first, variable) : null;
      if (inner !== 'odd') return inner;
      return ODD.has(e.fn) ? 'odd' : EVEN.has(e.fn) ? 'even' : null;
    }
    case 'binary':
      return ofTwo(e, variable);
    default:
      return null;
  }
}

function ofTwo(e: Expr & { kind: 'binary' }, variable: string): Parity {
  const left = parity(e.left, variable);
  const right = parity(e.right, variable);
  switch (e.op) {
    case '+':
    case '-':
      return left !== null && left === right ? left : mirrored(e, variable);
    case '*':
    case 'of':
    case '/':
      return left === null || right === null ? null : left === right ? 'even' : 'odd';
    case '^': {
      const n = e.right.kind === 'number' ? e.right.value : null;
      if (left === 'even' && right === 'even') return 'even';
      return left === 'odd' && n?.d === 1n ? (n.n % 2n === 0n ? 'even' : 'odd') : null;
    }
    case 'mod':
      return null;
  }
}

/** e^x - e^(-x) and e^x + e^(-x): two powers of one base with opposite exponents. */
function mirrored(e: Expr & { kind: 'binary' }, variable: string): Parity {
  const { left, right } = e;
  if (left.kind !== 'binary' || right.kind !== 'binary' || left.op !== '^' || right.op !== '^') return null;
  if (variablesOf(left.left).includes(variable) || printFormula(left.left) !== printFormula(right.left)) return null;
  const [a, b] = [left.right, right.right];
  const opposite =
    (b.kind === 'negate' && printFormula(b.arg) === printFormula(a)) ||
    (a.kind === 'negate' && printFormula(a.arg) === printFormula(b));
  if (!opposite || parity(a, variable) !== 'odd') return null;
  return e.op === '-' ? 'odd' : 'even';
}
