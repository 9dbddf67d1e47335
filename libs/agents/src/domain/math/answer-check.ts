import { type Expr, substitute, variablesOf } from './ast.js';
import { ballToNumber } from './ball.js';
import { evaluateArithmetic } from './arithmetic.js';
import { evaluate } from './evaluate.js';
import { MATH_LIMITS, MathRefusal, MathSyntax, MathUndefined } from './limits.js';
import { numericValue } from './numeric.js';
import { parseExpression } from './parser.js';
import { judgeClaim } from './judge-claim.js';
import { judgePrime } from './factorize.js';
import { parseClaim } from '../claim.js';
import { judgeRewrite, judgeSolve } from './judge-algebra.js';
import { parseMathQuery } from './query.js';
import type { MathTask, SymbolicTask } from './tasks.js';
import { plainText } from './tokenizer.js';
import { addValues, asRational, negateValue, toBall, type Value } from './value.js';
import { verifyAntiderivative, verifyDefinite, verifyDerivative } from './verify.js';
import { claimOf, correct, formula, fromCheck, incorrect, type MathVerdict, unread, unverifiable } from './verdict.js';
import { type Settled, settleLimit } from './settle-limit.js';
import { infinite, verifyDivergence, verifyLimit } from './verify-limit.js';

/**
 * Is the claimed answer right for the query? Arithmetic is computed again, exactly; calculus and algebra are held
 * against numerical methods that do not know the symbolic engine. Pure, synchronous, total.
 */
export function verifyMathAnswer(query: string, answerText: string): MathVerdict {
  const claim = parseClaim(query);
  if (claim !== null) return judgeClaim(claim, answerText, verifyMathAnswer);
  const task = parseMathQuery(query);
  if (task === null) return { verdict: 'not_math', reason: 'the query is not mathematics' };
  if (answerText.length > MATH_LIMITS.answerLength) return unread('the answer is too long to be read');
  try {
    return judge(task, plainText(answerText).replace(/[.!\s]+$/, ''));
  } catch (problem) {
    if (problem instanceof MathSyntax) return unread('the answer holds no formula that can be read');
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
    case 'prime':
      return judgePrime(task.expr, answer);
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

/** An integral's "+ c", whatever the letter's case was. */
const withoutConstant = (e: Expr): Expr =>
  variablesOf(e).includes('c') ? substitute(e, 'c', { kind: 'number', value: { n: 0n, d: 1n } }) : e;

const DENIALS = /\b(?:no value|undefined|not defined|no real|not a real number|cannot be divided|does not exist)\b/;

function judgeArithmetic(expr: Expr, answer: string): MathVerdict {
  const result = evaluateArithmetic(expr);
  if (result.kind === 'refused') return unverifiable(result.reason);
  const denies = DENIALS.test(answer);
  if (result.kind === 'undefined')
    return denies ? correct(result.reason) : incorrect(`there is no value: ${result.reason}`);
  if (denies) return incorrect(`the value is ${result.text}`);
  const exactly = /\((?:exactly )([^]*)\)$/.exec(answer)?.[1];
  const value = evaluate(expr);
  const hedged = /\b(?:about|approximately|roughly)\b/.test(answer);
  const holds =
    sameNumber(value, claimOf(answer), hedged) && (exactly === undefined || sameNumber(value, exactly, false));
  return holds
    ? correct('computed again with the same result')
    : incorrect(`the value is ${result.rounded ? 'about ' : ''}${result.text}`);
}

/**
 * The claim equals the value, or is the value rounded to at least 4 digits where the value has no short exact form.
 * A claim that says it is rounded may have lost its closing zeros: 12 significant digits count ("about 1").
 */
function sameNumber(value: Value, claim: string, hedged: boolean): boolean {
  const gap = addValues(value, negateValue(evaluate(parseExpression(claim))));
  if (gap.kind === 'exact' ? gap.q.n === 0n : (gap.ball.m < 0n ? -gap.ball.m : gap.ball.m) <= gap.ball.r) return true;
  const decimal = /^-?(\d+)(?:\.(\d+))?(?: ?\* ?10\^\(?(-?\d+)\)?)?$/.exec(claim);
  if (decimal === null) return false;
  const [, whole = '', fraction = '', power = '0'] = decimal;
  const digits = (whole + fraction).replace(/^0+/, '').length;
  const q = asRational(value);
  const size = Math.abs(ballToNumber(toBall(value)));
  const gapSize = Math.abs(ballToNumber(toBall(gap)));
  if (hedged && gapSize <= 0.5000001 * 10 ** (Math.floor(Math.log10(size)) - 11)) return true;
  if (digits < 4 || (q !== null && q.d === 1n && digits < 12)) return false;
  return gapSize <= 0.5000001 * 10 ** (Number(power) - fraction.length);
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

function judgeLimit(task: SymbolicTask & { kind: 'limit' }, answer: string): MathVerdict {
  const settled = settleLimit(task);
  const denies = DENIALS.test(answer);
  if (settled !== null) return judgeSettled(settled, denies ? null : claimOf(answer), /\babout\b/.test(answer));
  if (denies) return unverifiable('that there is no limit could not be proven');
  const claim = formula(claimOf(answer));
  const sign = infinite(claim);
  if (sign !== 0) return fromCheck(verifyDivergence(task.expr, task.variable, task.to, task.side, sign));
  return fromCheck(verifyLimit(task.expr, task.variable, task.to, task.side, claim));
}

/** `claim` is null where the answer says that there is no limit. */
function judgeSettled(settled: Settled, claim: string | null, hedged: boolean): MathVerdict {
  if (settled.kind === 'none')
    return claim === null ? correct('the two sides go different ways') : incorrect('the two sides go different ways');
  if (claim === null) return incorrect('the formula has a limit');
  const sign = infinite(formula(claim));
  if (settled.kind === 'infinite' || sign !== 0)
    return settled.kind === 'infinite' && settled.sign === sign
      ? correct('the power series has a pole of this sign')
      : incorrect('the power series goes elsewhere');
  return sameNumber(settled.value, claim, hedged)
    ? correct('the power series has this value')
    : incorrect('the power series has another value');
}
