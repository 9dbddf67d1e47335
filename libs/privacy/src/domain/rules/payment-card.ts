import { fieldWords } from '../context-words.js';
import type { DigitGroups } from '../digit-groups.js';
import { CATEGORY_OF } from '../pii-types.js';
import type { Match, Rule, Scan } from '../scan.js';
import { cardLengths, isArticleNumber, isPaymentCard } from './card-ranges.js';

const MIN_DIGITS = 13;
const MAX_DIGITS = 19;

const WORDS = fieldWords(
  '(?:credit|debit|bank|payment)?[ _-]?cards?(?:[ _-]?(?:number|no))?',
  'visa',
  'master ?card',
  'amex',
  'american express',
  'maestro',
  'pan',
  'kreditkarten?[a-z]{0,8}',
  'tarjeta',
  'carte (?:bancaire|bleue|de cr[eé]dit)',
  'carta di credito',
);

/** A window of these group sizes may stand in a longer row of numbers. */
const IN_A_ROW = new Set(['4-4-4-4', '4-6-5', '4-6-4']);

/** The writings people and cards use. */
const USUAL = new Set<string>([
  ...IN_A_ROW,
  '4-4-4-4-1',
  '4-4-4-4-2',
  '4-4-4-4-3',
  '4-3-3-3',
  '4-4-5',
  '4-4-4-1',
  '4-4-4-2',
  '4-4-4-3',
  '5-5-5',
  '6-13',
  '6-10',
  '8-8',
]);

/** A number of 13 to 19 digits with the prefix, length and check digit of a card: the checksum is strong, so always. */
const luhn: Rule = {
  id: 'payment_card.luhn',
  type: 'payment_card',
  category: CATEGORY_OF.payment_card,
  numeric: true,
  leastDigits: MIN_DIGITS,
  *find(scan) {
    const { groups } = scan;
    for (let first = 0; first < groups.count; first++) {
      const lengths = cardLengths(groups.leadingTwo(first));
      if (lengths === 0) continue;
      for (const last of groups.windows(first, MIN_DIGITS, MAX_DIGITS)) {
        if ((lengths & (1 << groups.total(first, last))) === 0 || !isPaymentCard(groups.digits(first, last))) continue;
        const match = { start: groups.start(first), end: groups.end(last), score: 0.95 };
        if (isWritten(groups, first, last) || scan.speaksOf(WORDS, match.start, match.end)) {
          if (!isOther(scan, first, last, match)) yield match;
        }
      }
    }
  },
};

const LISTED = /(?<![\d,])\d{4}(?:[,;:*+|~] ?\d{4}){3}(?![\d,])/g;

/** `4111, 1111, 1111, 1111`: also how numbers are listed, so that a word must name it. */
const listed: Rule = {
  id: 'payment_card.listed',
  type: 'payment_card',
  category: CATEGORY_OF.payment_card,
  numeric: true,
  leastDigits: 16,
  *find(scan) {
    for (const { written, start, end } of scan.nearDigits(LISTED)) {
      if (isPaymentCard(written.replace(/\D/g, '')) && scan.speaksOf(WORDS, start, end))
        yield { start, end, score: 0.9 };
    }
  },
};

export const PAYMENT_CARD_RULES = [luhn, listed];

/** One block, a usual grouping, or a whole row of joined groups that has nothing else in it. */
function isWritten(groups: DigitGroups, first: number, last: number): boolean {
  if (first === last) return true;
  const sizes = sizesOf(groups, first, last);
  const form = sizes.join('-');
  const whole = groups.joint(first - 1) === undefined && groups.joint(last) === undefined;
  if (USUAL.has(form)) return whole || IN_A_ROW.has(form);
  const decimal = last === first + 1 && groups.joint(first) === '.';
  const isSmall = sizes.every((digits) => digits <= 3) && sizes.some((digits) => digits > 1);
  const list = isSmall && groups.joint(first) === ' ';
  return whole && !decimal && !list && !hasDecimals(groups, first, last);
}

/** `39581.5 655483.16`: amounts in a row, and no number between whose groups the signs differ so. */
function hasDecimals(groups: DigitGroups, first: number, last: number): boolean {
  const joints = [];
  for (let group = first; group < last; group++) joints.push(groups.joint(group));
  return joints.includes('.') && joints.some((joint) => joint !== '.');
}

function sizesOf(groups: DigitGroups, first: number, last: number): number[] {
  const sizes = [];
  for (let group = first; group <= last; group++) sizes.push(groups.size(group));
  return sizes;
}

/** The digits after a decimal point, a phone number with its plus, an article number. */
function isOther(scan: Scan, first: number, last: number, { start, end }: Match): boolean {
  const { groups } = scan;
  if (first === last && groups.joint(first - 1) === '.') return true;
  const digits = groups.digits(first, last);
  if (digits.length < 16 && groups.text.charAt(start - 1) === '+') return true;
  return isArticleNumber(digits) && !scan.speaksOf(WORDS, start, end);
}
