import fc from 'fast-check';

import { detect, detectInPayload } from '../detection.js';
import type { Detect } from './detector.js';
import { detectInPayload as detectWith } from './detect-in-payload.js';
import { isPlain } from './plain-leaves.js';

const PIECES = [...'0123456789abcdefxyzATOIl@.-: /+_()#é٣５'];

describe('short and plain values', () => {
  it('hold nothing that a rule finds by itself', () => {
    const texts = fc.oneof(
      fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((signs) => signs.join('')),
      fc.stringMatching(/^-?(?:[0-9]{1,12}|0\.[0-9]{1,12}|[0-9]{1,3}\.[0-9]{1,3})$/),
      fc.stringMatching(/^[A-Za-z]{1,15}$/),
      fc.stringMatching(/^[A-Za-z0-9]{1,8}$/),
      fc.stringMatching(/^(?:[XYZ][0-9]{7}|[0-9]{8}|[A-Z]{2}[0-9]{6}|[0-9a-f]{8})$/),
    );
    fc.assert(
      fc.property(texts.filter(isPlain), (text) => {
        expect(detect(text)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['536-22-8145', 'annaATgmx', 'X1234567L', '4111111111111111', 'E11.9', 'I’m Al', 'a@b.co'])(
    'are others than %j, which is looked at',
    (text) => expect(isPlain(text)).toBe(false),
  );

  it('are read by the rules only where something around speaks of them', () => {
    let asked = 0;
    const counting: Detect = (text, options) => {
      asked += 1;
      return detect(text, options);
    };
    const many = Array.from({ length: 50_000 }, (_, nth) => nth);
    expect(
      detectWith(counting, { values: many, floats: many.map((nth) => nth / 1e5), names: { a: 'b', kind: 'red' } }),
    ).toEqual([]);
    expect(asked).toBeLessThan(10);
    expect(detectInPayload({ ssn: 536228145 })).toMatchObject([{ finding: { type: 'us_ssn' } }]);
    expect(detectInPayload({ value: 536228145, note: 'my ssn' })).toMatchObject([{ finding: { type: 'us_ssn' } }]);
    expect(detectInPayload({ diagnosis: 'asthma' })).toMatchObject([{ finding: { type: 'medical_diagnosis' } }]);
  });
});
