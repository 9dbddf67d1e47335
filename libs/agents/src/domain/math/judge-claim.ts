import type { AskedClaim, Relation } from '../claim.js';
import type { Expr } from './ast.js';
import { evaluate } from './evaluate.js';
import { MathRefusal, MathUndefined } from './limits.js';
import { readNumber } from './query.js';
import { addValues, negateValue, type Value } from './value.js';
import { signOf } from './powers.js';
import { correct, incorrect, type MathVerdict, unverifiable } from './verdict.js';

/** Judges the answer "Yes, ..." or "No, ..." to a claim; `equality` judges one that is no matter of two numbers. */
export function judgeClaim(
  claim: AskedClaim,
  answer: string,
  equality: (query: string, says: string) => MathVerdict,
): MathVerdict {
  const says = /^(yes|no)\b/i.exec(answer.trim())?.[1]?.toLowerCase();
  if (says === undefined) return unverifiable('the answer says neither yes nor no');
  const found = judged(claim, equality);
  if (found.verdict !== 'correct' && found.verdict !== 'incorrect') return found;
  const holds = found.verdict === 'correct';
  return holds === (says === 'yes') ? correct(found.reason) : incorrect(found.reason);
}

/** `correct` where the claim itself holds. */
function judged(claim: AskedClaim, equality: (query: string, says: string) => MathVerdict): MathVerdict {
  const left = readNumber(claim.what);
  const right = readNumber(claim.says);
  if (claim.relation === 'about') return left === null ? notMath() : equality(claim.what, `about ${claim.says}`);
  if (left !== null && right !== null) return compared(left, claim.relation, right);
  if (claim.relation !== '=' && claim.relation !== '!=') return notMath();
  const found = equality(claim.what, claim.says);
  if (claim.relation === '=') return found;
  if (found.verdict === 'correct') return incorrect(found.reason);
  return found.verdict === 'incorrect' ? correct(found.reason) : found;
}

const notMath = (): MathVerdict => ({ verdict: 'not_math', reason: 'the claim is not about two numbers' });

function compared(left: Expr, relation: Exclude<Relation, 'about'>, right: Expr): MathVerdict {
  try {
    const order = signOf(difference(evaluate(left), evaluate(right)));
    const reason = `computed again, the left side is ${order === 0 ? 'equal to' : order < 0 ? 'less than' : 'greater than'} the right`;
    return RELATIONS[relation](order) ? correct(reason) : incorrect(reason);
  } catch (problem) {
    if (problem instanceof MathRefusal || problem instanceof MathUndefined) return unverifiable(problem.message);
    throw problem;
  }
}

const difference = (a: Value, b: Value): Value => addValues(a, negateValue(b));

const RELATIONS: Readonly<Record<Exclude<Relation, 'about'>, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};
