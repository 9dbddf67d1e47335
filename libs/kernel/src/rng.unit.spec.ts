import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { DeterministicRng, oneShotUint32, retryAllowed, writeRetryDelayMs } from './rng.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('DeterministicRng', () => {
  test('draw i is the first 53 bits of the hash of seed, ":rng:" and i, over 2^53', () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const rng = new DeterministicRng(seed);
        for (let i = 0; i < 3; i++) {
          const bits = sha256(`${seed}:rng:${i}`).readBigUInt64BE(0) >> 11n;
          expect(rng.next()).toBe(Number(bits) / 2 ** 53);
        }
      }),
    );
  });

  test('draws lie in [0, 1) and two of one seed agree', () => {
    const [a, b] = [new DeterministicRng('s'), new DeterministicRng('s')];
    const draws = Array.from({ length: 1000 }, () => a.next());
    expect(draws.every((x) => x >= 0 && x < 1)).toBe(true);
    expect(Array.from({ length: 1000 }, () => b.next())).toEqual(draws);
    expect(new Set(draws).size).toBe(1000);
  });
});

describe('what a seed alone decides', () => {
  test('a retry is allowed where the last byte of the hash is even', () => {
    fc.assert(fc.property(fc.string(), (seed) => retryAllowed(seed) === (sha256(seed)[31]! % 2 === 0)));
    expect(new Set(['a', 'b', 'c', 'd', 'e'].map(retryAllowed))).toEqual(new Set([true, false]));
  });

  test('a write waits 0, 10, 20 or 30 ms before its retry', () => {
    fc.assert(fc.property(fc.string(), (seed) => writeRetryDelayMs(seed) === (sha256(seed)[31]! % 4) * 10));
  });

  test('oneShotUint32 is the first four bytes, big endian', () => {
    fc.assert(fc.property(fc.string(), (seed) => oneShotUint32(seed) === sha256(seed).readUInt32BE(0)));
  });
});
