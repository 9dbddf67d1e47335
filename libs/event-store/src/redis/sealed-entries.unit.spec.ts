import fc from 'fast-check';

import { CacheEntryError } from '../cache/guarded-state-cache.js';
import { SealedEntries } from './sealed-entries.js';

const entries = new SealedEntries(Buffer.alloc(32, 1));
const ENTRY = { state: { value: 'blue' }, head: { stream: 's', version: 7, lastHash: 'ab'.repeat(32) } };

function stored(name = entries.nameOf('k')): Buffer {
  const { revision, sealed } = entries.seal(name, ENTRY);
  return Buffer.concat([Buffer.from(revision), sealed]);
}

describe('a sealed entry', () => {
  it('opens under its name to what it was', () => {
    expect(entries.open(entries.nameOf('k'), stored())).toEqual(ENTRY);
  });

  it('opens under no other name, and under no other secret', () => {
    expect(() => entries.open(entries.nameOf('other'), stored())).toThrow(CacheEntryError);
    const others = new SealedEntries(Buffer.alloc(32, 2));
    expect(others.nameOf('k')).not.toBe(entries.nameOf('k'));
    expect(() => others.open(entries.nameOf('k'), stored())).toThrow(CacheEntryError);
  });

  it('opens no more once a bit of any of its bytes is another', () => {
    const name = entries.nameOf('k');
    const bytes = stored(name);
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at & 7);
      expect(() => entries.open(name, changed)).toThrow(CacheEntryError);
    }
  });

  it('is refused as any bytes that were never sealed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(() => entries.open(entries.nameOf('k'), Buffer.from(bytes))).toThrow(CacheEntryError);
      }),
    );
  });

  it('begins with its revision in digits that compare as numbers do', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (a, b) => {
        const [x, y] = [a, b].map((version) => entries.seal('n', { ...ENTRY, head: { ...ENTRY.head, version } }));
        expect(x!.revision < y!.revision).toBe(a < b);
      }),
    );
  });

  it('shows nothing of what it holds, and is never the same twice', () => {
    const text = stored().toString('latin1');
    expect(text).not.toMatch(/blue|lastHash|abab/);
    expect(stored().equals(stored())).toBe(false);
  });
});
