import fc from 'fast-check';
import { normalize, normalizeWhole } from './normalize.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
);

/** The rule as spec/memory.md states it, step by step. */
function bySpecification(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\0-\x7f]/g, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/_+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
}

describe('normalize', () => {
  it.each([
    ['Favorite Color', 'favorite_color'],
    ['  Favorite--Colour!! ', 'favorite_colour'],
    ['Crème Brûlée', 'creme_brulee'],
    ['Cre\u0300me', 'creme'],
    ['ＴＵＦＦ', 'tuff'],
    ['ﬁnal ½', 'final_12'],
    ['Straße', 'strae'],
    ['__a__b__', 'a_b'],
    ['a\u0000b', 'a_b'],
    ['日本語', ''],
    ['!!!', ''],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(normalize(text)).toBe(expected);
  });

  it('cuts at 64 and keeps a "_" that the cut leaves at the end, as the seed does', () => {
    expect(normalize('a'.repeat(65))).toBe('a'.repeat(64));
    expect(normalize(`${'a'.repeat(63)} b`)).toBe(`${'a'.repeat(63)}_`);
    expect(normalizeWhole(`${'a'.repeat(63)} b`)).toBe(`${'a'.repeat(63)}_b`);
  });

  it('gives what the steps of the specification give for every text', () => {
    fc.assert(fc.property(anyText, (text) => expect(normalize(text)).toBe(bySpecification(text))));
  });

  it('gives only single "_" between letters and digits, at most 64 of all', () => {
    fc.assert(fc.property(anyText, (text) => expect(normalize(text)).toMatch(/^([a-z0-9]+(_[a-z0-9]+)*_?)?$/)));
    fc.assert(fc.property(anyText, (text) => expect(normalize(text).length).toBeLessThanOrEqual(64)));
  });

  it('changes nothing when done a second time', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = normalizeWhole(text);
        expect(normalizeWhole(once)).toBe(once);
        expect(normalize(normalize(text))).toBe(normalize(text).replace(/_$/, ''));
      }),
    );
  });

  it.each([
    ['letters', 'a'],
    ['underscores between letters', 'a_'],
    ['punctuation', '!'],
    ['blanks', ' '],
    ['combining marks that NFKD would sort in quadratic time', '\u0301\u0316'],
    ['the character that decomposes into the most', '\ufdfa'],
    ['capital sigmas with marks', 'Σ\u0301'],
  ])('comes to an end on a million of %s', (_kind, unit) => {
    expect(normalize(unit.repeat(1_000_000 / unit.length)).length).toBeLessThanOrEqual(64);
  });
});
