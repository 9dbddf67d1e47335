import { type Expr, map, negation, some, variablesOf } from './ast.js';
import { MathRefusal, MathSyntax } from './limits.js';
import { parseExpression } from './parser.js';
import type { MathTask } from './tasks.js';

const BY = '(?: with respect to ([a-z])| wrt ([a-z])| for ([a-z])| in ([a-z]))?';
const DERIVATIVE = new RegExp(
  `^(?:the )?(?:(first|second|third|2nd|3rd) )?derivative of (.+?)${BY}(?: at ([a-z]) ?= ?(.+))?$`,
);
const DIFFERENTIATE = new RegExp(`^(?:differentiate|derive) (.+?)${BY}$`);
const LEIBNIZ = /^d(?:\^([1-9]))? ?\/ ?d ?([a-z])(?:\^([1-9]))? ?(?:of )?(.+)$/;
const INTEGRAL = new RegExp(
  `^(?:integrate|(?:the )?(?:indefinite |definite )?integral (?:of )?|(?:the )?antiderivative of )(.+?)${BY}$`,
);
const BOUNDS = /^(.+?) (?:from|between) (.+?) (?:to|and) (.+)$/;
const BOUNDS_FIRST = /^from (.+?) to (.+?) of (.+)$/;
const SOLVE =
  /^(?:solve|(?:the )?(?:solutions?|roots?|zeros|zeroes) (?:of|to|for)|(?:the )?roots? of)(?: the equation)?(?: for ([a-z])[ :,]+)? (.+?)(?: for ([a-z]))?$/;
const FIND_X = /^([a-z]) (?:if|when|where|such that|in) (.+=.+)$/;
const REWRITE = /^(simplify|factor|factorize|factorise|expand|multiply out)(?: the expression)? (.+)$/;
const PRIME_FACTORS = /^(?:the )?(?:prime factors|prime factorization|prime factorisation) of (\d+)$/;
const LIMIT =
  /^(?:the )?lim(?:it)?(?: of)? (.+?) (?:as|when|for) ([a-z]) ?(?:->|goes to|approaches|tends to|to|=>|→) ?(.+?)$/;
const LIMIT_FIRST =
  /^(?:the )?lim(?:it)? (?:as )?\(?([a-z]) ?(?:->|goes to|approaches|tends to|→) ?([^ )]+)\)?(?: of)? (.+)$/;
const ORDERS: Readonly<Record<string, number>> = { second: 2, '2nd': 2, third: 3, '3rd': 3 };

/** Calculus and algebra in plain text with signs for operators; null when the text asks for neither. */
export function calculusTask(text: string): MathTask | null {
  return derivative(text) ?? integral(text) ?? limit(text) ?? rewrite(text) ?? solve(text);
}

function formula(text: string): Expr {
  const e = parseExpression(text);
  return map(e, (n) =>
    n.kind === 'call' && n.fn === 'exp' && n.args[0] !== undefined
      ? { kind: 'binary', op: '^', left: { kind: 'constant', name: 'e' }, right: n.args[0] }
      : n,
  );
}

function variableOf(e: Expr, named: string | undefined): string {
  const found = variablesOf(e);
  if (named !== undefined) {
    if (named === 'e' || named === 'i') throw new MathSyntax('no variable');
    return named;
  }
  if (found.length > 1) {
    if (found.includes('x')) return 'x';
    throw new MathRefusal(
      `the formula has several variables (${found.join(', ')}); please say which one is meant, for instance "with respect to ${found[0]}"`,
    );
  }
  return found[0] ?? 'x';
}

function derivative(text: string): MathTask | null {
  const spoken = DERIVATIVE.exec(text);
  if (spoken !== null) {
    const [, order, body = '', a, b, c, d, atName, at] = spoken;
    const expr = formula(body);
    return derived(expr, variableOf(expr, a ?? b ?? c ?? d ?? atName), ORDERS[order ?? ''] ?? 1, at);
  }
  const command = DIFFERENTIATE.exec(text);
  if (command !== null) {
    const [, body = '', a, b, c, d] = command;
    const expr = formula(body);
    return derived(expr, variableOf(expr, a ?? b ?? c ?? d), 1, undefined);
  }
  const leibniz = LEIBNIZ.exec(text);
  if (leibniz === null) return null;
  const [, upper, name = 'x', lower, body = ''] = leibniz;
  if (upper !== lower) throw new MathSyntax('the order stands twice, and differs');
  return derived(formula(body), variableOf(formula(body), name), Number(upper ?? '1'), undefined);
}

function derived(expr: Expr, variable: string, order: number, at: string | undefined): MathTask {
  if (order > 4) throw new MathRefusal('derivatives are computed up to the fourth');
  return { kind: 'derivative', expr, variable, order, at: at === undefined ? null : numeral(at) };
}

function numeral(text: string): Expr {
  const e = formula(text);
  if (variablesOf(e).length > 0) throw new MathRefusal('a bound or a point has to be a number');
  return e;
}

function integral(text: string): MathTask | null {
  const found = INTEGRAL.exec(text);
  if (found === null) return null;
  const [, whole = '', a, b, c, d] = found;
  let body = whole.trim();
  let bounds: readonly [string, string] | null = null;
  const first = BOUNDS_FIRST.exec(body);
  const last = BOUNDS.exec(body);
  if (first !== null) {
    bounds = [first[1] ?? '', first[2] ?? ''];
    body = first[3] ?? '';
  } else if (last !== null) {
    bounds = [last[2] ?? '', last[3] ?? ''];
    body = last[1] ?? '';
  }
  const dx = /^(.*?)[ *]*\bd ?([a-z])$/.exec(body) ?? /^(.*[\d)])d([a-z])$/.exec(body);
  if (dx !== null) body = (dx[1] ?? '').trim();
  if (body === '') return dx === null ? null : integralTask(formula('1'), dx[2] ?? 'x', bounds);
  const expr = formula(body);
  return integralTask(expr, variableOf(expr, dx?.[2] ?? a ?? b ?? c ?? d), bounds);
}

function integralTask(expr: Expr, variable: string, bounds: readonly [string, string] | null): MathTask {
  if (bounds === null) return { kind: 'integral', expr, variable };
  const [from, to] = bounds.map(numeral) as [Expr, Expr];
  if ([from, to].some((e) => some(e, isInfinite)))
    throw new MathRefusal('integrals over an infinite range are not computed');
  return { kind: 'definite', expr, variable, from, to };
}

const isInfinite = (e: Expr): boolean => e.kind === 'constant' && e.name === 'infinity';

function limit(text: string): MathTask | null {
  const last = LIMIT.exec(text);
  const first = last === null ? LIMIT_FIRST.exec(text) : null;
  const [body, name, goal] =
    last !== null ? [last[1], last[2], last[3]] : first !== null ? [first[3], first[1], first[2]] : [];
  if (body === undefined || name === undefined || goal === undefined) return null;
  const sided = /^(.*?)(?: ?(\+|-)| from (?:the )?(right|left|above|below))$/.exec(goal);
  const side =
    sided === null ? 'both' : ['+', 'right', 'above'].includes(sided[2] ?? sided[3] ?? '') ? 'right' : 'left';
  const target = (sided?.[1] ?? goal).trim();
  const to = target === '-infinity' || target === 'minus infinity' ? negation(numeral('infinity')) : numeral(target);
  const expr = formula(body);
  return { kind: 'limit', expr, variable: variableOf(expr, name), to, side };
}

function rewrite(text: string): MathTask | null {
  const primes = PRIME_FACTORS.exec(text);
  if (primes !== null) return { kind: 'rewrite', how: 'factor', expr: formula(primes[1] ?? '') };
  const found = REWRITE.exec(text);
  if (found === null) return null;
  const [, verb = '', body = ''] = found;
  const how = verb.startsWith('factor') ? 'factor' : verb === 'simplify' ? 'simplify' : 'expand';
  const expr = formula(body);
  if (variablesOf(expr).length === 0 && how !== 'factor') return { kind: 'arithmetic', expr };
  return { kind: 'rewrite', how, expr };
}

function solve(text: string): MathTask | null {
  const found = SOLVE.exec(text);
  const asked = found === null ? FIND_X.exec(text) : null;
  if (found === null && asked === null) return null;
  const body = found?.[2] ?? asked?.[2] ?? '';
  const named = found?.[1] ?? found?.[3] ?? asked?.[1];
  const sides = body.split('=');
  const [left, right] = sides;
  if (sides.length > 2 || left === undefined) throw new MathSyntax('an equation has one sign of equality');
  const l = formula(left);
  const r = right === undefined ? formula('0') : formula(right);
  const both: Expr = { kind: 'binary', op: '-', left: l, right: r };
  if (variablesOf(both).length === 0) {
    return right === undefined ? { kind: 'arithmetic', expr: l } : null;
  }
  return { kind: 'solve', left: l, right: r, variable: variableOf(both, named) };
}
