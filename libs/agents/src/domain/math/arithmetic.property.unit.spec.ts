import fc from 'fast-check';
import { binary, type Expr, integer, negation, number } from './ast.js';
import { evaluateArithmetic } from './arithmetic.js';
import { evaluate } from './evaluate.js';
import { parseMathQuery, verifyMathAnswer } from './index.js';
import { parseExpression } from './parser.js';
import { printFormula, printSum } from './print.js';
import { asRational } from './value.js';
import { verifyDerivative } from './verify.js';

/** A second evaluation, unreduced: it shares nothing with the first. Null stands for a division by zero. */
type Fraction = readonly [bigint, bigint] | null;

function independent(e: Expr): Fraction {
  if (e.kind === 'number') return [e.value.n, e.value.d];
  if (e.kind === 'negate') {
    const a = independent(e.arg);
    return a === null ? null : [-a[0], a[1]];
  }
  if (e.kind !== 'binary') throw new Error('no such tree is made here');
  const a = independent(e.left);
  const b = independent(e.right);
  if (a === null || b === null) return null;
  switch (e.op) {
    case '+':
      return [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
    case '-':
      return [a[0] * b[1] - b[0] * a[1], a[1] * b[1]];
    case '*':
      return [a[0] * b[0], a[1] * b[1]];
    case '/':
      return b[0] === 0n ? null : [a[0] * b[1], a[1] * b[0]];
    default:
      throw new Error('no such operator is made here');
  }
}

const leaf = fc.oneof(
  fc.nat(999).map(integer),
  fc.nat(99_999).map((n) => number({ n: BigInt(n), d: 1n })),
  fc.nat(9_999).map((n) => parseExpression((n / 100).toFixed(2))),
);
const trees = fc.letrec<{ tree: Expr }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'sum' },
    leaf,
    tie('tree').map(negation),
    fc
      .tuple(fc.constantFrom('+', '-', '*', '/' as const), tie('tree'), tie('tree'))
      .map(([op, a, b]) => binary(op as '+', a, b)),
  ),
})).tree;

describe('arithmetic, on random formulas', () => {
  it('a printed formula parses back and has the value that an independent evaluation finds', () => {
    fc.assert(
      fc.property(trees, fc.boolean(), (tree, spaced) => {
        const parsed = parseExpression(spaced ? printSum(tree) : printFormula(tree));
        const expected = independent(tree);
        if (expected === null) {
          expect(evaluateArithmetic(parsed).kind).toBe('undefined');
          return;
        }
        const found = asRational(evaluate(parsed));
        expect(found).not.toBeNull();
        expect((found?.n ?? 0n) * expected[1]).toBe((found?.d ?? 0n) * expected[0]);
      }),
      { numRuns: 1_500 },
    );
  });

  it('an answer is judged correct as given, and incorrect with one digit changed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9_999, max: 9_999 }),
        fc.integer({ min: 1, max: 999 }),
        fc.constantFrom('+', '-', '*'),
        (a, b, op) => {
          const query = `(${a}) ${op} ${b}`;
          const value = op === '+' ? a + b : op === '-' ? a - b : a * b;
          expect(verifyMathAnswer(query, `That is ${value}.`).verdict).toBe('correct');
          expect(verifyMathAnswer(query, `That is ${value + 1}.`).verdict).toBe('incorrect');
        },
      ),
    );
  });

  it('any text at all is read without an exception', () => {
    const alphabet = fc.constantFrom(
      ...'0123456789.,+-*/^()!%=|x e sin of sum integral d/dx 1e9 π √ ² ∫ and the is'.split(' '),
      ' ',
      '\0',
      '😀',
      '__proto__',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(alphabet, { maxLength: 40 }).map((parts) => parts.join('')),
        ),
        fc.string(),
        (query, claim) => {
          const task = parseMathQuery(query);
          if (task?.kind === 'arithmetic') evaluateArithmetic(task.expr);
          verifyMathAnswer(query, claim);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('numeric verification, on random polynomials', () => {
  const coefficients = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 6 });
  const polynomial = (cs: readonly number[]): Expr => parseExpression(cs.map((c, i) => `(${c})*x^${i + 1}`).join('+'));
  const slope = (cs: readonly number[]): Expr =>
    parseExpression(cs.map((c, i) => (i === 0 ? `(${c})` : `(${c * (i + 1)})*x^${i}`)).join('+'));

  it('the derivative holds, and any other polynomial is wrong', () => {
    fc.assert(
      fc.property(coefficients, fc.nat(5), fc.integer({ min: 1, max: 3 }), (cs, at, by) => {
        expect(verifyDerivative(polynomial(cs), 'x', 1, slope(cs)).kind).toBe('holds');
        const changed = cs.map((c, i) => (i === at % cs.length ? c + by : c));
        expect(verifyDerivative(polynomial(cs), 'x', 1, slope(changed)).kind).toBe('wrong');
      }),
    );
  });
});
