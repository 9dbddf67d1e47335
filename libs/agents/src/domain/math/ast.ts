import type { Rational } from './rational.js';

export const UNARY_FUNCTIONS = [
  'sqrt',
  'cbrt',
  'abs',
  'exp',
  'ln',
  'log10',
  'log2',
  'sin',
  'cos',
  'tan',
  'sec',
  'csc',
  'cot',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'floor',
  'ceil',
  'round',
  'erf',
] as const;
export const LIST_FUNCTIONS = [
  'min',
  'max',
  'gcd',
  'lcm',
  'sum',
  'average',
  'product',
  'choose',
  'logbase',
  'root',
] as const;

export type FunctionName = (typeof UNARY_FUNCTIONS)[number] | (typeof LIST_FUNCTIONS)[number];
export type ConstantName = 'pi' | 'e' | 'infinity';
/** `of` is a product that people say: "12.5% of 80". */
export type Operator = '+' | '-' | '*' | '/' | '^' | 'mod' | 'of';

export type Expr =
  | { readonly kind: 'number'; readonly value: Rational }
  | { readonly kind: 'constant'; readonly name: ConstantName }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'negate'; readonly arg: Expr }
  | { readonly kind: 'percent'; readonly arg: Expr }
  | { readonly kind: 'degrees'; readonly arg: Expr }
  | { readonly kind: 'factorial'; readonly arg: Expr }
  | { readonly kind: 'binary'; readonly op: Operator; readonly left: Expr; readonly right: Expr }
  | { readonly kind: 'call'; readonly fn: FunctionName; readonly args: readonly Expr[] };

export const number = (value: Rational): Expr => ({ kind: 'number', value });
export const integer = (n: number): Expr => ({ kind: 'number', value: { n: BigInt(n), d: 1n } });
export const variable = (name: string): Expr => ({ kind: 'variable', name });
export const constant = (name: ConstantName): Expr => ({ kind: 'constant', name });
export const binary = (op: Operator, left: Expr, right: Expr): Expr => ({ kind: 'binary', op, left, right });
export const negation = (arg: Expr): Expr => ({ kind: 'negate', arg });
export const call = (fn: FunctionName, ...args: Expr[]): Expr => ({ kind: 'call', fn, args });

export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'binary':
      return [e.left, e.right];
    case 'call':
      return e.args;
    case 'negate':
    case 'percent':
    case 'degrees':
    case 'factorial':
      return [e.arg];
    default:
      return [];
  }
}

/** Rebuilds an expression from the bottom up. */
export function map(e: Expr, change: (e: Expr) => Expr): Expr {
  switch (e.kind) {
    case 'binary':
      return change({ ...e, left: map(e.left, change), right: map(e.right, change) });
    case 'call':
      return change({ ...e, args: e.args.map((a) => map(a, change)) });
    case 'negate':
    case 'percent':
    case 'degrees':
    case 'factorial':
      return change({ ...e, arg: map(e.arg, change) });
    default:
      return change(e);
  }
}

export function some(e: Expr, test: (e: Expr) => boolean): boolean {
  return test(e) || children(e).some((c) => some(c, test));
}

/** The names of the variables, sorted. */
export function variablesOf(e: Expr): string[] {
  const names = new Set<string>();
  some(e, (n) => {
    if (n.kind === 'variable') names.add(n.name);
    return false;
  });
  return [...names].sort();
}

export function substitute(e: Expr, name: string, value: Expr): Expr {
  return map(e, (n) => (n.kind === 'variable' && n.name === name ? value : n));
}
