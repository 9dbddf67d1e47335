import { fieldWords } from '../context-words.js';
import { digitIdentifierRules, type DigitIdentifier } from './digit-identifier.js';

/** Area 9xx, and the groups that the IRS gives out: 50 to 65, 70 to 88, 90 to 92, 94 to 99. */
const ITIN = /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/;

/** 987-65-4320 to 4329 were set aside for advertisements; nines alone fill a form's place. */
const FOR_ADVERTISEMENTS = /^98765432\d$|^9{9}$/;

export const US_ITIN: DigitIdentifier = {
  type: 'us_itin',
  lengths: [9],
  forms: [[3, 2, 4]],
  joint: /^[ \-./_]{1,3}$/,
  words: [
    fieldWords(
      'itins?',
      'individual tax ?payer',
      'tax ?payer',
      'tax ?id(?:entification)?',
      'tin',
      'steuer-?(?:id|nummer|identifikationsnummer)',
      'n[uú]mero de identificaci[oó]n (?:fiscal|personal del contribuyente)',
      'contribuyente',
      'num[eé]ro fiscal',
      'contribuable',
      'contribuente',
    ),
  ],
  isValid: (digits) => ITIN.test(digits) && !FOR_ADVERTISEMENTS.test(digits),
};

export const US_ITIN_RULES = digitIdentifierRules(US_ITIN);
