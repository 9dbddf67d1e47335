import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { seedEpochMs, timestampSeeded } from './seeded-time.js';

const YEAR_2025 = Date.parse('2025-01-01T00:00:00.000Z');

describe('seeded time', () => {
  test('is 2025 plus the first four bytes of the hash, modulo a year, in seconds, plus n milliseconds', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(1_000_000), (seed, n) => {
        const seconds = createHash('sha256').update(seed).digest().readUInt32BE(0) % 31_536_000;
        expect(timestampSeeded(seed, n)).toBe(new Date(YEAR_2025 + seconds * 1000 + n).toISOString());
        expect(seedEpochMs(seed)).toBe(YEAR_2025 + seconds * 1000);
      }),
    );
  });

  test('index 0 lies in 2025 on a whole second, and each index is one millisecond later', () => {
    expect(timestampSeeded('demo-1', 0)).toMatch(/^2025-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(Date.parse(timestampSeeded('demo-1', 13)) - Date.parse(timestampSeeded('demo-1', 0))).toBe(13);
  });
});
