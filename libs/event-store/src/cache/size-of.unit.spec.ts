import fc from 'fast-check';

import { GrowingMap } from '#lib/kernel';

import { sizeOf } from './size-of.js';

describe('the size of a value', () => {
  it('is no less than its JSON text has characters, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sizeOf(value)).toBeGreaterThanOrEqual(JSON.stringify(value).length);
      }),
    );
  });

  it('counts what maps, sets and bytes hold, and what classes hold within', () => {
    const text = 'x'.repeat(1000);
    const holders = [new Map([[text, 1]]), new Map([[1, text]]), new Set([text]), Buffer.from(text)];
    for (const holder of [...holders, GrowingMap.empty().with('a', text)])
      expect(sizeOf(holder)).toBeGreaterThanOrEqual(1000);
    expect(sizeOf(undefined)).toBeLessThan(100);
  });
});
