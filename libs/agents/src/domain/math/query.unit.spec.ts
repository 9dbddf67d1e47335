import { type MathTask, parseMathQuery } from './index.js';
import { printFormula } from './print.js';

function summary(task: MathTask | null): string {
  if (task === null) return 'not math';
  switch (task.kind) {
    case 'refused':
      return 'refused';
    case 'arithmetic':
    case 'prime':
    case 'rewrite':
      return `${task.kind === 'rewrite' ? task.how : task.kind}: ${printFormula(task.expr)}`;
    case 'derivative':
      return `derivative ${task.order} by ${task.variable}: ${printFormula(task.expr)}${task.at === null ? '' : ` at ${printFormula(task.at)}`}`;
    case 'integral':
      return `integral by ${task.variable}: ${printFormula(task.expr)}`;
    case 'definite':
      return `integral by ${task.variable} from ${printFormula(task.from)} to ${printFormula(task.to)}: ${printFormula(task.expr)}`;
    case 'solve':
      return `solve for ${task.variable}: ${printFormula(task.left)} = ${printFormula(task.right)}`;
    case 'limit':
      return `limit ${task.side} ${task.variable} to ${printFormula(task.to)}: ${printFormula(task.expr)}`;
  }
}

describe('reading a query as mathematics', () => {
  it.each([
    ['what is 17 * 23?', 'arithmetic: 17*23'],
    ['Could you please calculate 2 + 2?', 'arithmetic: 2 + 2'],
    [' \t2 + 2 \n', 'arithmetic: 2 + 2'],
    ['what is 2 million plus 3', 'arithmetic: 2000000 + 3'],
    ['2.5 million / 1,500 thousand', 'arithmetic: 2500000/1500000'],
    ['0.05 thousand times 3', 'arithmetic: 50*3'],
    ['1.2345 thousand + 5 hundred', 'arithmetic: 1234.5 + 500'],
    ['2x3', 'arithmetic: 2*3'],
    ['2 x (3 + 4)', 'arithmetic: 2*(3 + 4)'],
    ['-2^2', 'arithmetic: -2^2'],
    ['2^3^2', 'arithmetic: 2^(3^2)'],
    ['2pi', 'arithmetic: 2*pi'],
    ['∫ x² dx', 'integral by x: x^2'],
    ['Integrate x^2 dx', 'integral by x: x^2'],
    ['integrate 3x^2 + 2xdx', 'not math'],
    ['integral of t^2 dt', 'integral by t: t^2'],
    ['integrate dx', 'integral by x: 1'],
    ['integral of x^2 from 0 to 3', 'integral by x from 0 to 3: x^2'],
    ['integral from 0 to pi of sin(x) dx', 'integral by x from 0 to pi: sin(x)'],
    ['derivative of sin(x)^2', 'derivative 1 by x: sin(x)^2'],
    ['derivative of sin²(x)', 'derivative 1 by x: sin(x)^2'],
    ['derivative of sin 2x', 'derivative 1 by x: sin(2*x)'],
    ['second derivative of x^4', 'derivative 2 by x: x^4'],
    ['d/dx of e^x', 'derivative 1 by x: e^x'],
    ['d/dt t^2', 'derivative 1 by t: t^2'],
    ['d^2/dx^2 x^4', 'derivative 2 by x: x^4'],
    ['derivative of a*t^2 with respect to t', 'derivative 1 by t: a*t^2'],
    ['derivative of a*b', 'refused'],
    ['derivative of x^2 at x = 3', 'derivative 1 by x: x^2 at 3'],
    ['differentiate x^3 + 2x', 'derivative 1 by x: x^3 + 2*x'],
    ['derivative of 3(x+1)', 'derivative 1 by x: 3*(x + 1)'],
    ['derivative of xy with respect to y', 'derivative 1 by y: x*y'],
    ['derivative of log(x)', 'derivative 1 by x: log10(x)'],
    ['is 17 prime?', 'prime: 17'],
    ['derivative of natural log of x', 'derivative 1 by x: ln(x)'],
    ['solve x^2 - 5x + 6 = 0', 'solve for x: x^2 - 5*x + 6 = 0'],
    ['solve 2x + 3 = 11 for x', 'solve for x: 2*x + 3 = 11'],
    ['solve for y: 2y = x', 'solve for y: 2*y = x'],
    ['what is x if 2x = 10', 'solve for x: 2*x = 10'],
    ['roots of x^2 - 1', 'solve for x: x^2 - 1 = 0'],
    ['simplify (x^2-1)/(x-1)', 'simplify: (x^2 - 1)/(x - 1)'],
    ['factor x^2-5x+6', 'factor: x^2 - 5*x + 6'],
    ['expand (x+1)^3', 'expand: (x + 1)^3'],
    ['limit of sin(x)/x as x -> 0', 'limit both x to 0: sin(x)/x'],
    ['limit of 1/x as x approaches 0 from the right', 'limit right x to 0: 1/x'],
    ['lim x->0 sin(x)/x', 'limit both x to 0: sin(x)/x'],
    ['limit of 1/x as x → ∞', 'limit both x to infinity: 1/x'],
  ])('%s means %s', (query, expected) => {
    expect(summary(parseMathQuery(query))).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '42',
    '-5',
    '50%',
    'pi',
    'what is pi?',
    'e',
    'x',
    'x^2',
    'a + b',
    '3+',
    '*',
    '()',
    '((',
    'dx',
    'd/dx',
    'sum',
    'sum of',
    'integrate',
    'integral',
    'derivative of',
    'solve',
    'simplify',
    'factor',
    'limit',
    'import',
    'import fs',
    '__proto__',
    'constructor',
    'constructor(1)',
    'toString()',
    'this',
    'process.exit(1)',
    'require("fs")',
    'zeros(1e5,1e5)',
    'ones(9,9)',
    '2024-05-01',
    '2024-12-25',
    '12/25/2024',
    '555-1234',
    '555-123-4567',
    '(555) 123-4567',
    '+1 555 123 4567',
    '+49 30 123456',
    '123-45-6789',
    '4111-1111-1111-1111',
    'covid-19',
    '1.2.3',
    'v1.2.3',
    '192.168.0.1',
    '10:30',
    '24/7',
    '0x10',
    '5 5',
    '1 2 3',
    '007',
    '3,5 + 2',
    'route 66',
    'top 10 songs',
    'remember to call mom at 5',
    'who am i',
    'What is my favorite color?',
    'summarize my tournament history',
    'integrate with Slack',
    'derivative of the market',
    'solve world hunger',
    'factor in the cost',
    'limit of my card',
    'sum of all fears',
    'half of my friends',
    'one of us',
    'two and three',
    'times',
    'planets',
    'excited',
    'Jean-Luc',
    'i + 1',
    '٣ + ٤',
    '２＋２',
    '😀 + 1',
    'a\u0000b',
    '\ud800',
    'constructor + 1',
    'hasOwnProperty(1)',
    '1 + __proto__',
    '$2 * $3',
    '$1 + €2',
    '9/11',
    'What is 50/50?',
    '01-23-45-678',
    "1'; DROP TABLE x",
    '<b>1+1</b>',
    '1e5',
    '1/2/2024',
  ])('%j is no mathematics', (query) => {
    expect(parseMathQuery(query)).toBeNull();
  });

  it.each([
    ['100 + 10%', 'share of the amount'],
    ['6/2(1+2)', 'two ways'],
    ['5!!', 'double factorial'],
    ['10/2% of 50', 'percent sign'],
    ['1 / 2% of 200', 'percent sign'],
    ['100/50%', 'percent sign'],
    ['2^2% of 100', 'percent sign'],
    ['sqrt 4% of 100', 'percent sign'],
    ['7 mod 3% of 5', 'percent sign'],
    ['2*1/2% of 5', 'percent sign'],
    ['17% 5', 'a mod b'],
    ['17 % -5', 'mod'],
    ['average of 100,200,300', 'commas'],
    ['derivative of sin^-2(x)', 'inverse or a reciprocal'],
    ['1' + '+1'.repeat(499), 'parts'],
    ['1' + '+1'.repeat(501), '1,000 characters'],
    [`What is 1${' + 1'.repeat(400)}?`, '1,000 characters'],
    [`calculate 1${' + 1'.repeat(400)}`, '1,000 characters'],
    ['('.repeat(150) + '1+1' + ')'.repeat(150), 'nested'],
    ['('.repeat(10_000) + '1' + ')'.repeat(10_000), '1,000 characters'],
    ['-'.repeat(300) + '1', 'nested'],
    ['integrate x from 0 to infinity', 'infinite'],
    ['d^9/dx^9 x^20', 'fourth'],
    ['1e99999 + 1', 'digits'],
  ])('%j is refused, and says why', (query, reason) => {
    expect(parseMathQuery(query)).toEqual({ kind: 'refused', reason: expect.stringContaining(reason) });
  });

  it('reads 100 kB of anything without hanging', () => {
    const inputs = [
      '9',
      '(',
      'x',
      ' ',
      '1,',
      '1+',
      'sum of ',
      'one hundred ',
      'what is ',
      'ab,',
      '𝟚',
      '²',
      'd/dx ',
      '= ',
      '. ',
      'plus ',
      '.',
    ].map((part) => part.repeat(100_000 / part.length));
    for (const input of inputs) expect(['refused', undefined]).toContain(parseMathQuery(input)?.kind);
  });

  it('reads 1,000 characters of repeated parts without hanging', () => {
    const parts = [
      '9',
      '(',
      'x',
      ' ',
      '1,',
      '1,000',
      '1+',
      'sum of ',
      'one hundred ',
      'twenty ',
      'what is ',
      ' is',
      '?',
      'and ',
      '1 and ',
      '²',
      'd/dx ',
      '= ',
      '. ',
      'plus ',
      '^',
      '^2',
      '!',
      '%',
      '-',
      'of 2 ',
      'x from 1 to 2 ',
      'sin ',
      '|',
      'e',
      '2e',
      '1e1',
      'integral of ',
      'lim ',
      ' as x->',
    ];
    for (const lead of [
      '',
      'x at b=1',
      'what is ',
      'integrate ',
      'derivative of ',
      'solve ',
      'sum of ',
      'limit of ',
      '1',
    ]) {
      for (const part of parts) expect(() => parseMathQuery((lead + part.repeat(1_000)).slice(0, 1_000))).not.toThrow();
    }
  });

  it('ends on a list of values that breaks off, however long it is', () => {
    // Each value was read in two ways: forty of them would outlast any timeout.
    expect(() => parseMathQuery(`x at b = 1${', a = 2'.repeat(40)}, a =`)).not.toThrow();
  });
});
