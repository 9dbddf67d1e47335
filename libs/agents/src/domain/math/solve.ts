import { type MathAnswer, answered, refused } from './answer.js';
import { binary, children, constant, type Expr, integer, number, substitute, variablesOf } from './ast.js';
import * as certify from './certify.js';
import { MathRefusal, MathSyntax, MathUndefined } from './limits.js';
import { normalize } from './normalize.js';
import { numericValue } from './numeric.js';
import { parseExpression } from './parser.js';
import { asPolynomial, countRealRoots, type Polynomial, rootPolynomial } from './polynomial.js';
import { printFormula } from './print.js';
import * as Q from './rational.js';
import type { SymbolicTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { verifyEqual } from './verify.js';

type Solve = SymbolicTask & { kind: 'solve' };

const LONGEST_ROOT = 40;
const MOST_ROOTS = 12;
const MOST_STARTS = 40;

interface Root {
  readonly value: number;
  readonly text: string;
  readonly exact: boolean;
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

/** From the engine's list of roots to an answer: real ones only, each proven, and all of them or a word about the others. */
export function concludeSolve(task: Solve, engineText: string): MathAnswer {
  const found = splitList(engineText).flatMap(readRoot);
  const equation = equationText(task);
  if (variablesOf(binary('-', task.left, task.right)).some((name) => name !== task.variable))
    return solvedInLetters(task, found, equation);
  const polynomial = polynomialOf(task);
  const roots = provenRoots(task, polynomial, found);
  if (roots.length === 0) return refused('I could not find a solution that I can verify');
  if (polynomial !== null && countRealRoots(polynomial) !== roots.length)
    return refused('I could not verify that I found all solutions');
  return answered('solve', ...told(task, equation, roots, polynomial !== null));
}

/** What can be found without the engine's list: roots near zero that are proven; null where there are none. */
export function solveBySearch(task: Solve): MathAnswer | null {
  const answer = concludeSolve(task, '[]');
  return answer.kind === 'answer' ? answer : null;
}

/** Real roots in rising order, each proven to be one, or to lie as close to one as its digits say. */
function provenRoots(task: Solve, polynomial: Polynomial | null, found: readonly Expr[]): Root[] {
  const of = certify.equation(task.left, task.right, task.variable, polynomial);
  const exact = found.filter((e) => variablesOf(e).length === 0);
  const more = polynomial === null ? landmarks(task) : [];
  const roots = [...exact, ...more].flatMap((e) => exactRoot(of, e));
  const starts = [...exact.map((e) => numericValue(e, new Map())), ...crossings(task)];
  return distinct([...roots, ...starts.slice(0, MOST_STARTS).flatMap((start) => roundedRoot(task, of, start))]);
}

function told(
  task: Solve,
  equation: string,
  roots: readonly Root[],
  all: boolean,
): [text: string, exact: string, steps: readonly string[]] {
  const shown = all ? roots.slice(0, MOST_ROOTS) : nearest(roots);
  const one = shown.length === 1;
  const period = all ? null : periodOf(task);
  const others = period === null ? '(there may be others)' : `(and infinitely many others, in steps of ${period})`;
  const lead = all ? (one ? 'The solution of' : 'The solutions of') : one ? 'A solution of' : 'Some solutions of';
  const list = listed(shown.map((r) => `${task.variable} = ${r.text}`));
  return [
    `${lead} ${equation} ${one ? 'is' : 'are'} ${list}${all ? '' : ` ${others}`}.`,
    shown.map((r) => r.text).join(', '),
    [
      `Put into ${equation}, ${one ? 'the value makes' : 'each value makes'} both sides equal, or their difference changes its sign beside it.`,
      ...(all
        ? [`By Sturm's theorem the equation has exactly ${roots.length} real ${one ? 'solution' : 'solutions'}.`]
        : []),
    ],
  ];
}

function nearest(roots: readonly Root[]): Root[] {
  return [...roots]
    .sort((a, b) => Math.abs(a.value) - Math.abs(b.value))
    .slice(0, 3)
    .sort((a, b) => a.value - b.value);
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

function readRoot(text: string): Expr[] {
  try {
    return [normalize(parseExpression(plainText(text), { imaginary: true, log: 'ln' }))];
  } catch (problem) {
    if (problem instanceof MathSyntax || problem instanceof MathRefusal || problem instanceof MathUndefined) return [];
    throw problem;
  }
}

const gapOf =
  (task: Solve) =>
  (x: number): number =>
    numericValue(task.left, new Map([[task.variable, x]])) - numericValue(task.right, new Map([[task.variable, x]]));

/** Whole numbers and parts of pi at which both sides nearly agree: where roots are that no sign change shows. */
function landmarks(task: Solve): Expr[] {
  const gap = gapOf(task);
  const wholes = [...Array.from({ length: 41 }, (_, i) => i - 20), 100, 1_000, 10_000, 100_000, 1_000_000].map(integer);
  const angles = Array.from({ length: 49 }, (_, i) =>
    normalize(binary('*', number(Q.rational(BigInt(i - 24), 12n)), constant('pi'))),
  );
  return [...wholes, ...angles.filter((e) => variablesOf(e).length === 0)].filter(
    (e) => Math.abs(gap(numericValue(e, new Map()))) < 1e-9,
  );
}

/** Places between -20 and 20 where the difference of both sides changes its sign without a leap. */
function crossings(task: Solve): number[] {
  const gap = gapOf(task);
  const found: number[] = [];
  for (let low = -20.0137; low < 20; low += 0.1) {
    let [a, b] = [low, low + 0.1];
    if (!(gap(a) * gap(b) < 0)) continue;
    for (let i = 0; i < 60; i += 1) {
      const middle = (a + b) / 2;
      if (gap(a) * gap(middle) <= 0) b = middle;
      else a = middle;
    }
    if (Math.abs(gap(a)) < 1e-6) found.push(a);
  }
  return found.sort((a, b) => Math.abs(a) - Math.abs(b));
}

function exactRoot(of: certify.Equation, e: Expr): Root[] {
  const value = numericValue(e, new Map());
  const text = printFormula(e);
  if (!Number.isFinite(value) || text.length > LONGEST_ROOT || certify.isRoot(of, e) !== true) return [];
  return [{ value, text, exact: true }];
}

/** The root beside a place, to as many digits as are proven; none where no root is proven to be there. */
function roundedRoot(task: Solve, of: certify.Equation, start: number): Root[] {
  if (!Number.isFinite(start)) return [];
  const value = polish(task, start);
  const whole = integer(Math.round(value));
  if (Math.abs(value) < 1e15 && Math.abs(value - Math.round(value)) < 1e-9 && certify.isRoot(of, whole) === true)
    return [{ value: Math.round(value), text: printFormula(whole), exact: true }];
  const radius = 2e-11 * Math.abs(value);
  if (value === 0 || !Number.isFinite(value) || radius === 0) return [];
  const text = [10, 9, 8]
    .map((digits) => [value - radius, value, value + radius].map((x) => String(Number(x.toPrecision(digits)))))
    .find(([low, middle, high]) => low === middle && middle === high)?.[1];
  if (text === undefined || certify.locate(of, Q.fromNumber(value), Q.fromNumber(radius)) !== 'root') return [];
  return [{ value, text: `${text} (rounded)`, exact: false }];
}

/** A few secant steps, kept only while they bring both sides closer. */
function polish(task: Solve, start: number): number {
  const gap = gapOf(task);
  let x = start;
  for (let i = 0; i < 5; i += 1) {
    const h = 1e-7 * Math.max(1, Math.abs(x));
    const next = x - (gap(x) * 2 * h) / (gap(x + h) - gap(x - h));
    if (!Number.isFinite(next) || !(Math.abs(gap(next)) < Math.abs(gap(x)))) return x;
    x = next;
  }
  return x;
}

/** One of each; of two for the same place the exact one, with the shortest text. */
function distinct(roots: readonly Root[]): Root[] {
  const kept: Root[] = [];
  const sorted = [...roots].sort((a, b) => Number(b.exact) - Number(a.exact) || a.text.length - b.text.length);
  for (const root of sorted)
    if (kept.every((r) => Math.abs(r.value - root.value) > 1e-9 * Math.max(Math.abs(root.value), Math.abs(r.value))))
      kept.push(root);
  return kept.sort((a, b) => a.value - b.value);
}

const WAVES: ReadonlySet<string> = new Set(['sin', 'cos', 'tan', 'sec', 'csc', 'cot']);

/** The steps in which every solution comes again: "2*pi"; null where the variable stands outside of waves. */
function periodOf(task: Solve): string | null {
  const rates: Q.Rational[] = [];
  const periodic = (e: Expr): boolean => {
    if (e.kind === 'variable') return false;
    if (e.kind !== 'call' || !WAVES.has(e.fn)) return children(e).every(periodic);
    const angle = e.args[0] === undefined ? null : asPolynomial(e.args[0], task.variable);
    if (angle === null || angle.length > 2) return false;
    const [, rate] = angle;
    if (rate !== undefined) rates.push(rate);
    return true;
  };
  const [first, ...rest] = periodic(binary('-', task.left, task.right)) ? rates : [];
  if (first === undefined) return null;
  const common = rest.reduce((a, b) => Q.rational(Q.gcd(a.n * b.d, b.n * a.d), a.d * b.d), first);
  const steps = Q.divide(Q.fromInt(2), { n: Q.bigAbs(common.n), d: common.d });
  return printFormula(normalize(binary('*', number(steps), constant('pi'))));
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
