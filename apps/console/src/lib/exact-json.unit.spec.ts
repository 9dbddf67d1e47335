import { aligned, laidOut, linesOf, valueAt } from './exact-json.js';

describe('JSON as it was stored', () => {
  const text = '{"a":{"b/c":[1.10,12345678901234567890,{}]},"d":"x, \\"y\\": {"}';

  it('keeps every digit and name when it is laid out', () => {
    expect(laidOut(text).replace(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/g, '')).toContain('12345678901234567890');
    expect(linesOf(text).map(({ depth, text: shown }) => `${depth} ${shown}`)).toEqual([
      '0 {',
      '1 "a": {',
      '2 "b/c": [',
      '3 1.10',
      '3 12345678901234567890',
      '3 {}',
      '2 ]',
      '1 }',
      '1 "d": "x, \\"y\\": {"',
      '0 }',
    ]);
  });

  it('finds the text of a value by its pointer, names escaped', () => {
    expect(valueAt(text, '/a/b~1c/1')).toBe('12345678901234567890');
    expect(valueAt(text, '/a')).toBe('{"b/c":[1.10,12345678901234567890,{}]}');
    expect(valueAt(text, '')).toBe(text);
    expect(valueAt(text, '/a/x')).toBeUndefined();
  });

  it('puts values of the same place beside each other, and leaves a gap where a side has none', () => {
    const pairs = aligned('{"a":1,"b":[1,2],"d":1}', '{"a":2,"b":[1],"c":{"x":0},"d":1}');
    expect(pairs.map(({ left, right, isSame }) => [left?.text, right?.text, isSame])).toEqual([
      ['{', '{', true],
      ['"a": 1', '"a": 2', false],
      ['"b": [', '"b": [', true],
      ['1', '1', true],
      ['2', undefined, false],
      [']', ']', true],
      [undefined, '"c": {', false],
      [undefined, '"x": 0', false],
      [undefined, '}', false],
      ['"d": 1', '"d": 1', true],
      ['}', '}', true],
    ]);
  });
});
