import { binary, type Expr, substitute, variablesOf } from './ast.js';
import { evaluate } from './evaluate.js';
import { type Equation, equation, isRoot, locate } from './certify.js';
import { fromNumber } from './rational.js';
import { isPrime, judgePrime } from './factorize.js';
import { numericValue } from './numeric.js';
import { countRealRoots, isIrreducible, rootPolynomial } from './polynomial.js';
import { polynomialOf } from './solve.js';
import type { SymbolicTask } from './tasks.js';
import { addValues, asRational, negateValue } from './value.js';
import { claimOf, correct, formula, fromCheck, incorrect, type MathVerdict, unverifiable } from './verdict.js';
import { verifyEqual } from './verify.js';

export function judgeRewrite(task: SymbolicTask & { kind: 'rewrite' }, answer: string): MathVerdict {
  if (/ does not factor/.test(answer)) {
    const [name = ''] = variablesOf(task.expr);
    const polynomial = rootPolynomial(task.expr, name);
    return polynomial !== null && isIrreducible(polynomial)
      ? correct('it has no rational root')
      : unverifiable('that there are no factors could not be proven');
  }
  if (/ is (?:already expanded|as simple as i can make it)$/.test(answer)) return correct('nothing was changed');
  if (/ is a prime number$/.test(answer)) return judgePrime(task.expr, answer);
  const claim = formula(claimOf(answer));
  if (variablesOf(task.expr).length > 0)
    return fromCheck(verifyEqual(task.expr, claim, / where it is defined$/.test(answer)));
  const gap = addValues(evaluate(task.expr), negateValue(evaluate(claim)));
  if (asRational(gap)?.n !== 0n) return incorrect('the product is another number');
  return task.how !== 'factor' || factorsOf(claim).every((n) => isPrime(n) === true)
    ? correct('the product was computed again')
    : incorrect('a factor is not prime');
}

function factorsOf(e: Expr): bigint[] {
  if (e.kind === 'binary' && e.op === '*') return [...factorsOf(e.left), ...factorsOf(e.right)];
  if (e.kind === 'binary' && e.op === '^') return factorsOf(e.left);
  return e.kind === 'number' && e.value.d === 1n ? [e.value.n] : [0n];
}

export function judgeSolve(task: SymbolicTask & { kind: 'solve' }, answer: string): MathVerdict {
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
  const of = equation(task.left, task.right, task.variable, polynomial);
  const values: number[] = [];
  for (const claim of claims) {
    const value = numericValue(claim.expr, new Map());
    const holds = isClaimedRoot(of, claim, value);
    if (holds === false) return incorrect(`${task.variable} = ${value} does not solve the equation`);
    if (holds === null) return unverifiable(`that ${task.variable} = ${value} solves the equation could not be proven`);
    if (!values.some((v) => Math.abs(v - value) <= 1e-9 * Math.max(Math.abs(value), Math.abs(v)))) values.push(value);
  }
  if (count !== null && values.length !== count)
    return incorrect(`there are ${count} real solutions, and the answer names ${values.length}`);
  return correct(
    count === null
      ? 'every named value solves the equation'
      : 'every named value solves the equation, and there is no other',
  );
}

interface ClaimedRoot {
  readonly expr: Expr;
  /** the power of ten of its last digit, where it says that it is rounded */
  readonly lastDigit: number | null;
}

function isClaimedRoot(of: Equation, { expr, lastDigit }: ClaimedRoot, value: number): boolean | null {
  if (lastDigit === null) return isRoot(of, expr);
  if (!Number.isFinite(value)) return false;
  const located = locate(of, fromNumber(value), fromNumber(Number(`0.6e${lastDigit}`)));
  return located === 'unknown' ? null : located === 'root';
}

/** "1.324717957" ends with a digit of 10^-9 */
function lastDigitOf(numeral: string): number {
  const [, fraction = '', power = '0'] = /^-?\d*(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(numeral) ?? [];
  return Number(power) - fraction.length;
}

/** "... are x = 2 and x = 3 (there may be others)" */
function claimedRoots(variable: string, answer: string): ClaimedRoot[] {
  const verb = Math.max(answer.lastIndexOf(' is '), answer.lastIndexOf(' are '));
  const tail = (verb < 0 ? answer : answer.slice(verb + 4)).replace(
    / \((?:there may be|and infinitely many) others[^()]*\)$/,
    '',
  );
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
      return { expr: formula(value.trim()), lastDigit: rounded ? lastDigitOf(value.trim()) : null };
    });
}
