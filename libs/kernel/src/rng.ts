import { sha256Hex } from './hash.js';

/** The first four bytes of sha256(text), big endian. */
export function oneShotUint32(text: string): number {
  return parseInt(sha256Hex(text).slice(0, 8), 16);
}

/** Seeded draws in [0, 1): draw i is the first 53 bits of sha256(job_seed + ":rng:" + i) over 2^53. */
export class DeterministicRng {
  private drawn = 0;

  constructor(private readonly jobSeed: string) {}

  next(): number {
    const hex = sha256Hex(`${this.jobSeed}:rng:${this.drawn++}`);
    return Number(BigInt(`0x${hex.slice(0, 14)}`) >> 3n) / 2 ** 53;
  }
}

/** Whether a seed allows the one immediate retry: the last byte of sha256(job_seed) is even (seed 000, Retries). */
export function retryAllowed(jobSeed: string): boolean {
  return lastByte(jobSeed) % 2 === 0;
}

/** Milliseconds to wait before a memory write's one retry: 0, 10, 20 or 30 (spec/memory.md). */
export function writeRetryDelayMs(seed: string): number {
  return (lastByte(seed) % 4) * 10;
}

function lastByte(seed: string): number {
  return parseInt(sha256Hex(seed).slice(-2), 16);
}
