import { digitAt, hasLuhnDigit } from './check-digits.js';

/** Issuer ranges in use: `[first prefix, last prefix, lengths]`, prefixes of one length each. */
const RANGES: readonly (readonly [number, number, readonly number[]])[] = [
  [1, 1, [15]], // UATP
  [4, 4, [13, 16, 19]], // Visa, and the many that share its range
  [34, 34, [15]], // American Express
  [37, 37, [15]],
  [300, 305, [14, 16, 17, 18, 19]], // Diners Club
  [3095, 3095, [14, 16, 17, 18, 19]],
  [36, 36, [14, 15, 16, 17, 18, 19]],
  [38, 39, [14, 16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [50, 50, [13, 14, 15, 16, 17, 18, 19]], // Maestro, Dankort (5019), Verve, Elo, Meeza
  [51, 55, [16]], // Mastercard
  [2221, 2720, [16]],
  [56, 58, [13, 14, 15, 16, 17, 18, 19]], // Maestro
  [60, 60, [16, 17, 18, 19]], // Discover, RuPay, Hipercard
  [62, 62, [13, 14, 15, 16, 17, 18, 19]], // UnionPay
  [6304, 6304, [13, 14, 15, 16, 17, 18, 19]],
  [6333, 6334, [16, 18, 19]], // Maestro, once Switch and Solo
  [636, 639, [16]], // Elo, InstaPayment
  [644, 659, [16, 17, 18, 19]], // Discover, RuPay, Troy
  [67, 67, [13, 14, 15, 16, 17, 18, 19]], // Maestro, Bancontact
  [81, 82, [16, 17, 18, 19]], // UnionPay, RuPay
  [2200, 2205, [16, 17, 18, 19]], // Mir, Borica
  [1946, 1946, [16]], // GPN
  [8600, 8600, [16]], // Uzcard
  [9112, 9112, [16]], // Belkart
  [9704, 9704, [16, 19]], // Napas
  [9792, 9792, [16]], // Troy
  [9860, 9860, [16]], // Humo
];

/** The ranges by the first two digits of a number, and which lengths those have, a bit each. */
const BY_BEGINNING = Array.from({ length: 100 }, (_, two) => {
  const ranges = RANGES.filter(([low, high]) => beginning(low, '0') <= two && two <= beginning(high, '9'));
  return {
    ranges,
    lengths: ranges.flatMap(([, , lengths]) => lengths).reduce((bits, length) => bits | (1 << length), 0),
  };
});

function beginning(prefix: number, filler: string): number {
  return Number(String(prefix).padEnd(2, filler).slice(0, 2));
}

/** The lengths of cards that begin with these two digits, a bit each. */
export function cardLengths(leadingTwo: number): number {
  return BY_BEGINNING[leadingTwo]?.lengths ?? 0;
}

/** Whether a string of digits has the prefix and length of a payment card in use, and its check digit. */
export function isPaymentCard(digits: string): boolean {
  const begun = BY_BEGINNING[(digits.charCodeAt(0) - 0x30) * 10 + digits.charCodeAt(1) - 0x30];
  if (!begun || (begun.lengths & (1 << digits.length)) === 0 || !hasLuhnDigit(digits)) return false;
  return begun.ranges.some(([low, high, lengths]) => {
    const prefix = Number(digits.slice(0, String(low).length));
    return prefix >= low && prefix <= high && lengths.includes(digits.length);
  });
}

/** Whether thirteen digits carry the check digit of an article number (EAN-13, ISBN-13). */
export function isArticleNumber(digits: string): boolean {
  if (digits.length !== 13) return false;
  let sum = 0;
  for (let at = 0; at < 13; at++) sum += digitAt(digits, at) * (at % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}
