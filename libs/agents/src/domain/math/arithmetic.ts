import type { Expr } from './ast.js';
import { type Rendered, renderValue } from './decimal.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { printSum } from './print.js';

export type ArithmeticResult =
  | ({ readonly kind: 'value' } & Rendered)
  /** understood, and without a real value: division by zero, sqrt(-1), log(0), 0^0 */
  | { readonly kind: 'undefined'; readonly reason: string }
  /** a limit was hit */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The value of a formula without variables. Exact fractions throughout; irrational values are enclosed by integer
 * arithmetic to some 90 digits and rounded half away from zero to 12 significant digits, the same on every machine.
 */
export function evaluateArithmetic(expr: Expr): ArithmeticResult {
  try {
    return { kind: 'value', ...renderValue(evaluate(expr)) };
  } catch (problem) {
    if (problem instanceof MathUndefined) return { kind: 'undefined', reason: problem.message };
    if (problem instanceof MathRefusal) return { kind: 'refused', reason: problem.message };
    throw problem;
  }
}

const LIST_NAMES: Readonly<Record<string, string>> = {
  sum: 'sum',
  average: 'average',
  product: 'product',
  gcd: 'greatest common divisor',
  lcm: 'least common multiple',
  max: 'largest',
  min: 'smallest',
};

/** "12.5% of 80 is", "17 * 23 =", "The sum of 1, 2 and 3 is" */
function question(expr: Expr): { subject: string; verb: string } {
  if (expr.kind === 'call' && expr.args.length > 1) {
    const name = LIST_NAMES[expr.fn];
    if (name !== undefined) {
      const members = expr.args.map(printSum);
      return { subject: `The ${name} of ${members.slice(0, -1).join(', ')} and ${members.at(-1) ?? ''}`, verb: 'is' };
    }
  }
  const subject = printSum(expr);
  return { subject, verb: expr.kind === 'binary' && expr.op === 'of' ? 'is' : '=' };
}

/** The answer as a sentence: "12.5% of 80 is 10.", "10 / 3 is about 3.33333333333 (exactly 10/3)." */
export function arithmeticSentence(expr: Expr, result: Exclude<ArithmeticResult, { kind: 'refused' }>): string {
  const { subject, verb } = question(expr);
  if (result.kind === 'undefined') return `${subject} has no value: ${result.reason}.`;
  if (!result.rounded) return `${subject} ${verb} ${result.text}.`;
  const told = result.exact === null || result.exact === subject.replaceAll(' ', '');
  return `${subject} is about ${result.text}${told ? '' : ` (exactly ${result.exact})`}.`;
}
