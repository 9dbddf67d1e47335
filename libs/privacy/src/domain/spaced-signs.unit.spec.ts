import fc from 'fast-check';

import { spacedSigns } from './spaced-signs.js';

const found = (text: string): readonly string[] => [...spacedSigns(text)].map((signs) => signs.text);

describe('signs that stand apart', () => {
  it.each([
    ['a n n a @ g m x . d e', 'anna@gmx.de'],
    ['write to a n n a @ g m x . d e please', 'anna@gmx.de'],
    ['(a-n-n-a-@-g-m-x-.-d-e)', 'anna@gmx.de'],
    ['mail:a.n.n.a.@.g.m.x...d.e', 'anna@gmx.de'],
    ['D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0', 'DE89370400440532013000'],
    ['1 2 3 4 5 6 7 8 Z', '12345678Z'],
  ])('are read together: %j', (text, signs) => {
    expect(found(text)).toEqual([signs]);
  });

  it.each(['a b c d', '1 2 3 4 5 6 7 8 9 0', 'an example of a text', '1, 2, 3, 4, 5, 6, 7, 8, 9, 10'])(
    'are none in %j',
    (text) => {
      expect(found(text)).toEqual([]);
    },
  );

  it('are found wherever they stand, each at its place', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{2,9}( [a-z]{2,9}){0,4}$/),
        fc.stringMatching(/^[a-z]{9,40}$/),
        (prose, word) => {
          const text = `${prose} ${[...word].join(' ')} ${prose}`;
          const [signs, ...others] = [...spacedSigns(text)];
          expect([signs?.text, others]).toEqual([word, []]);
          expect([...word].map((_, at) => text.charAt(signs!.place(at))).join('')).toBe(word);
        },
      ),
    );
  });
});
