import type { Rule } from '../scan.js';
import { BANK_ACCOUNT_RULES } from './bank-account.js';
import { BIOMETRIC_RULES } from './biometric.js';
import { FIRST_NAME_RULES } from './first-name.js';
import { INTEREST_RULES } from './interest.js';
import { MEDICAL_DIAGNOSIS_RULES } from './medical-diagnosis.js';
import { MEDICAL_RECORD_RULES } from './medical-record.js';
import { MEDICAL_TESTED_RULE } from './medical-tested.js';
import { PASSPORT_RULES } from './passport.js';
import { POSTAL_ADDRESS_RULES } from './postal-address.js';

/** What is personal by its pattern and the words around it, and has no check digit that would prove it alone. */
export const CONTEXT_RULES: readonly Rule[] = [
  ...PASSPORT_RULES,
  ...BANK_ACCOUNT_RULES,
  ...MEDICAL_DIAGNOSIS_RULES,
  MEDICAL_TESTED_RULE,
  ...MEDICAL_RECORD_RULES,
  ...BIOMETRIC_RULES,
  ...POSTAL_ADDRESS_RULES,
  ...FIRST_NAME_RULES,
  ...INTEREST_RULES,
];
