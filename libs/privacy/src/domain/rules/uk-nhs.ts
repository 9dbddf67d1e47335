import { fieldWords } from '../context-words.js';
import { digitAt, weightedSum } from './check-digits.js';
import type { Rule } from '../scan.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';
import type { NumberingPlans } from './phone-plans.js';

const WEIGHTS = [10, 9, 8, 7, 6, 5, 4, 3, 2];

/** The NHS Data Model: weights 10 to 2, modulo 11; 999 is set aside for tests, numbers of one digit are never given. */
const UK_NHS: DigitIdentifier = {
  type: 'uk_nhs',
  lengths: [10],
  forms: [[3, 3, 4]],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'nhs(?:[ -]?(?:number|nummer|no|nr|id))?',
      'national health(?: service)?',
      'health service number',
      '(?:gp|doctor.?s|medical) (?:surgery|practice)',
      'surgery',
      'gp',
    ),
  ],
  isValid: (digits) =>
    !/^(?:999|(\d)\1{9}$)/.test(digits) && (11 - (weightedSum(digits, WEIGHTS) % 11)) % 11 === digitAt(digits, 9),
};

/** Written with dashes, a number that can be dialled in North America is held to be that. */
export function ukNhsRules(plans: NumberingPlans): readonly Rule[] {
  return digitIdentifierRules({
    ...UK_NHS,
    isOther: (written, digits) => written.includes('-') && plans.international(`1${digits}`) !== undefined,
  });
}
