import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule } from '../scan.js';
import { IBAN_LENGTHS } from './iban-lengths.js';

/** A country and two check digits where no word goes on, or right after "IBAN". In small letters nothing stands between: "at 20". */
const BEGINNING = /(?:(?<![A-Za-z0-9])|(?<=[Ii][Bb][Aa][Nn]))(?:[A-Za-z]{2}\d\d|[A-Z]{2}[ -]?\d[ -]?\d)/g;
const LONGEST = 34;

/** ISO 13616: a country's length, and remainder 1 modulo 97 of the number that its signs make. Most signs are digits, as nowhere in prose. */
export function isIban(iban: string): boolean {
  const digits = iban.replace(/\D/g, '').length;
  return IBAN_LENGTHS.get(iban.slice(0, 2)) === iban.length && 2 * digits >= iban.length && remainder(iban) === 1;
}

function remainder(iban: string): number {
  let rest = 0;
  for (let at = 4; at < iban.length + 4; at++) {
    const unit = iban.charCodeAt(at % iban.length);
    rest = unit >= 0x41 ? (rest * 100 + unit - 55) % 97 : (rest * 10 + unit - 0x30) % 97;
  }
  return rest;
}

const checksum: Rule = {
  id: 'iban.checksum',
  type: 'iban',
  category: CATEGORY_OF.iban,
  numeric: true,
  leastLetters: 2,
  *find(scan) {
    const { text, digits } = scan.folded;
    for (const { start } of scan.nearDigits(BEGINNING)) {
      const match = ibanAt(text, start) ?? ibanAt(digits, start);
      if (match) yield match;
    }
  },
};

export const IBAN_RULES = [checksum];

/** Reads on over gaps until the country's length is reached; nothing more may hang on the end. */
function ibanAt(text: string, start: number): Match | undefined {
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return undefined;
  let signs = '';
  let [count, digits] = [0, 0];
  for (let at = start; at < text.length && at - start < 3 * LONGEST; at++) {
    const code = text.charCodeAt(at);
    if (isSign(code)) {
      signs += text.charAt(at);
      if (isDigit(code)) digits++;
      if (++count < length) continue;
      // Where letters are most of it, no sum need be made.
      const isWhole = 2 * digits >= length && !isSign(text.charCodeAt(at + 1));
      return isWhole && isIban(signs.toUpperCase()) ? { start, end: at + 1, score: 0.98 } : undefined;
    }
    if (!GAPS.has(code)) return undefined;
  }
  return undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isSign(code: number): boolean {
  const small = code | 0x20;
  return isDigit(code) || (small >= 0x61 && small <= 0x7a);
}

const GAPS: ReadonlySet<number> = new Set([...' -./_'].map((gap) => gap.charCodeAt(0)));
