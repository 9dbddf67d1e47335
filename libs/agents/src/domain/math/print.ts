import type { Expr } from './ast.js';
import { finiteDecimal, fractionText } from './decimal.js';

interface Style {
  readonly times: string;
  readonly over: string;
}
const COMPACT: Style = { times: '*', over: '/' };
const SPACED: Style = { times: ' * ', over: ' / ' };

const Binding = { Sum: 1, Product: 2, Sign: 3, Power: 4, Postfix: 5, Atom: 6 } as const;

/** "x^2 - 5*x + 6": how formulas of algebra and calculus are shown. It parses back to the same value. */
export function printFormula(e: Expr): string {
  return show(e, COMPACT).text;
}

/** "(3 + 4)^2 / 7": how sums are shown. It parses back to the same value. */
export function printSum(e: Expr): string {
  return show(e, SPACED).text;
}

interface Shown {
  readonly text: string;
  readonly binding: number;
}

function wrap(e: Expr, style: Style, least: number): string {
  const shown = show(e, style);
  return shown.binding >= least ? shown.text : `(${shown.text})`;
}

function show(e: Expr, style: Style): Shown {
  switch (e.kind) {
    case 'number': {
      const text = finiteDecimal(e.value) ?? fractionText(e.value);
      return { text, binding: e.value.n < 0n ? Binding.Sign : text.includes('/') ? Binding.Product : Binding.Atom };
    }
    case 'constant':
    case 'variable':
      return { text: e.name, binding: Binding.Atom };
    case 'negate':
      return {
        text: `-${wrap(e.arg, style, isQuotient(e.arg) ? Binding.Product : Binding.Power)}`,
        binding: Binding.Sign,
      };
    case 'percent':
      return { text: `${wrap(e.arg, style, Binding.Postfix)}%`, binding: Binding.Postfix };
    case 'degrees':
      return { text: `${wrap(e.arg, style, Binding.Postfix)}°`, binding: Binding.Postfix };
    case 'factorial':
      return {
        text: `${wrap(e.arg, style, e.arg.kind === 'factorial' ? Binding.Atom : Binding.Postfix)}!`,
        binding: Binding.Postfix,
      };
    case 'call':
      return showCall(e, style);
    case 'binary':
      return showBinary(e, style);
  }
}

/** A sign before a product or quotient needs no brackets: it means the same within and without. */
function isQuotient(e: Expr): boolean {
  return e.kind === 'binary' && (e.op === '*' || e.op === '/');
}

function showCall(e: Expr & { kind: 'call' }, style: Style): Shown {
  const [first, second] = e.args;
  if (e.fn === 'choose' && first !== undefined && second !== undefined) {
    return {
      text: `${wrap(first, style, Binding.Sign)} choose ${wrap(second, style, Binding.Sign)}`,
      binding: Binding.Product,
    };
  }
  return { text: `${e.fn}(${e.args.map((a) => show(a, style).text).join(', ')})`, binding: Binding.Atom };
}

function showBinary(e: Expr & { kind: 'binary' }, style: Style): Shown {
  const left = (least: number): string => wrap(e.left, style, least);
  const right = (least: number): string => wrap(e.right, style, least);
  // "2^2%" and "10/2%" can be read in two ways; the parser refuses them.
  const tight = (least: number): number => (e.right.kind === 'percent' ? Binding.Atom : least);
  switch (e.op) {
    case '+':
    case '-':
      return { text: `${left(Binding.Sum)} ${e.op} ${right(Binding.Product)}`, binding: Binding.Sum };
    case '*':
      return { text: `${left(Binding.Product)}${style.times}${right(Binding.Power)}`, binding: Binding.Product };
    case '/':
      return { text: `${left(Binding.Product)}${style.over}${right(tight(Binding.Power))}`, binding: Binding.Product };
    case 'of':
      return { text: `${wrap(e.left, COMPACT, Binding.Product)} of ${right(Binding.Power)}`, binding: Binding.Product };
    case 'mod':
      return { text: `${left(Binding.Product)} mod ${right(tight(Binding.Power))}`, binding: Binding.Product };
    case '^':
      return { text: `${left(Binding.Postfix)}^${right(tight(Binding.Postfix))}`, binding: Binding.Power };
  }
}

/** The formula in the language of the symbolic engine: fractions, bracketed throughout, names from a fixed list. */
export function printForEngine(e: Expr): string {
  switch (e.kind) {
    case 'number':
      return `(${fractionText(e.value)})`;
    case 'constant':
      return e.name === 'infinity' ? 'Infinity' : e.name;
    case 'variable':
      return e.name;
    case 'negate':
      return `(-${printForEngine(e.arg)})`;
    case 'percent':
      return `(${printForEngine(e.arg)}/100)`;
    case 'degrees':
      return `(${printForEngine(e.arg)}*pi/180)`;
    case 'factorial':
      return `factorial(${printForEngine(e.arg)})`;
    case 'binary': {
      const op = e.op === 'of' ? '*' : e.op;
      if (op === 'mod') return `mod(${printForEngine(e.left)},${printForEngine(e.right)})`;
      return `(${printForEngine(e.left)}${op}${printForEngine(e.right)})`;
    }
    case 'call':
      return engineCall(e.fn, e.args.map(printForEngine));
  }
}

function engineCall(fn: (Expr & { kind: 'call' })['fn'], [a = '', ...rest]: readonly string[]): string {
  switch (fn) {
    case 'ln':
      return `log(${a})`;
    case 'log10':
      return `(log(${a})/log(10))`;
    case 'log2':
      return `(log(${a})/log(2))`;
    case 'logbase':
      return `(log(${rest[0] ?? ''})/log(${a}))`;
    case 'cbrt':
      return `((${a})^(1/3))`;
    case 'root':
      return `((${rest[0] ?? ''})^(1/${a}))`;
    case 'exp':
      return `(e^(${a}))`;
    default:
      return `${fn}(${[a, ...rest].join(',')})`;
  }
}
