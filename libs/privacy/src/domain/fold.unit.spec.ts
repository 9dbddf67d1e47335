import fc from 'fast-check';
import { detect } from '../detection.js';
import { fold } from './fold.js';
import { MAY_ESCAPE } from './fold-escapes.js';

const hexOf = (char: string): string => (char.codePointAt(0) ?? 0).toString(16).padStart(2, '0');

/** Writings of one digit, hyphen and letter that a reader takes for it. */
const DISGUISES = [
  (char: string) => char,
  (char: string) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0),
  (char: string) => (/\d/.test(char) ? String.fromCodePoint(0x660 + Number(char)) : char),
  (char: string) => (/\d/.test(char) ? String.fromCodePoint(0x1d7ce + Number(char)) : char),
  (char: string) => `${char}\u200b`,
  (char: string) => `${char}\ufe0f`,
  (char: string) => (char === '-' ? '\u2013' : `\u2060${char}`),
  (char: string) => `&#${char.codePointAt(0)};`,
  (char: string) => `&#x${hexOf(char)};`,
  (char: string) => `%${hexOf(char)}`,
  (char: string) => `\\u00${hexOf(char)}`,
];

const disguised = (plain: string): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(DISGUISES.length - 1), { minLength: plain.length, maxLength: plain.length })
    .map((choice) => [...plain].map((char, at) => DISGUISES[choice[at] ?? 0]?.(char) ?? char).join(''));

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...'019-. \n\t\u200b１٣О@a\u0301\ud83d\ude00\ud800\u00ad%&#;x4'.split('')) }),
);

describe('the folded copy', () => {
  it('maps every span back to original text that folds to the same, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, a, b) => {
        const folded = fold(text);
        if (folded.text.length === 0) return;
        const start = a % folded.text.length;
        const end = start + 1 + (b % (folded.text.length - start));
        const whole = (place: number): boolean => !/^[\udc00-\udfff]/.test(folded.text.slice(place));
        fc.pre(whole(start) && (end === folded.text.length || whole(end)));
        const [from, to] = folded.span(start, end);
        expect(0 <= from && from < to && to <= text.length).toBe(true);
        // A mark that was dropped after a digit is kept where the digit is cut off before it.
        const again = fold(text.slice(from, to)).text;
        expect(again).toBe(folded.text.slice(start, end));
      }),
      { numRuns: 2000 },
    );
  });

  it('is no longer than the original, and folding it again changes nothing that is not written out twice', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = fold(text).text;
        expect(once.length).toBeLessThanOrEqual(text.length);
        if (!MAY_ESCAPE.test(once)) expect(fold(once).text).toBe(once);
        expect(fold(text).digits).toHaveLength(once.length);
      }),
    );
  });

  it('hides nothing: any disguise of what is looked for is found at its exact place', () => {
    const plain = fc.constantFrom(
      '123-45-6789',
      '912-70-1234',
      'AB123456C',
      '401-023-2137',
      '130-692-544',
      '2341-2341-2346',
      '12345678Z',
      'X1234567L',
      'RSSMRA85T10A562S',
      '86-095-742-719',
      '4111-1111-1111-1111',
      '4111111111111111',
      'DE89370400440532013000',
      '8.8.8.8',
      '2001:4860:4860::8888',
      '00:1A:2B:3C:4D:5E',
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'john@gmail.com',
      '+14155552671',
    );
    const around = fc.constantFrom('', 'x: ', 'пример ', '😀 ', '日本語 ', 'a\n\n');
    fc.assert(
      fc.property(
        plain.chain((text) => fc.tuple(fc.constant(text), disguised(text))),
        around,
        around,
        ([value, hidden], before, after) => {
          const text = `${before}${hidden} ${after}`;
          const [finding, ...more] = detect(text);
          expect(more).toEqual([]);
          expect(fold(text.slice(finding?.start, finding?.end)).text).toBe(value);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('reads through strokes over letters, keycaps and letters of other scripts', () => {
    const found = (text: string): readonly string[] => detect(text).map(({ type }) => type);
    expect(found('A\u0336B\u03361\u033623456C')).toEqual(['uk_nino']);
    expect(found('\u0410\u0412123456\u0421')).toEqual(['uk_nino']);
    expect(found('1\ufe0f\u20e323-45-6789')).toEqual(['us_ssn']);
    expect(found('DE89 37\u041e4 0044 0532 0130 00')).toEqual(['iban']);
  });

  it('reads digits in brackets and with a sign after them, of one character each', () => {
    expect(fold('⑴⑵⑶-⑷⑸-⑹⑺⑻⑼ ⒈⒉ 🄂🄊').text).toBe('123-45-6789 12 19');
    expect(fold('⑽ ⒑ ⒜').text).toBe('⑽ ⒑ ⒜');
  });

  it('folds any run of spaces, tabs and line breaks to one space', () => {
    expect(fold('a \r\n\t\u00a0\u2003\u3000b').text).toBe('a b');
  });

  it('reads what pages, their addresses and programs write out, and leaves per cent and ampersands alone', () => {
    expect(fold('a&#64;b&#x2E;c%40d\\u0040e&nbsp;&ensp;f&commat;g').text).toBe('a@b.c@d@e f@g');
    for (const text of ['50% of 20%, R&D; AT&T', '100%g', '&unknown;', 'C:\\users', '&#0;', '%1f'])
      expect(fold(text).text).toBe(text);
  });

  it('reads O, l, I and | as digits only in tokens of nothing else', () => {
    expect(fold('l0O| Oslo H2O 10l').digits).toBe('1001 Oslo H2O 101');
  });
});
