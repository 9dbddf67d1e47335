import { acronyms, fieldWords } from '../context-words.js';
import { hasLuhnDigit } from './check-digits.js';
import { digitIdentifierRules, SPACE_OR_DASH, type DigitIdentifier } from './digit-identifier.js';

/** In small letters "sin" and "nas" are words of many languages, so there something must follow that a name has. */
const AS_LABEL = '(?=["\']? ?(?:#|[:=]|$|no\\b|nr\\b|num|is\\b|est\\b))';

/** Luhn; those that begin with 0 are made up, those with 8 belong to businesses. */
export const CA_SIN: DigitIdentifier = {
  type: 'ca_sin',
  lengths: [9],
  forms: [[3, 3, 3]],
  joint: SPACE_OR_DASH,
  words: [
    fieldWords(
      'social insurance',
      'canadian sin',
      'my sin',
      `sin${AS_LABEL}`,
      `nas${AS_LABEL}`,
      's\\.i\\.n\\.?',
      'assurance[ -]sociale',
      'sozialversicherung[a-z]{0,12}',
      'seguro social',
      'seguridad social',
      'assicurazione sociale',
    ),
    acronyms('SIN', 'NAS'),
  ],
  isValid: (digits) => /^[1-79]/.test(digits) && !/^(\d)\1{8}$/.test(digits) && hasLuhnDigit(digits),
};

export const CA_SIN_RULES = digitIdentifierRules(CA_SIN);
