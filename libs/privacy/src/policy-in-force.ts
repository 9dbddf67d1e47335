import { PRIVACY_DEFAULTS, type PrivacyPolicy } from './domain/privacy-policy.js';

let inForce: PrivacyPolicy = PRIVACY_DEFAULTS;

/** The privacy policy that this process goes by: that of the release until its log names another. */
export function privacyPolicy(): PrivacyPolicy {
  return inForce;
}

/** From now on everything in this process that finds, redacts or refuses personal data goes by this policy. */
export function followPrivacyPolicy(policy: PrivacyPolicy): void {
  inForce = policy;
}
