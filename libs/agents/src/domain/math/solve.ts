import { type MathAnswer, answered, refused } from './answer.js';
import { binary, type Expr, number, some, substitute, variablesOf } from './ast.js';
import { renderValue } from './decimal.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { normalize } from './normalize.js';
import { numericValue } from './numeric.js';
import { parseExpression } from './parser.js';
import { countRealRoots, type Polynomial, rootPolynomial } from './polynomial.js';
import { printFormula } from './print.js';
import type { SymbolicTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { asRational } from './value.js';
import { verifyEqual, verifyRoot } from './verify.js';

type Solve = SymbolicTask & { kind: 'solve' };

const LONGEST_ROOT = 40;
const MOST_ROOTS = 12;

interface Root {
  readonly value: number;
  readonly text: string;
}

export const equationText = (task: Solve): string => `${printFormula(task.left)} = ${printFormula(task.right)}`;
export const polynomialOf = (task: Solve): Polynomial | null =>
  rootPolynomial(binary('-', task.left, task.right), task.variable);

/** Equations that hold everywhere or nowhere, or have no real root by Sturm's theorem: settled without the engine. */
export function solveWithoutEngine(task: Solve): MathAnswer | null {
  const polynomial = polynomialOf(task);
  if (polynomial === null) return null;
  const equation = equationText(task);
  if (polynomial.length === 0)
    return answered('solve', `${equation} holds for every ${task.variable} for which both sides are defined.`, null, [
      'Both sides are the same rational function.',
    ]);
  if (countRealRoots(polynomial) > 0) return null;
  const reason =
    polynomial.length === 1
      ? 'The difference of both sides is never zero.'
      : "By Sturm's theorem the polynomial has no real root.";
  return answered('solve', `${equation} has no real solutions.`, 'none', [reason]);
}

/** From the engine's list of roots to an answer: real ones only, each put into the equation, all of them accounted for. */
export function concludeSolve(task: Solve, engineText: string): MathAnswer {
  const found = splitList(engineText).map((text) =>
    normalize(parseExpression(plainText(text), { imaginary: true, log: 'ln' })),
  );
  const equation = equationText(task);
  if (variablesOf(binary('-', task.left, task.right)).some((name) => name !== task.variable))
    return solvedInLetters(task, found, equation);
  const roots = distinct(found.filter((e) => variablesOf(e).length === 0).flatMap((e) => realRoot(task, e)));
  if (roots.length === 0) return refused('I could not find a solution that I can verify');
  const polynomial = polynomialOf(task);
  const all = polynomial !== null && countRealRoots(polynomial) === roots.length;
  if (polynomial !== null && !all) return refused('I could not verify that I found all solutions');
  const shown = all
    ? roots
    : [...roots]
        .sort((a, b) => Math.abs(a.value) - Math.abs(b.value))
        .slice(0, 3)
        .sort((a, b) => a.value - b.value);
  const list = listed(shown.slice(0, MOST_ROOTS).map((r) => `${task.variable} = ${r.text}`));
  const more = all ? '' : ' (there may be others)';
  const one = shown.length === 1;
  const lead = all ? (one ? 'The solution of' : 'The solutions of') : one ? 'A solution of' : 'Some solutions of';
  return answered(
    'solve',
    `${lead} ${equation} ${one ? 'is' : 'are'} ${list}${more}.`,
    shown.map((r) => r.text).join(', '),
    [
      `Put into ${equation}, ${one ? 'the value makes' : 'each value makes'} both sides equal.`,
      ...(all
        ? [`By Sturm's theorem the equation has exactly ${roots.length} real ${one ? 'solution' : 'solutions'}.`]
        : []),
    ],
  );
}

function solvedInLetters(task: Solve, found: readonly Expr[], equation: string): MathAnswer {
  const good = found.filter((e) => {
    const free = variablesOf(e);
    return (
      !free.includes('i') &&
      !free.includes(task.variable) &&
      verifyEqual(substitute(task.left, task.variable, e), substitute(task.right, task.variable, e)).kind === 'holds'
    );
  });
  if (good.length === 0) return refused('I could not find a solution that I can verify');
  const one = good.length === 1;
  const list = listed(good.map((e) => `${task.variable} = ${printFormula(e)}`));
  return answered(
    'solve',
    `${one ? 'A solution of' : 'Some solutions of'} ${equation} ${one ? 'is' : 'are'} ${list} (there may be others).`,
    good.map(printFormula).join(', '),
    ['Put into the equation, both sides agree.'],
  );
}

function realRoot(task: Solve, e: Expr): Root[] {
  const value = numericValue(e, new Map());
  if (!Number.isFinite(value) || verifyRoot(task.left, task.right, task.variable, value).kind !== 'holds') return [];
  if (isExact(task, e)) {
    const text = printFormula(e);
    if (text.length <= LONGEST_ROOT) return [{ value, text }];
    return [{ value, text: `${roundedText(value, e)} (rounded)` }];
  }
  const polished = polish(task, value);
  const whole = number({ n: BigInt(Math.round(polished)), d: 1n });
  if (Math.abs(polished - Math.round(polished)) < 1e-9 && isExact(task, whole))
    return [{ value: Math.round(polished), text: printFormula(whole) }];
  return [{ value: polished, text: `${roundedText(polished, null)} (rounded)` }];
}

function roundedText(value: number, exact: Expr | null): string {
  if (exact !== null) return renderValue(evaluate(exact)).text;
  return String(Number(value.toPrecision(10)));
}

/** Put in exactly, does nothing remain? A quotient of long numbers from the engine is an approximation in disguise. */
function isExact(task: Solve, e: Expr): boolean {
  try {
    const rest = evaluate(substitute(binary('-', task.left, task.right), task.variable, e));
    const q = asRational(rest);
    if (q !== null) return q.n === 0n;
    if (rest.kind === 'exact') return false;
    return (
      (rest.ball.m < 0n ? -rest.ball.m : rest.ball.m) <= rest.ball.r &&
      some(e, (n) => n.kind !== 'number' || n.value.d < 10_000n)
    );
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return false;
    throw problem;
  }
}

/** A few secant steps, kept only while they bring both sides closer. */
function polish(task: Solve, start: number): number {
  const gap = (x: number): number =>
    numericValue(task.left, new Map([[task.variable, x]])) - numericValue(task.right, new Map([[task.variable, x]]));
  let x = start;
  for (let i = 0; i < 5; i += 1) {
    const h = 1e-7 * Math.max(1, Math.abs(x));
    const next = x - (gap(x) * 2 * h) / (gap(x + h) - gap(x - h));
    if (!Number.isFinite(next) || !(Math.abs(gap(next)) < Math.abs(gap(x)))) return x;
    x = next;
  }
  return x;
}

function distinct(roots: readonly Root[]): Root[] {
  const sorted = [...roots].sort((a, b) => a.value - b.value || a.text.length - b.text.length);
  return sorted.filter(
    (r, i) => i === 0 || Math.abs(r.value - (sorted[i - 1]?.value ?? NaN)) > 1e-9 * Math.max(1, Math.abs(r.value)),
  );
}

function listed(parts: readonly string[]): string {
  return parts.length <= 1 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}

/** "[a,f(b,c)]" to its members. */
function splitList(text: string): string[] {
  const inner = text.trim().replace(/^\[|\]$/g, '');
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < inner.length; i += 1) {
    const c = inner[i] ?? '';
    if ('([{'.includes(c)) depth += 1;
    else if (')]}'.includes(c)) depth -= 1;
    else if (c === ',' && depth === 0) {
      parts.push(inner.slice(start, i));
      start = i + 1;
    }
  }
  if (inner.slice(start).trim() !== '') parts.push(inner.slice(start));
  return parts;
}
