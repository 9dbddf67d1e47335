export type Category = 'high' | 'medium' | 'low';

/** Every type name of spec/privacy.md "Detection" with its category; rules for some of them come with later detector versions. */
export const CATEGORY_OF = {
  us_ssn: 'high',
  us_itin: 'high',
  uk_nino: 'high',
  uk_nhs: 'high',
  ca_sin: 'high',
  in_aadhaar: 'high',
  es_nif: 'high',
  es_nie: 'high',
  it_fiscal_code: 'high',
  de_tax_id: 'high',
  pl_pesel: 'high',
  au_tfn: 'high',
  passport: 'high',
  payment_card: 'high',
  iban: 'high',
  bank_account: 'high',
  medical_diagnosis: 'high',
  medical_record: 'high',
  biometric: 'high',
  phone: 'medium',
  postal_address: 'medium',
  email: 'medium',
  ip_address: 'medium',
  mac_address: 'medium',
  crypto_wallet: 'medium',
  first_name: 'low',
  interest: 'low',
} as const satisfies Record<string, Category>;

export type PiiType = keyof typeof CATEGORY_OF;

const WEIGHT: Readonly<Record<Category, number>> = { low: 0, medium: 1, high: 2 };

/** Positive where `a` is the more sensitive category. */
export function compareCategories(a: Category, b: Category): number {
  return WEIGHT[a] - WEIGHT[b];
}

/** One place of a text that a rule holds to be personal. */
export interface Finding {
  readonly type: PiiType;
  readonly category: Category;
  /** First UTF-16 unit of the original text. */
  readonly start: number;
  /** One past the last UTF-16 unit of the original text. */
  readonly end: number;
  /** How sure the rule is, in (0, 1]. */
  readonly score: number;
  /** Id of the rule, such as `us_ssn.separated`. */
  readonly rule: string;
}
