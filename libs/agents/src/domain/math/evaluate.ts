import type { Expr } from './ast.js';
import { expBall } from './ball.js';
import { applyFunction, remainder } from './functions.js';
import { factorial, powerOf, signOf } from './powers.js';
import { MathSyntax, MathUndefined } from './limits.js';
import * as Q from './rational.js';
import { about, addValues, divideValues, exact, multiplyValues, negateValue, type Value } from './value.js';

const ONE_BALL = { m: 1n, e: 0, r: 0n };
const HUNDREDTH = exact(Q.rational(1n, 100n));
const DEGREE = exact(Q.rational(1n, 180n), 1n, 1);

/** Values of the variables. */
export type Values = ReadonlyMap<string, Value>;
const NOWHERE: Values = new Map();

/**
 * The value of a formula: exact for fractions, square roots and multiples of pi, else enclosed to
 * about 90 digits. Throws MathUndefined (no real value), MathRefusal (a limit) or MathSyntax (a variable).
 */
export function evaluate(e: Expr, at: Values = NOWHERE): Value {
  switch (e.kind) {
    case 'number':
      return exact(e.value);
    case 'constant':
      return constantValue(e.name);
    case 'variable':
      return valueOf(e.name, at);
    case 'negate':
      return negateValue(evaluate(e.arg, at));
    case 'percent':
      return multiplyValues(evaluate(e.arg, at), HUNDREDTH);
    case 'degrees':
      return multiplyValues(evaluate(e.arg, at), DEGREE);
    case 'factorial':
      return factorial(evaluate(e.arg, at));
    case 'call':
      return evaluateCall(e, at);
    case 'binary':
      return evaluateBinary(e, at);
  }
}

function valueOf(name: string, at: Values): Value {
  const value = at.get(name);
  if (value === undefined) throw new MathSyntax('a variable has no value');
  return value;
}

function constantValue(name: 'pi' | 'e' | 'infinity'): Value {
  if (name === 'pi') return { kind: 'exact', q: Q.ONE, root: 1n, pi: 1 };
  if (name === 'e') return about(expBall(ONE_BALL));
  throw new MathUndefined('infinity is not a number to calculate with');
}

function isE(e: Expr): boolean {
  return e.kind === 'constant' && e.name === 'e';
}

function evaluateCall(e: Expr & { kind: 'call' }, at: Values): Value {
  const first = e.args[0];
  if (e.fn === 'ln' && first !== undefined) {
    if (isE(first)) return exact(Q.ONE);
    if (first.kind === 'binary' && first.op === '^' && isE(first.left)) return evaluate(first.right, at);
    if (first.kind === 'call' && first.fn === 'exp' && first.args[0] !== undefined) return evaluate(first.args[0], at);
  }
  if (e.fn === 'exp' && first !== undefined) return powerOfE(first, at);
  return applyFunction(
    e.fn,
    e.args.map((a) => evaluate(a, at)),
  );
}

function evaluateBinary(e: Expr & { kind: 'binary' }, at: Values): Value {
  if (e.op === '^' && isE(e.left)) return powerOfE(e.right, at);
  const left = evaluate(e.left, at);
  const right = evaluate(e.right, at);
  switch (e.op) {
    case '+':
      return addValues(left, right);
    case '-':
      return addValues(left, negateValue(right));
    case '*':
    case 'of':
      return multiplyValues(left, right);
    case '/':
      return divideValues(left, right);
    case 'mod':
      return remainder(left, right);
    case '^':
      return powerOf(left, right);
  }
}

function powerOfE(exponent: Expr, at: Values): Value {
  if (exponent.kind === 'call' && exponent.fn === 'ln' && exponent.args[0] !== undefined) {
    const inner = evaluate(exponent.args[0], at);
    if (signOf(inner) > 0) return inner;
  }
  return applyFunction('exp', [evaluate(exponent, at)]);
}
