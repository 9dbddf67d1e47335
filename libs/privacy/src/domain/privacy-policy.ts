import { CATEGORY_OF, type Category, type PiiType } from './pii-types.js';

/** Body of the privacy policy (config/privacy.json; spec/privacy.md, "Data-subject requests", last paragraph). */
export interface PrivacyPolicy {
  /** How sensitive each type is: never less than in CATEGORY_OF. */
  readonly categories: Readonly<Record<PiiType, Category>>;
  /** ISO 3166 regions whose national phone numbers are found in their usual separated writing. */
  readonly phone_regions: readonly string[];
  /** Seconds that a persistent consent holds where who grants it names none. */
  readonly consent_ttl_s: number;
  /** Types for which an admin may record a consent that was given elsewhere. */
  readonly consents_given_elsewhere: readonly PiiType[];
}

export const PRIVACY_DEFAULTS: PrivacyPolicy = {
  categories: CATEGORY_OF,
  phone_regions: ['US'],
  consent_ttl_s: 30 * 86_400,
  consents_given_elsewhere: [],
};
