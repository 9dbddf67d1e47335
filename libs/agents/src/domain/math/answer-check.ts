import { binary, type Expr, substitute, variablesOf } from './ast.js';
import { ballToNumber } from './ball.js';
import { evaluateArithmetic } from './arithmetic.js';
import { evaluate } from './evaluate.js';
import { MATH_LIMITS, MathRefusal, MathSyntax, MathUndefined } from './limits.js';
import { numericValue } from './numeric.js';
import { parseExpression } from './parser.js';
import { countRealRoots } from './polynomial.js';
import { parseMathQuery } from './query.js';
import { polynomialOf } from './solve.js';
import type { MathTask, SymbolicTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { addValues, asRational, negateValue, toBall, type Value } from './value.js';
import {
  type Check,
  limitsDiffer,
  verifyAntiderivative,
  verifyDefinite,
  verifyDerivative,
  verifyEqual,
  verifyRoot,
} from './verify.js';
import { infinite, verifyDivergence, verifyLimit } from './verify-limit.js';

/** `unverifiable`: mathematics, but the claim could not be read or not be tried; never a sign that it is wrong. */
export interface MathVerdict {
  readonly verdict: 'correct' | 'incorrect' | 'unverifiable' | 'not_math';
  readonly reason: string;
}

const correct = (reason: string): MathVerdict => ({ verdict: 'correct', reason });
const incorrect = (reason: string): MathVerdict => ({ verdict: 'incorrect', reason });
const unverifiable = (reason: string): MathVerdict => ({ verdict: 'unverifiable', reason });

/**
 * Is the claimed answer right for the query? Arithmetic is computed again, exactly; calculus and algebra are held
 * against numerical methods that do not know the symbolic engine. Pure, synchronous, total.
 */
export function verifyMathAnswer(query: string, answerText: string): MathVerdict {
  const task = parseMathQuery(query);
  if (task === null) return { verdict: 'not_math', reason: 'the query is not mathematics' };
  if (answerText.length > MATH_LIMITS.answerLength) return unverifiable('the answer is too long to be read');
  try {
    return judge(task, plainText(answerText).replace(/[.!\s]+$/, ''));
  } catch (problem) {
    if (problem instanceof MathSyntax) return unverifiable('the answer holds no formula that can be read');
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return unverifiable(problem.message);
    throw problem;
  }
}

function judge(task: MathTask, answer: string): MathVerdict {
  switch (task.kind) {
    case 'refused':
      return unverifiable(task.reason);
    case 'arithmetic':
      return judgeArithmetic(task.expr, answer);
    case 'derivative':
      return judgeDerivative(task, answer);
    case 'integral':
      return fromCheck(verifyAntiderivative(task.expr, task.variable, withoutConstant(formula(claimOf(answer)))));
    case 'definite':
      return judgeDefinite(task, answer);
    case 'solve':
      return judgeSolve(task, answer);
    case 'rewrite':
      return judgeRewrite(task, answer);
    case 'limit':
      return judgeLimit(task, answer);
  }
}

/** "... is about 3.33 (exactly 10/3)": what stands after the last verb, without hedges and without what is in brackets. */
function claimOf(answer: string): string {
  const bare = answer
    .replace(/ \((?:exactly|rounded|there|or|base|approximately|about)[^]*\)$/, '')
    .replace(/ where it is defined$/, '');
  const verb = / (?:is|are|equals?|gives|yields|to|as) (?!approaches)/g;
  let start = 0;
  for (let found = verb.exec(bare); found !== null; found = verb.exec(bare)) start = found.index + found[0].length;
  const tail = bare.slice(start);
  const sign = tail.lastIndexOf('=');
  return tail
    .slice(sign + 1)
    .replace(/^[ ~≈]*(?:about|approximately|roughly|exactly|equal to)?/, '')
    .trim();
}

const formula = (text: string): Expr => parseExpression(text, { log: 'ln' });
/** An integral's "+ c", whatever the letter's case was. */
const withoutConstant = (e: Expr): Expr =>
  variablesOf(e).includes('c') ? substitute(e, 'c', { kind: 'number', value: { n: 0n, d: 1n } }) : e;

function fromCheck(check: Check): MathVerdict {
  switch (check.kind) {
    case 'holds':
      return correct(`the claim agrees with an independent computation at ${check.points} points`);
    case 'wrong':
      return incorrect(check.reason);
    case 'unverifiable':
      return unverifiable(check.reason);
  }
}

const DENIALS = /\b(?:no value|undefined|not defined|no real|not a real number|cannot be divided|does not exist)\b/;

function judgeArithmetic(expr: Expr, answer: string): MathVerdict {
  const result = evaluateArithmetic(expr);
  if (result.kind === 'refused') return unverifiable(result.reason);
  const denies = DENIALS.test(answer);
  if (result.kind === 'undefined')
    return denies ? correct(result.reason) : incorrect(`there is no value: ${result.reason}`);
  if (denies) return incorrect(`the value is ${result.text}`);
  const exactly = /\((?:exactly )([^]*)\)$/.exec(answer)?.[1];
  const claims = [claimOf(answer), ...(exactly === undefined ? [] : [exactly])];
  const value = evaluate(expr);
  return claims.every((claim) => sameNumber(value, claim))
    ? correct('computed again with the same result')
    : incorrect(`the value is ${result.rounded ? 'about ' : ''}${result.text}`);
}

/** The claim equals the value, or is the value rounded to at least 4 digits where the value has no short exact form. */
function sameNumber(value: Value, claim: string): boolean {
  const gap = addValues(value, negateValue(evaluate(parseExpression(claim))));
  if (gap.kind === 'exact' ? gap.q.n === 0n : (gap.ball.m < 0n ? -gap.ball.m : gap.ball.m) <= gap.ball.r) return true;
  const decimal = /^-?(\d+)(?:\.(\d+))?(?: ?\* ?10\^\(?(-?\d+)\)?)?$/.exec(claim);
  if (decimal === null) return false;
  const [, whole = '', fraction = '', power = '0'] = decimal;
  const digits = (whole + fraction).replace(/^0+/, '').length;
  const q = asRational(value);
  if (digits < 4 || (q !== null && q.d === 1n && digits < 12)) return false;
  return Math.abs(ballToNumber(toBall(gap))) <= 0.5000001 * 10 ** (Number(power) - fraction.length);
}

function judgeDerivative(task: SymbolicTask & { kind: 'derivative' }, answer: string): MathVerdict {
  const claim = claimOf(answer);
  if (task.at === null) return fromCheck(verifyDerivative(task.expr, task.variable, task.order, formula(claim)));
  const at = numericValue(task.at, new Map());
  const around = { kind: 'binary', op: '+', left: { kind: 'variable', name: task.variable }, right: task.at } as const;
  const value = numericValue(formula(claim), new Map());
  const slope = derivativeAt(substitute(task.expr, task.variable, around), task.variable, task.order);
  if (slope === null || !Number.isFinite(at))
    return unverifiable('the rate of change could not be computed at this place');
  return Math.abs(slope - value) <= 1e-5 * Math.max(1, Math.abs(slope))
    ? correct('central differences give the same')
    : incorrect(`central differences give ${Number(slope.toPrecision(6))}`);
}

/** n-th derivative at 0 by plain central differences of two widths that have to agree. */
function derivativeAt(e: Expr, variable: string, order: number): number | null {
  const f = (x: number): number => numericValue(e, new Map([[variable, x]]));
  const estimate = (h: number): number => {
    let total = 0;
    let choose = 1;
    for (let k = 0; k <= order; k += 1) {
      total += (k % 2 === 0 ? 1 : -1) * choose * f((order / 2 - k) * h);
      choose = (choose * (order - k)) / (k + 1);
    }
    return total / h ** order;
  };
  const h = [0, 1e-4, 2e-3, 1e-2, 3e-2][order] ?? 0.03;
  const [wide, narrow] = [estimate(2 * h), estimate(h)];
  const value = (4 * narrow - wide) / 3;
  return Number.isFinite(value) && Math.abs(wide - narrow) <= 1e-2 * Math.max(1, Math.abs(value)) ? value : null;
}

function judgeDefinite(task: SymbolicTask & { kind: 'definite' }, answer: string): MathVerdict {
  const claim = claimOf(answer);
  const check = verifyDefinite(task.expr, task.variable, task.from, task.to, numericValue(formula(claim), new Map()));
  const exact = /\(exactly ([^]*)\)$/.exec(answer)?.[1];
  if (exact === undefined || check.kind !== 'holds') return fromCheck(check);
  return fromCheck(
    verifyDefinite(task.expr, task.variable, task.from, task.to, numericValue(formula(exact), new Map())),
  );
}

function judgeRewrite(task: SymbolicTask & { kind: 'rewrite' }, answer: string): MathVerdict {
  if (/ (?:is already (?:simple|expanded)|does not factor)/.test(answer))
    return unverifiable('that nothing can be done is no claim that can be tried');
  if (/ is a prime number$/.test(answer) && task.expr.kind === 'number') {
    return isPrime(task.expr.value.n) ? correct('no smaller number divides it') : incorrect('it has a divisor');
  }
  const claim = formula(claimOf(answer));
  if (variablesOf(task.expr).length > 0) return fromCheck(verifyEqual(task.expr, claim));
  const gap = addValues(evaluate(task.expr), negateValue(evaluate(claim)));
  if (asRational(gap)?.n !== 0n) return incorrect('the product is another number');
  return task.how !== 'factor' || factorsOf(claim).every(isPrime)
    ? correct('the product was computed again')
    : incorrect('a factor is not prime');
}

function factorsOf(e: Expr): bigint[] {
  if (e.kind === 'binary' && e.op === '*') return [...factorsOf(e.left), ...factorsOf(e.right)];
  if (e.kind === 'binary' && e.op === '^') return factorsOf(e.left);
  return e.kind === 'number' && e.value.d === 1n ? [e.value.n] : [0n];
}

function isPrime(n: bigint): boolean {
  if (n < 2n || n > 10n ** 12n) return false;
  const size = Number(n);
  for (let p = 2; p * p <= size; p += 1) if (size % p === 0) return false;
  return true;
}

function judgeSolve(task: SymbolicTask & { kind: 'solve' }, answer: string): MathVerdict {
  const polynomial = polynomialOf(task);
  const letters = variablesOf(binary('-', task.left, task.right)).length > 1;
  const count = polynomial === null || letters ? null : countRealRoots(polynomial);
  if (/\bno (?:real )?solutions?\b|\bno real roots?\b/.test(answer)) {
    if (polynomial === null) return unverifiable('that there is no solution cannot be tried');
    return polynomial.length > 0 && count === 0
      ? correct("Sturm's theorem counts no real root")
      : incorrect('there are real solutions');
  }
  if (/ holds for every /.test(answer))
    return polynomial?.length === 0
      ? correct('both sides are the same')
      : polynomial === null
        ? unverifiable('not a rational function')
        : incorrect('the sides differ');
  const claims = claimedRoots(task.variable, answer);
  if (claims.length === 0) return unverifiable('the answer names no solution');
  if (polynomial?.length === 0) return incorrect('every value is a solution');
  if (letters) {
    const checks = claims.map((claim) =>
      verifyEqual(substitute(task.left, task.variable, claim.expr), substitute(task.right, task.variable, claim.expr)),
    );
    return fromCheck(checks.find((c) => c.kind !== 'holds') ?? { kind: 'holds', points: checks.length });
  }
  const values: number[] = [];
  for (const { expr, rounded } of claims) {
    const value = numericValue(expr, new Map());
    const check = verifyRoot(task.left, task.right, task.variable, value, rounded);
    if (check.kind !== 'holds') return fromCheck(check);
    if (!values.some((v) => Math.abs(v - value) <= 1e-9 * Math.max(1, Math.abs(v)))) values.push(value);
  }
  if (count !== null && values.length !== count)
    return incorrect(`there are ${count} real solutions, and the answer names ${values.length}`);
  return correct(
    count === null
      ? 'every named value solves the equation'
      : 'every named value solves the equation, and there is no other',
  );
}

/** "... are x = 2 and x = 3 (there may be others)" */
function claimedRoots(variable: string, answer: string): { expr: Expr; rounded: boolean }[] {
  const verb = Math.max(answer.lastIndexOf(' is '), answer.lastIndexOf(' are '));
  const tail = (verb < 0 ? answer : answer.slice(verb + 4)).replace(/ \(there may be others\)$/, '');
  return tail
    .split(/, (?:and )?| and | or /)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const rounded = / \(rounded\)$|\babout\b/.test(part);
      const value = part
        .replace(/ \(rounded\)$/, '')
        .replace(new RegExp(`^${variable} ?=`), '')
        .replace(/\babout\b/, '');
      return { expr: formula(value.trim()), rounded };
    });
}

function judgeLimit(task: SymbolicTask & { kind: 'limit' }, answer: string): MathVerdict {
  const finite = infinite(task.to) === 0;
  if (DENIALS.test(answer)) {
    if (!finite || task.side !== 'both') return unverifiable('that there is no limit cannot be tried');
    return limitsDiffer(task.expr, task.variable, numericValue(task.to, new Map()))
      ? correct('the two sides go different ways')
      : unverifiable('both sides seem to agree');
  }
  const claim = formula(claimOf(answer));
  const sign = infinite(claim);
  if (sign !== 0) return fromCheck(verifyDivergence(task.expr, task.variable, task.to, task.side, sign));
  return fromCheck(verifyLimit(task.expr, task.variable, task.to, task.side, claim));
}
