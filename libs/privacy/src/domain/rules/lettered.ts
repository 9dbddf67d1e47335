import { CATEGORY_OF, type PiiType } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';

/** Letters and digits of a writing, in capitals, without what stands between them. */
export function compact(written: string): string {
  return written.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
}

interface LetteredOptions {
  readonly score?: number;
  readonly leastDigits?: number;
  readonly leastLetters?: number;
  /** What every hit holds a match of, as `Scan.nearDigits` takes it. */
  readonly piece?: RegExp;
  /** One of these must speak of every hit: where none stands, nothing is looked for. */
  readonly words?: readonly RegExp[];
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
  { score = 0.95, leastDigits = 1, leastLetters = 0, piece, words }: LetteredOptions = {},
): Rule {
  return {
    id: `${type}.${name}`,
    type,
    category: CATEGORY_OF[type],
    numeric: true,
    leastDigits,
    leastLetters,
    *find(scan) {
      if (words && !words.some((some) => scan.everSpeaksOf(some))) return;
      for (const { written, start, end } of scan.nearDigits(shape, piece ? { piece } : {})) {
        const match = { start, end, score };
        if (accept(written, match, scan)) yield match;
      }
    },
  };
}
