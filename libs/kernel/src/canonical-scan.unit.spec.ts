import fc from 'fast-check';

import { canonicalize, MAX_DEPTH } from './canonical-json.js';
import { CanonicalScan, Members } from './canonical-scan.js';
import { round9 } from './rounding.js';

const scan = new CanonicalScan();

function accepts(text: string): boolean {
  return scan.begin(text) && scan.value(0) && scan.isAtEnd;
}

/** What the scan stands for: read, written again, and compared. */
function isCanonical(text: string): boolean {
  try {
    return canonicalize(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

const ascii = fc.oneof(fc.string({ unit: 'binary-ascii', maxLength: 8 }), fc.constantFrom('', '10', '9', '__proto__'));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map(round9),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e-5, max: 1e-5 }).map(round9),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    number,
    ascii,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(ascii, tie('value'), { maxKeys: 4 }),
  ),
})).value;

function hasEscapedName(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, one]) => JSON.stringify(name).includes('\\') || hasEscapedName(one));
}

test('of whatever values, the canonical text is accepted where no name needs an escape', () => {
  const named = json.filter((value) => !hasEscapedName(value));
  fc.assert(fc.property(named, (value) => expect(accepts(canonicalize(value))).toBe(true)));
});

test('no text is accepted that reading and writing again would make another of, whatever bytes of it were changed', () => {
  const change = fc.record({
    at: fc.nat(),
    drop: fc.nat({ max: 2 }),
    put: fc.oneof(
      fc.constantFrom(...'"\\{}[],:-+.0123456789eE \n\tua', ''),
      fc.constantFrom(
        '\\u0041',
        '\\u001F',
        '\\n',
        '\\/',
        '1e3',
        '0.10',
        '-0',
        'null',
        '"a":1,',
        '[]',
        '\u00e9',
        '\ud800',
      ),
    ),
  });
  const changed = fc.tuple(json, fc.array(change, { minLength: 1, maxLength: 3 })).map(([value, changes]) => {
    let text = canonicalize(value);
    for (const { at, drop, put } of changes) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + put + text.slice(place + drop);
    }
    return text;
  });
  fc.assert(
    fc.property(changed, (text) => !accepts(text) || isCanonical(text)),
    { numRuns: 3000 },
  );
});

test('whatever looks like a number is accepted only as a number is written', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789-+.eE'), minLength: 1, maxLength: 24 });
  const decimal = fc
    .tuple(fc.integer({ min: -1e6, max: 1e6 }), fc.nat({ max: 999_999_999 }), fc.nat({ max: 12 }))
    .map(([whole, decimals, places]) => `${whole}.${String(decimals).padStart(places, '0')}`);
  const like = fc.oneof(digits, decimal, fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String));
  fc.assert(
    fc.property(like, (text) => !accepts(text) || isCanonical(text)),
    { numRuns: 3000 },
  );
});

test.each([
  ['0', true],
  ['-0', false],
  ['01', false],
  ['-1', true],
  ['9007199254740991', true],
  ['9007199254740992', false],
  ['0.5', true],
  ['-0.5', true],
  ['0.50', false],
  ['00.5', false],
  ['-0.0', false],
  ['0.000001', true],
  ['0.0000001', false],
  ['1e-7', true],
  ['1e3', false],
  ['1e21', false],
  ['0.1234567891', false],
  ['123456.123456789', true],
  ['1.', false],
  ['.5', false],
  ['-', false],
  ['"a\\nb"', true],
  ['"a\\u000ab"', false],
  ['"a\\u001fb"', true],
  ['"a\\u001Fb"', false],
  ['"a\\/b"', false],
  ['"a\nb"', false],
  ['"a\u007fb"', true],
  ['"\\ud800"', false],
  ['"a', false],
  ['{"a":1,"b":2}', true],
  ['{"b":2,"a":1}', false],
  ['{"a":1,"a":1}', false],
  ['{"a":1,"ab":2}', true],
  ['{"ab":1,"a":2}', false],
  ['{"":1,"a":2}', true],
  ['{"a":1,}', false],
  ['{"a" :1}', false],
  ['[1,2,]', false],
  ['[1, 2]', false],
  ['[]', true],
  ['{}', true],
  ['{', false],
  ['[', false],
  ['nul', false],
  ['truefalse', false],
  ['', false],
])('%s is accepted: %s', (text, expected) => {
  expect(accepts(text)).toBe(expected);
  if (expected) expect(isCanonical(text)).toBe(true);
});

test('as many levels are accepted as canonical JSON has, and not one more', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  expect([accepts(nested(MAX_DEPTH)), isCanonical(nested(MAX_DEPTH))]).toEqual([true, true]);
  expect([accepts(nested(MAX_DEPTH + 1)), isCanonical(nested(MAX_DEPTH + 1))]).toEqual([false, false]);
});

test('a text that is not ASCII is left to others, whatever its length', () => {
  const wide = (length: number): string => `"${'\u00e9'.repeat(length - 2)}"`;
  for (const length of [3, 1000, 32_767, 32_768, 32_769, 40_000]) expect(scan.begin(wide(length))).toBe(false);
});

test('what a longer text left behind is not taken for part of a shorter one', () => {
  expect(accepts('[1,2,3,"abcdef"]')).toBe(true);
  expect(accepts('[1,2')).toBe(false);
  expect(accepts('[1,2,3,"ab')).toBe(false);
});

test('of the members of an object those that are looked for are taken, with the text of their values', () => {
  const wanted = new Members(['a', 'b', 'd']);
  const taken = (text: string): readonly string[] => {
    wanted.clear();
    expect(scan.begin(text) && scan.object(0, wanted)).toBe(true);
    return [...wanted.values];
  };
  expect(taken('{"a":{"x":1},"aa":0,"b":"two","c":3,"d":[4]}')).toEqual(['{"x":1}', '"two"', '[4]']);
  expect(taken('{"a":{"b":1},"ab":2,"b":3}')).toEqual(['{"b":1}', '3', '']);
  // What is looked for behind one that is missing is not taken: it is never taken for another.
  expect(taken('{"a":1,"d":4}')).toEqual(['1', '', '']);
  expect(taken('{}')).toEqual(['', '', '']);
});
