import { createHash, createHmac, generateKeyPairSync, sign, verify } from 'node:crypto';
import { performance } from 'node:perf_hooks';

/**
 * Microseconds on the machine for which the aims in absolute figures were set: 43 thousand Ed25519 signatures and 16
 * thousand verifications a second, SHA-256 of 600 bytes in one microsecond, HMAC in two.
 */
const REFERENCE = { sign: 1e6 / 43_000, verify: 1e6 / 16_000, sha256: 1, hmac: 2 } as const;

const BLOCKS = 30;
const BLOCK_MS = 2;

/**
 * How fast this processor is, 1 being the reference machine. What else runs is not in it: of many short blocks the
 * fastest counts. It says nothing of disks, and of the compiler and collector only as far as they go with the rest.
 */
export function speedOfThisMachine(): number {
  const text = Buffer.alloc(600, 7);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const signature = sign(null, text, privateKey);
  const works: Readonly<Record<keyof typeof REFERENCE, () => unknown>> = {
    sign: () => sign(null, text, privateKey),
    verify: () => verify(null, text, publicKey, signature),
    sha256: () => createHash('sha256').update(text).digest(),
    hmac: () => createHmac('sha256', text).update(text).digest(),
  };
  const names = Object.keys(REFERENCE) as (keyof typeof REFERENCE)[];
  const logs = names.map((name) => Math.log(REFERENCE[name] / leastMicroseconds(works[name])));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

function leastMicroseconds(work: () => unknown): number {
  let least = Infinity;
  for (let block = 0; block < BLOCKS; block++) {
    const began = performance.now();
    let calls = 0;
    let took = 0;
    do {
      work();
      calls++;
      took = performance.now() - began;
    } while (took < BLOCK_MS);
    least = Math.min(least, (took * 1000) / calls);
  }
  return least;
}
