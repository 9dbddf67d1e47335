import fc from 'fast-check';

import { canonicalize } from '#lib/kernel';

import { canonical, type Json, MAX_DEPTH } from './canonical.js';

/** What the verifier writes is what the kernel signed, though neither knows the other. */
describe('the verifier’s canonical text', () => {
  test('is the kernel’s for any JSON, plain or not', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', maxDepth: 6 }), (text) => {
        const value = JSON.parse(text) as Json;
        expect(outcomeOf(() => canonical(value))).toEqual(outcomeOf(() => canonicalize(value)));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['{"b":1,"a":{"d":[],"c":null}}', '{"a":{"c":null,"d":[]},"b":1}'],
    ['{"a":1,"10":2,"9":3}', '{"10":2,"9":3,"a":1}'],
    ['{"9":1,"10":2}', '{"10":2,"9":1}'],
    ['[0.1234567891, 1e-10, -0, 0.1e1, 1e-7]', '[0.123456789,0,0,1,1e-7]'],
    ['["\\u0041\\u2028\\u001f\\/"]', '["A\u2028\\u001f/"]'],
    ['{"__proto__":{"b":0,"a":0}}', '{"__proto__":{"a":0,"b":0}}'],
  ])('of %s is %s', (json, text) => {
    expect(canonical(JSON.parse(json) as Json)).toBe(text);
  });

  test.each([
    '1e999',
    '[-1e999]',
    '9007199254740993',
    '{"a":"\\ud800"}',
    '{"\\udfff":1}',
    '[1e300]',
    nested(MAX_DEPTH + 1),
  ])('is none for %s', (json) => {
    expect(() => canonical(JSON.parse(json) as Json)).toThrow(RangeError);
  });

  test('reaches as deep as allowed, beside what is in another order too', () => {
    const deep = nested(MAX_DEPTH - 1);
    expect(canonical(JSON.parse(`{"b":${deep},"a":1}`) as Json)).toBe(`{"a":1,"b":${deep}}`);
    expect(canonical(JSON.parse(`[${deep}]`) as Json)).toBe(`[${deep}]`);
  });
});

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels);
}

/** Both refuse with errors of their own. */
function outcomeOf(act: () => string): string | null {
  try {
    return act();
  } catch {
    return null;
  }
}
