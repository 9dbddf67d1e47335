import { CATEGORY_OF, type PiiType } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';

/** Letters and digits of a writing, in capitals, without what stands between them. */
export function compact(written: string): string {
  return written.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
}

/**
 * A rule for what has letters or a strong checksum, so that its form is enough: each hit of an expression that `accept`
 * takes, in the text and where letters stand for digits.
 */
export function letteredRule(
  type: PiiType,
  name: string,
  shape: RegExp,
  accept: (written: string, match: Match, scan: Scan) => boolean,
  { score = 0.95, leastDigits = 1 }: { readonly score?: number; readonly leastDigits?: number } = {},
): Rule {
  return {
    id: `${type}.${name}`,
    type,
    category: CATEGORY_OF[type],
    numeric: true,
    leastDigits,
    *find(scan) {
      for (const { written, start, end } of scan.nearDigits(shape)) {
        const match = { start, end, score };
        if (accept(written, match, scan)) yield match;
      }
    },
  };
}
