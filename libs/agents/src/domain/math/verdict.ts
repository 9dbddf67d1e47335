import type { Expr } from './ast.js';
import { parseExpression } from './parser.js';
import type { Check } from './verify.js';

/** `unverifiable`: mathematics, but the claim could not be read or not be tried; never a sign that it is wrong. */
export interface MathVerdict {
  readonly verdict: 'correct' | 'incorrect' | 'unverifiable' | 'not_math';
  readonly reason: string;
  /** True where the question could be computed and the answer holds nothing that could be read as its result. */
  readonly unread?: true;
}

export const correct = (reason: string): MathVerdict => ({ verdict: 'correct', reason });
export const incorrect = (reason: string): MathVerdict => ({ verdict: 'incorrect', reason });
export const unread = (reason: string): MathVerdict => ({ verdict: 'unverifiable', reason, unread: true });
export const unverifiable = (reason: string): MathVerdict => ({ verdict: 'unverifiable', reason });

export function fromCheck(check: Check): MathVerdict {
  switch (check.kind) {
    case 'holds':
      return correct(`the claim agrees with an independent computation at ${check.points} points`);
    case 'wrong':
      return incorrect(check.reason);
    case 'unverifiable':
      return unverifiable(check.reason);
  }
}

/** "... is about 3.33 (exactly 10/3)": what stands after the last verb, without hedges and without what is in brackets. */
export function claimOf(answer: string): string {
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

export const formula = (text: string): Expr => parseExpression(text);
