import { fieldWords } from '../context-words.js';
import { hasMod1110Digit } from './check-digits.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';

/**
 * § 139b AO: eleven digits, no leading zero; among the first ten exactly one digit stands twice or three times, not
 * three times in a row, and no other more than once; check digit by ISO/IEC 7064 MOD 11,10.
 */
export const DE_TAX_ID: DigitIdentifier = {
  type: 'de_tax_id',
  lengths: [11],
  forms: [[2, 3, 3, 3]],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'steuer-? ?(?:id|idnr|nummer|nr|identifikation[a-z]{0,9}|identnummer)',
      'steuerliche (?:id|identifikation[a-z]{0,9})',
      'identifikationsnummer',
      'idnr',
      'id-nr',
      'tin',
      'tax (?:id(?:entification)?|number|no)',
      'num[eé]ro fiscal',
      'identifiant fiscal',
      'n[uú]mero fiscal',
      'identificaci[oó]n fiscal',
      'codice fiscale',
      'numero fiscale',
    ),
  ],
  isValid: (digits) => /^[1-9]/.test(digits) && hasMod1110Digit(digits) && hasOneRepeat(digits.slice(0, 10)),
};

export const DE_TAX_ID_RULES = digitIdentifierRules(DE_TAX_ID);

function hasOneRepeat(digits: string): boolean {
  const times = new Map<string, number>();
  for (const digit of digits) times.set(digit, (times.get(digit) ?? 0) + 1);
  const repeats = [...times.values()].filter((count) => count > 1);
  return repeats.length === 1 && (repeats[0] ?? 0) <= 3 && !/(\d)\1\1/.test(digits);
}
