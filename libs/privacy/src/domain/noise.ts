import type { Scan } from './scan.js';

/** What holds many digits and is nobody's: found by shape, on the folded text. */
const NOISE = [
  // Time stamps: 2024-01-15, with a time, a fraction, a zone.
  /(?<![\d-])(?:19|20)\d\d([-/.])(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?(?![\d-])/gi,
  // UUIDs.
  /(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi,
  // Hashes: 32 hex digits or more, letters among them.
  /(?<![0-9a-z])(?=\d{0,40}[a-f])[0-9a-f]{32,128}(?![0-9a-z])/gi,
  // Versions that say so: v1.20.300, version 2.0.1, @4.17.21. Four parts after an "at" are a host's address.
  /(?:(?:(?<![a-z0-9])v|(?<![a-z])version:? )\d{1,6}(?:\.\d{1,6}){1,4}|@\d{1,6}(?:\.\d{1,6}){1,2})(?![\d.-])/gi,
] as const;

/** Sorted, disjoint-by-pattern spans of noise; asks are answered by containment. */
export class Noise {
  private readonly spans: (readonly [number, number])[];

  constructor(scan: Scan) {
    this.spans = NOISE.flatMap((shape) => [...scan.nearDigits(shape)].map(({ start, end }) => [start, end] as const));
    this.spans.sort(([a], [b]) => a - b);
  }

  /** Whether `[start, end)` lies inside one piece of noise. */
  holds(start: number, end: number): boolean {
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.spans[middle]?.[0] ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    // At most one span of each shape covers a place, so the last few that begin before it are all that can.
    for (let at = low - 1; at >= 0 && at >= low - NOISE.length; at--)
      if ((this.spans[at]?.[1] ?? 0) >= end) return true;
    return false;
  }
}
