import { CATEGORY_OF } from '../pii-types.js';
import type { Rule } from '../scan.js';
import { compact, letteredRule } from './lettered.js';
import { hitsOf } from '../hits.js';

/** Where a digit stands, a letter of this row may stand for it, that no two people have the same code ("omocodia"). */
const STANDING_FOR = 'LMNPQRSTUV';
const DIGIT = `[\\d${STANDING_FOR}]`;
const GAP = '[ \\-.]?';
const CODE = new RegExp(
  `(?<![A-Za-z0-9])[A-Z]{3}${GAP}[A-Z]{3}${GAP}${DIGIT}{2}${GAP}[ABCDEHLMPRST]${GAP}${DIGIT}{2}${GAP}[A-Z]${DIGIT}{3}${GAP}[A-Z](?![A-Za-z0-9])`,
  'gi',
);

/** What each sign counts at the odd places, by its value: the digits, and A to Z alike. */
const AT_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** D.M. 23 December 1976: the last letter is the sum of what the others count, modulo 26; the day is 1 to 31, or 41 to 71. */
export function isFiscalCode(code: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const value = valueOf(code.charCodeAt(at));
    sum += at % 2 === 0 ? (AT_ODD[value] ?? 0) : value;
  }
  if (sum % 26 !== code.charCodeAt(15) - 0x41) return false;
  const day = [...code.slice(9, 11)].reduce((number, sign) => number * 10 + digitOf(sign), 0);
  return (day >= 1 && day <= 31) || (day >= 41 && day <= 71);
}

function valueOf(unit: number): number {
  return unit >= 0x41 ? unit - 0x41 : unit - 0x30;
}

function digitOf(sign: string): number {
  return /\d/.test(sign) ? Number(sign) : STANDING_FOR.indexOf(sign);
}

/** With letters for all seven digits it is a code in one word of capitals only. */
const LETTERS_ONLY = /(?<![A-Za-z0-9])[A-Z]{16}(?![A-Za-z0-9])/g;
const LETTERS_ONLY_FORM = new RegExp(
  `^[A-Z]{6}[${STANDING_FOR}]{2}[ABCDEHLMPRST][${STANDING_FOR}]{2}[A-Z][${STANDING_FOR}]{3}[A-Z]$`,
);

const lettersOnly: Rule = {
  id: 'it_fiscal_code.letters',
  type: 'it_fiscal_code',
  category: CATEGORY_OF.it_fiscal_code,
  numeric: false,
  leastLetters: 9,
  *find({ text }) {
    for (const { 0: code, index } of hitsOf(text, LETTERS_ONLY))
      if (LETTERS_ONLY_FORM.test(code) && isFiscalCode(code)) yield { start: index, end: index + 16, score: 0.9 };
  },
};

export const IT_FISCAL_CODE_RULES = [
  letteredRule('it_fiscal_code', 'lettered', CODE, (written) => isFiscalCode(compact(written)), { leastLetters: 9 }),
  lettersOnly,
];
