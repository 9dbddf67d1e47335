import { readFileSync } from 'node:fs';
import { ERROR_CATALOGUE } from '#lib/kernel';

const golden = JSON.parse(readFileSync('test/golden/golden_messages.json', 'utf8')) as Record<string, string>;

describe('golden_messages.json, written by `npm run golden`', () => {
  test.each(Object.entries(ERROR_CATALOGUE))('holds the message of %s, letter for letter', (code, { user_message }) => {
    expect(golden[code]).toBe(user_message);
  });

  test('holds no code that the catalogue does not have', () => {
    expect(Object.keys(golden).filter((code) => !Object.hasOwn(ERROR_CATALOGUE, code))).toEqual([]);
  });
});
