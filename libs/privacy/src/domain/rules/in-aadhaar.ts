import { fieldWords } from '../context-words.js';
import { hasVerhoeffDigit } from './check-digits.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';

/** UIDAI: twelve digits, the first neither 0 nor 1, Verhoeff's check digit; palindromes are not given out. */
export const IN_AADHAAR: DigitIdentifier = {
  type: 'in_aadhaar',
  lengths: [12],
  forms: [[4, 4, 4]],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'aa?dh?aa?r',
      'uidai',
      'uid(?: (?:number|no))',
      'unique identification',
      'आधार',
      'identifizierungsnummer',
      'n[uú]mero de identidad',
      'num[eé]ro d.identit[eé]',
      'numero di identit[aà]',
    ),
  ],
  isValid: (digits) => /^[2-9]/.test(digits) && hasVerhoeffDigit(digits) && [...digits].reverse().join('') !== digits,
};

export const IN_AADHAAR_RULES = digitIdentifierRules(IN_AADHAAR);
