import { answered, type MathAnswer, refused } from './answer.js';
import { binary, call, type Expr, map, some, substitute, variablesOf } from './ast.js';
import { ballToNumber } from './ball.js';
import { exactText, type Rendered, renderValue } from './decimal.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathSyntax, MathUndefined } from './limits.js';
import { normalize } from './normalize.js';
import { numericValue } from './numeric.js';
import { parseExpression } from './parser.js';
import { isIrreducible, rootPolynomial } from './polynomial.js';
import { printFormula } from './print.js';
import { settleLimit } from './settle-limit.js';
import { concludeSolve, solveBySearch } from './solve.js';
import type { SymbolicTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { addValues, negateValue, toBall, type Value } from './value.js';
import {
  type Check,
  isZeroBySymmetry,
  numericIntegral,
  verifyAntiderivative,
  verifyDefinite,
  verifyDerivative,
  verifyEqual,
} from './verify.js';
import { verifyDivergence, verifyLimit } from './verify-limit.js';

type Of<K extends SymbolicTask['kind']> = SymbolicTask & { kind: K };

const NOT_VERIFIED = 'I could not verify the result';
const NOTHING_VERIFIED = 'I could not find a result that I can verify';
const ORDINALS = ['', 'The derivative', 'The second derivative', 'The third derivative', 'The fourth derivative'];

/**
 * From the symbolic engine's text to an answer. The engine is not trusted: its result is parsed, put into the stable
 * form, and that form is verified numerically; what does not hold, or cannot be tried, is refused.
 */
export function conclude(task: SymbolicTask, engineText: string): MathAnswer {
  try {
    return concluded(task, engineText);
  } catch (problem) {
    if (problem instanceof MathRefusal) return withoutEngine(task) ?? refused(problem.message);
    if (problem instanceof MathSyntax || problem instanceof MathUndefined)
      return withoutEngine(task) ?? refused(NOTHING_VERIFIED);
    throw problem;
  }
}

/** What can be said when the engine gave nothing of use: a definite integral by quadrature, a limit that does not exist. */
export function withoutEngine(task: SymbolicTask): MathAnswer | null {
  if (task.kind === 'definite') return byQuadrature(task);
  if (task.kind === 'solve') return solveBySearch(task);
  return task.kind === 'limit' ? (settledLimit(task, null) ?? divergent(task)) : null;
}

function concluded(task: SymbolicTask, engineText: string): MathAnswer {
  if (task.kind === 'solve') return concludeSolve(task, engineText);
  if (task.kind === 'limit') return concludeLimit(task, engineText);
  const result = readEngine(engineText);
  switch (task.kind) {
    case 'derivative':
      return concludeDerivative(task, result);
    case 'integral':
      return concludeIntegral(task, result);
    case 'definite':
      return concludeDefinite(task, result);
    case 'rewrite':
      return concludeRewrite(task, result);
  }
}

/** Its own notation back to our grammar; throws MathSyntax on functions that we do not know (an unsolved integral among them). */
function readEngine(text: string): Expr {
  return normalize(parseExpression(plainText(text), { log: 'ln' }));
}

/** The result as it will be shown, parsed again: what is verified is what is read. */
function asShown(e: Expr): { text: string; expr: Expr } {
  const text = printFormula(e);
  return { text, expr: parseExpression(text) };
}

const holds = (check: Check): boolean => check.kind === 'holds';

function concludeDerivative(task: Of<'derivative'>, result: Expr): MathAnswer {
  const { text, expr } = asShown(result);
  const check = verifyDerivative(task.expr, task.variable, task.order, expr);
  if (check.kind !== 'holds') return refused(NOT_VERIFIED);
  const sentence = `${ORDINALS[task.order] ?? 'The derivative'} of ${printFormula(task.expr)} with respect to ${task.variable}`;
  const steps = [`${sentence} is ${text}.`, `Central differences agree at ${check.points} points.`];
  if (task.at === null) return answered('derivative', `${sentence} is ${text}.`, text, steps);
  const value = valueOf(substitute(expr, task.variable, task.at));
  const verb = value.rounded ? 'is about' : 'is';
  return answered(
    'derivative',
    `${sentence} at ${task.variable} = ${printFormula(task.at)} ${verb} ${value.text}${exactly(value)}.`,
    value.exact,
    steps,
  );
}

const valueOf = (e: Expr): Rendered => renderValue(evaluate(e));
const exactly = (value: Rendered): string => (value.rounded && value.exact !== null ? ` (exactly ${value.exact})` : '');

/** ln(u) for ln(abs(u)) where that widens the range: the antiderivative of 1/x is ln(abs(x)). */
function widened(task: Of<'integral' | 'definite'>, result: Expr): Expr {
  const wide = normalize(
    map(result, (e) => {
      const [arg] = e.kind === 'call' && e.fn === 'ln' ? e.args : [];
      return arg === undefined || variablesOf(arg).length === 0 || (arg.kind === 'call' && arg.fn === 'abs')
        ? e
        : call('ln', call('abs', arg));
    }),
  );
  const narrow = verifyAntiderivative(task.expr, task.variable, result);
  const check = verifyAntiderivative(task.expr, task.variable, wide);
  return check.kind === 'holds' && (narrow.kind !== 'holds' || check.points > narrow.points) ? wide : result;
}

function antiderivative(
  task: Of<'integral' | 'definite'>,
  result: Expr,
): { text: string; expr: Expr; points: number } | null {
  for (const candidate of [widened(task, result), flipped(result)]) {
    const shown = asShown(candidate);
    const check = verifyAntiderivative(task.expr, task.variable, shown.expr);
    if (check.kind === 'holds') return { ...shown, points: check.points };
  }
  return null;
}

/** The other sign is tried too; the check decides. */
const flipped = (e: Expr): Expr => normalize({ kind: 'negate', arg: e });

function concludeIntegral(task: Of<'integral'>, result: Expr): MathAnswer {
  const found = antiderivative(task, result);
  if (found === null) return refused(NOT_VERIFIED);
  const exact = found.text === '0' ? 'C' : `${found.text} + C`;
  return answered(
    'integral',
    `The integral of ${printFormula(task.expr)} with respect to ${task.variable} is ${exact}.`,
    exact,
    [
      `An antiderivative is ${found.text}.`,
      `Its rate of change agrees with ${printFormula(task.expr)} at ${found.points} points.`,
    ],
  );
}

function definiteSubject(task: Of<'definite'>): string {
  return `The integral of ${printFormula(task.expr)} with respect to ${task.variable} from ${printFormula(task.from)} to ${printFormula(task.to)}`;
}

function concludeDefinite(task: Of<'definite'>, result: Expr): MathAnswer {
  if (isZeroBySymmetry(task.expr, task.variable, task.from, task.to))
    return withoutEngine(task) ?? refused(NOT_VERIFIED);
  const found = antiderivative(task, result);
  if (found === null) return withoutEngine(task) ?? refused(NOT_VERIFIED);
  const value = evaluate(
    binary('-', substitute(found.expr, task.variable, task.to), substitute(found.expr, task.variable, task.from)),
  );
  const shown = renderValue(value);
  const check = verifyDefinite(
    task.expr,
    task.variable,
    task.from,
    task.to,
    numericValue(parseExpression(shown.text), new Map()),
  );
  if (!holds(check))
    return (
      withoutEngine(task) ?? refused(`${NOT_VERIFIED}: the integrand has to be finite and real over the whole range`)
    );
  const verb = shown.rounded ? 'is about' : 'is';
  return answered('definite', `${definiteSubject(task)} ${verb} ${shown.text}${exactly(shown)}.`, shown.exact, [
    `An antiderivative is ${found.text}; its values at both ends differ by ${shown.text}.`,
    'Quadrature gives the same.',
  ]);
}

function byQuadrature(task: Of<'definite'>): MathAnswer | null {
  if (isZeroBySymmetry(task.expr, task.variable, task.from, task.to))
    return answered('definite', `${definiteSubject(task)} is 0.`, '0', [
      'The integrand is odd and the range lies around zero: both halves cancel.',
    ]);
  const found = numericIntegral(task.expr, task.variable, task.from, task.to);
  if (found === null) return null;
  const digits = Math.min(9, Math.floor(Math.log10(Math.abs(found.value) / found.error)) - 1);
  if (!(digits >= 4)) return refused('the integral cannot be told apart from zero');
  const text = String(Number(found.value.toPrecision(digits)));
  return answered('definite', `${definiteSubject(task)} is about ${text}.`, null, [
    `Two quadratures with different parts agree to ${digits} digits.`,
  ]);
}

function concludeRewrite(task: Of<'rewrite'>, result: Expr): MathAnswer {
  const { text, expr } = asShown(result);
  const same = holds(verifyEqual(task.expr, expr));
  const extended = !same && task.how === 'simplify' && holds(verifyEqual(task.expr, expr, true));
  if (!same && !extended) return refused(NOT_VERIFIED);
  const subject = printFormula(task.expr);
  const steps = ['Both formulas agree at every point of trial where both have a value.'];
  if (task.how === 'expand' && some(expr, isUnexpanded)) return refused('I could not expand this');
  if (text === subject || (task.how === 'factor' && text === printFormula(normalize(task.expr))))
    return unchanged(task, text, steps);
  const verb = { simplify: 'simplifies to', factor: 'factors as', expand: 'expands to' }[task.how];
  const range = extended || (task.how === 'simplify' && narrower(task.expr, expr)) ? ' where it is defined' : '';
  return answered('rewrite', `${subject} ${verb} ${text}${range}.`, text, steps);
}

/** The engine gave the formula back: that it has no factors is only said when it is proven. */
function unchanged(task: Of<'rewrite'>, text: string, steps: readonly string[]): MathAnswer {
  const subject = printFormula(task.expr);
  if (task.how === 'simplify') return answered('rewrite', `${subject} is as simple as I can make it.`, text, steps);
  if (task.how === 'expand') return answered('rewrite', `${subject} is already expanded.`, text, steps);
  const [name = ''] = variablesOf(task.expr);
  const polynomial = rootPolynomial(task.expr, name);
  if (polynomial === null || !isIrreducible(polynomial)) return refused('I could not factor this');
  return answered('rewrite', `${subject} does not factor further over the rational numbers.`, text, [
    'It has no rational root.',
  ]);
}

const isSum = (e: Expr): boolean => e.kind === 'binary' && (e.op === '+' || e.op === '-');
const isUnexpanded = (e: Expr): boolean =>
  e.kind === 'binary' &&
  ((e.op === '*' && (isSum(e.left) || isSum(e.right))) || (e.op === '^' && isSum(e.left) && e.right.kind === 'number'));

/** A division by a variable is gone. */
function narrower(from: Expr, to: Expr): boolean {
  const divides = (e: Expr): boolean =>
    (e.kind === 'binary' && e.op === '/' && variablesOf(e.right).length > 0) ||
    (e.kind === 'binary'
      ? divides(e.left) || divides(e.right)
      : e.kind === 'call'
        ? e.args.some(divides)
        : 'arg' in e && divides(e.arg));
  return divides(from) && !divides(to);
}

function limitSubject(task: Of<'limit'>): string {
  const side = task.side === 'both' ? '' : task.side === 'right' ? ' from the right' : ' from the left';
  return `The limit of ${printFormula(task.expr)} as ${task.variable} approaches ${printFormula(task.to)}${side}`;
}

function concludeLimit(task: Of<'limit'>, engineText: string): MathAnswer {
  const claim = readClaim(engineText);
  const settled = settledLimit(task, claim);
  if (settled !== null) return settled;
  if (claim !== null) {
    const { text, expr } = asShown(claim);
    const check = verifyLimit(task.expr, task.variable, task.to, task.side, expr);
    if (check.kind === 'holds') {
      return answered('limit', `${limitSubject(task)} is ${text}.`, text, [
        `The formula comes ever closer to ${text} at ${check.points} points towards the goal, down to 24 digits.`,
      ]);
    }
  }
  return divergent(task) ?? refused(NOT_VERIFIED);
}

function readClaim(engineText: string): Expr | null {
  if (/^-?Infinity$/i.test(engineText.trim())) return null;
  try {
    return readEngine(engineText);
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathSyntax || problem instanceof MathUndefined)
      return null;
    throw problem;
  }
}

const BY_SERIES = 'By the power series of the formula at its goal.';

/** What the series proves; the engine's closed form only lends its words to a number that it agrees with to 60 digits. */
function settledLimit(task: Of<'limit'>, claim: Expr | null): MathAnswer | null {
  const settled = settleLimit(task);
  if (settled === null) return null;
  const subject = limitSubject(task);
  if (settled.kind === 'none')
    return answered('limit', `${subject} does not exist: the two sides go different ways.`, null, [BY_SERIES]);
  if (settled.kind === 'infinite') {
    const text = settled.sign > 0 ? 'infinity' : '-infinity';
    return answered('limit', `${subject} is ${text}.`, text, [BY_SERIES]);
  }
  const { value } = settled;
  if (value.kind === 'exact') {
    const text = exactText(value);
    return answered('limit', `${subject} is ${text}.`, text, [BY_SERIES]);
  }
  if (claim !== null && closedForm(claim, value)) {
    const { text } = asShown(claim);
    return answered('limit', `${subject} is ${text}.`, text, [BY_SERIES, `It agrees with ${text} to 60 digits.`]);
  }
  return answered('limit', `${subject} is about ${renderValue(value).text}.`, null, [BY_SERIES]);
}

/** A short formula of small numbers that has this value to 60 digits. */
function closedForm(claim: Expr, value: Value): boolean {
  if (printFormula(claim).length > 24) return false;
  if (some(claim, (n) => n.kind === 'number' && (n.value.n > 1_000n || n.value.n < -1_000n || n.value.d > 1_000n)))
    return false;
  const { m, e, r } = toBall(addValues(value, negateValue(evaluate(claim))));
  return ballToNumber({ m: (m < 0n ? -m : m) + r, e, r: 0n }) <= 1e-60;
}

function divergent(task: Of<'limit'>): MathAnswer | null {
  for (const sign of [1, -1] as const) {
    if (!holds(verifyDivergence(task.expr, task.variable, task.to, task.side, sign))) continue;
    const text = sign > 0 ? 'infinity' : '-infinity';
    return answered('limit', `${limitSubject(task)} is ${text}.`, text, [
      'The formula grows steadily beyond all bounds towards the goal.',
    ]);
  }
  return null;
}
