import { acronyms, fieldWords } from '../context-words.js';
import { weightedSum } from './check-digits.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';

const WEIGHTS = [1, 4, 3, 7, 5, 8, 6, 9, 10];
const OLD_WEIGHTS = [10, 7, 8, 4, 6, 3, 5, 1];

/** Weighted sum modulo 11 is 0. Old numbers have eight digits and weights of their own, and are found near a word only. */
export const AU_TFN: DigitIdentifier = {
  type: 'au_tfn',
  lengths: [9, 8],
  forms: [[3, 3, 3]],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'tfns?',
      'tax file(?: (?:number|no))?',
      'australian tax',
      'australische steuernummer',
      'num[eé]ro fiscal australien',
      'n[uú]mero (?:fiscal|tributario) australiano',
      'codice fiscale australiano',
    ),
    acronyms('ATO'),
  ],
  isValid: (digits) =>
    !/^(\d)\1+$/.test(digits) && weightedSum(digits, digits.length === 9 ? WEIGHTS : OLD_WEIGHTS) % 11 === 0,
};

export const AU_TFN_RULES = digitIdentifierRules(AU_TFN);
