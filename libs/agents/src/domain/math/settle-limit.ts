import { type Expr, substitute, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { signOf } from './powers.js';
import * as Q from './rational.js';
import { type Series, seriesOf, trimmed } from './series.js';
import type { SymbolicTask } from './tasks.js';
import { addValues, exact, negateValue, type Value } from './value.js';
import { infinite } from './verify-limit.js';

/** Where a formula goes: to a value that is exact or enclosed to some 90 digits, to an infinity, or to different ends. */
export type Settled =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'infinite'; readonly sign: -1 | 1 }
  | { readonly kind: 'none' };

type Limit = SymbolicTask & { kind: 'limit' };

/** Powers of the small quantity that roots are taken of: t, t^2 for square roots, t^3 for cube roots. */
const STRETCHES = [1, 2, 3];
const TERMS = 14;

/**
 * The limit by the formula's power series on each side of the goal: proven where it is found; null where there is no
 * series, or a coefficient cannot be told apart from zero.
 */
export function settleLimit(task: Limit): Settled | null {
  if (variablesOf(task.expr).some((name) => name !== task.variable)) return null;
  const sides: readonly (-1 | 1)[] =
    infinite(task.to) !== 0 ? [1] : task.side === 'both' ? [1, -1] : [task.side === 'right' ? 1 : -1];
  const [first, second] = sides.map((way) => side(task, way));
  if (first === undefined || first === null || second === null) return null;
  const settled = second === undefined ? first : joined(first, second);
  return settled?.kind === 'value' ? { kind: 'value', value: exactly(task, settled.value) } : settled;
}

/** The value put in, where it is exact and the same: a series of 2^x has no exact 8 in it. */
function exactly(task: Limit, value: Value): Value {
  const there = tried(() => evaluate(substitute(task.expr, task.variable, task.to)));
  if (value.kind === 'exact' || there?.kind !== 'exact') return value;
  return tried(() => signOf(addValues(value, negateValue(there)))) === null ? there : value;
}

function side(task: Limit, way: -1 | 1): Settled | null {
  for (const stretch of STRETCHES) {
    const found = tried(() =>
      ended(trimmed(seriesOf(task.expr, task.variable, towards(task.to, way, stretch), TERMS * stretch))),
    );
    if (found !== null) return found;
  }
  return null;
}

/** x = goal + way t^stretch, or 1/t^stretch on the way to infinity. */
function towards(to: Expr, way: -1 | 1, stretch: number): Series {
  const zeros = (length: number): Value[] => Array<Value>(length).fill(exact(Q.ZERO));
  const length = TERMS * stretch;
  const direction = infinite(to);
  if (direction !== 0) return { low: -stretch, terms: [exact(Q.fromInt(direction)), ...zeros(length - 1)] };
  return { low: 0, terms: [evaluate(to), ...zeros(stretch - 1), exact(Q.fromInt(way)), ...zeros(length - stretch)] };
}

function ended({ low, terms: [lead] }: Series): Settled {
  if (lead === undefined || low > 0) {
    if (low <= 0) throw new MathRefusal('too few terms are known');
    return { kind: 'value', value: exact(Q.ZERO) };
  }
  if (low === 0) return { kind: 'value', value: lead };
  return { kind: 'infinite', sign: signOf(lead) < 0 ? -1 : 1 };
}

function joined(a: Settled, b: Settled): Settled | null {
  if (a.kind === 'value' && b.kind === 'value') {
    const { value } = a;
    const gap = addValues(value, negateValue(b.value));
    if (gap.kind === 'exact') return gap.q.n === 0n ? a : { kind: 'none' };
    // Enclosures of some 90 digits that overlap: the same number, computed once for each side.
    return tried(() => signOf(gap)) === null ? a : { kind: 'none' };
  }
  if (a.kind === 'infinite' && b.kind === 'infinite') return a.sign === b.sign ? a : { kind: 'none' };
  return { kind: 'none' };
}

function tried<T>(calculate: () => T): T | null {
  try {
    return calculate();
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return null;
    throw problem;
  }
}
