import { children, type Expr, type FunctionName, some } from './ast.js';
import { MATH_LIMITS, MathRefusal } from './limits.js';
import { printForEngine } from './print.js';
import type { SymbolicTask } from './tasks.js';

const KNOWN: ReadonlySet<FunctionName> = new Set<FunctionName>([
  'sqrt',
  'cbrt',
  'abs',
  'exp',
  'ln',
  'log10',
  'log2',
  'logbase',
  'sin',
  'cos',
  'tan',
  'sec',
  'csc',
  'cot',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
]);
const LARGEST = 10n ** 30n;

/**
 * The request to the symbolic engine, rebuilt from the parsed formulas: no character of the query gets there as it came.
 * Throws MathRefusal for what the engine is known to be slow or wrong with.
 */
export function engineInput(task: SymbolicTask): string {
  const [expr, ...rest] = formulasOf(task);
  for (const e of [expr, ...rest]) refuseHeavy(e);
  const text = printForEngine(expr);
  switch (task.kind) {
    case 'derivative':
      return `diff(${text},${task.variable},${task.order})`;
    case 'integral':
    case 'definite':
      return `integrate(${text},${task.variable})`;
    case 'solve':
      return `solve(${text}-${printForEngine(task.right)},${task.variable})`;
    case 'rewrite':
      return `${task.how}(${text})`;
    case 'limit':
      return `limit(${text},${task.variable},${printForEngine(task.to)})`;
  }
}

function formulasOf(task: SymbolicTask): readonly [Expr, ...Expr[]] {
  switch (task.kind) {
    case 'definite':
      return [task.expr, task.from, task.to];
    case 'solve':
      return [task.left, task.right];
    case 'limit':
      return [task.expr, task.to];
    default:
      return [task.expr];
  }
}

function refuseHeavy(e: Expr): void {
  some(e, (n) => {
    if (n.kind === 'call' && !KNOWN.has(n.fn)) throw new MathRefusal(`calculus with ${n.fn} is not known here`);
    if (n.kind === 'factorial') throw new MathRefusal('calculus with factorials is not known here');
    if (n.kind === 'binary' && n.op === 'mod') throw new MathRefusal('calculus with remainders is not known here');
    if (n.kind === 'number' && (n.value.n > LARGEST || n.value.d > LARGEST))
      throw new MathRefusal('a number has more than 30 digits, too many for algebra');
    if (n.kind === 'binary' && n.op === '^' && numbersAbove(n.right, MATH_LIMITS.symbolicPower)) {
      throw new MathRefusal(`powers in algebra and calculus go up to ${MATH_LIMITS.symbolicPower}`);
    }
    return false;
  });
}

function numbersAbove(e: Expr, limit: number): boolean {
  if (e.kind === 'number') return e.value.n > BigInt(limit) * e.value.d;
  return (
    children(e).some((c) => numbersAbove(c, limit)) ||
    (e.kind === 'binary' && e.op === '^' && children(e).every((c) => c.kind === 'number'))
  );
}
