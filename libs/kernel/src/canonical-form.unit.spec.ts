import fc from 'fast-check';

import { isCanonical } from './canonical-form.js';
import { canonicalize, MAX_DEPTH } from './canonical-json.js';

const value = fc.jsonValue({ maxDepth: 4 }).filter((json) => typeof json === 'object' && json !== null);

function writtenAgain(text: string): boolean {
  try {
    return canonicalize(JSON.parse(text)) === text;
  } catch {
    return false;
  }
}

function told(text: string): boolean {
  try {
    return isCanonical(text, JSON.parse(text) as object);
  } catch {
    return false;
  }
}

describe('a text', () => {
  test('is in canonical form exactly where reading and writing it again gives it back, of whatever script and numbers', () => {
    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        expect(told(text)).toBe(writtenAgain(text));
      }),
    );
  });

  test.each([
    '{"a":1,"a":1}',
    '{"b":1,"a":1}',
    '{ "a":1}',
    '{"a":1.0}',
    '{"a":0.1234567891}',
    '{"a":"\\u0061"}',
    '{"é":"\\u00e9"}',
    '{"é":1,"é":1}',
    '{"a":1}\n',
  ])('%s is not, though it can be read', (text) => {
    expect(told(text)).toBe(false);
    expect(writtenAgain(text)).toBe(false);
  });

  test.each([MAX_DEPTH + 1, 20_000])('of lists in lists, %i deep, is not', (depth) => {
    expect(told('['.repeat(depth) + ']'.repeat(depth))).toBe(false);
    expect(told('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).toBe(true);
  });

  test.each(['{"1":"x","10":"y","2":"z"}', '{"é":"ž"}', '{"a":{"b":[1,0.5,null,true,"\\n"]}}', '[]'])(
    '%s is',
    (text) => {
      expect(told(text)).toBe(true);
      expect(writtenAgain(text)).toBe(true);
    },
  );
});
