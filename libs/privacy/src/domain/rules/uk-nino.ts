import { fieldWords } from '../context-words.js';
import { compact, letteredRule } from './lettered.js';

const WORDS = [
  fieldWords(
    'ninos?',
    'n\\.?i\\.? (?:number|no)',
    'national insurance',
    'hmrc',
    'pay ?slips?',
    'nationalversicherung[a-z]{0,9}',
    'assurance nationale',
    'seguro nacional',
    'assicurazione nazionale',
  ),
];

/** Two letters, six digits in any usual grouping, and a letter A to D. */
const WITH_SUFFIX =
  /(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Z][ \-.]?[A-CEGHJ-NPR-TW-Z][ \-./]?(?:\d[ \-./]?){5}\d[ \-./]?[A-D](?![A-Za-z0-9])/gi;
const WITHOUT_SUFFIX =
  /(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][ \-./]?(?:\d{2}[ \-./]?){2}\d{2}(?![ \-./]?[A-Za-z0-9])/gi;

/** Prefixes that HMRC does not give out (NIM39110). */
const NEVER = new Set(['BG', 'GB', 'KN', 'NK', 'NT', 'TN', 'ZZ']);

export function isNino(written: string): boolean {
  return !NEVER.has(compact(written).slice(0, 2));
}

/** A letter that hangs on the digits, or is written in capitals: "ab 12 34 56 a day" is none, nor is the paper "SP 800-131A". */
function isOneWriting(written: string): boolean {
  if (/^[A-Z]{2} \d{3}-\d{3}[A-D]$/.test(written)) return false;
  return /[A-D]$/.test(written) || !/[ ./]\w$/.test(written);
}

export const UK_NINO_RULES = [
  letteredRule(
    'uk_nino',
    'lettered',
    WITH_SUFFIX,
    (written, { start, end }, scan) =>
      isNino(written) && (isOneWriting(written) || scan.speaksOfAny(WORDS, start, end)),
    { leastDigits: 6, leastLetters: 3 },
  ),
  letteredRule(
    'uk_nino',
    'context',
    WITHOUT_SUFFIX,
    (written, { start, end }, scan) => isNino(written) && scan.speaksOfAny(WORDS, start, end),
    { score: 0.85, leastDigits: 6, leastLetters: 2 },
  ),
];
