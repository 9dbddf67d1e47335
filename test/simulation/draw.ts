import { oneShotUint32 } from '#lib/kernel';

const RANGE = 2 ** 32;

/** Seeded choices; everything that a history leaves open is one of them. The kernel's own draws would take a third of its time. */
export class Draw {
  private state: number;

  constructor(seed: string) {
    this.state = oneShotUint32(seed);
  }

  /** True in so large a share of the calls, 0 to 1. */
  chance(share: number): boolean {
    return this.next() < share * RANGE;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor((this.next() / RANGE) * (to - from + 1));
  }

  one<T>(of: readonly T[]): T {
    if (of.length === 0) throw new RangeError('nothing to choose from');
    return of[this.between(0, of.length - 1)]!;
  }

  bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => this.between(0, 255)));
  }

  /** Mulberry32: a whole number below 2^32. */
  private next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
