import { fieldWords } from '../context-words.js';
import { digitAt, weightedSum } from './check-digits.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';

const WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];
/** Added to the month of birth, the first two of them for centuries in which people live. */
const CENTURIES: readonly (readonly [number, number])[] = [
  [0, 1900],
  [20, 2000],
  [40, 2100],
  [60, 2200],
  [80, 1800],
];

/** A birth date with the century in its month, weights 1 3 7 9, modulo 10. It has no usual writing but eleven bare digits. */
export const PL_PESEL: DigitIdentifier = {
  type: 'pl_pesel',
  lengths: [11],
  forms: [],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'pesel(?:u|em|owi)?',
      'numer(?:u|em)? (?:ewidencyjny|identyfikacyjny|osobisty)',
      'polish (?:national )?(?:id|identity|identification)',
      'polnische (?:identifikation[a-z]{0,9}|personennummer|personenkennzahl)',
      'num[eé]ro national polonais',
      'n[uú]mero (?:nacional|de identidad) polaco',
      'codice (?:fiscale|identificativo) polacco',
      'national (?:id|identity|identification)',
    ),
  ],
  isValid: (digits) => (10 - (weightedSum(digits, WEIGHTS) % 10)) % 10 === digitAt(digits, 10) && hasBirthDate(digits),
};

export const PL_PESEL_RULES = digitIdentifierRules(PL_PESEL);

function hasBirthDate(digits: string): boolean {
  const coded = Number(digits.slice(2, 4));
  const [offset, century] = CENTURIES[Math.floor(coded / 20)] ?? [0, 0];
  const year = century + Number(digits.slice(0, 2));
  const month = coded - offset;
  const day = Number(digits.slice(4, 6));
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
