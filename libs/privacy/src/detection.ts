import metadata from 'libphonenumber-js/max/metadata';

import { detectInPayload as inPayload, type PayloadFinding } from './domain/detect-in-payload.js';
import { createDetector } from './domain/detector.js';
import type { Finding } from './domain/pii-types.js';
import { numberingPlans } from './domain/rules/phone-plans.js';
import type { DetectOptions } from './domain/scan.js';
import { privacyPolicy } from './policy-in-force.js';

const detector = createDetector(numberingPlans(metadata));

/**
 * Every place of a text that holds personal data, by the privacy policy in force (spec/privacy.md, "Detection").
 * @throws MaceError INVALID_INPUT for a text of more than MAX_TEXT characters
 */
export function detect(text: string, options?: DetectOptions): Finding[] {
  const { phone_regions: regions, categories } = privacyPolicy();
  return detector(text, { regions, categories, ...options });
}

/**
 * Every place of a payload that holds personal data, in its keys and leaves, by the privacy policy in force
 * (spec/privacy.md, "Detection").
 * @throws MaceError INVALID_INPUT for a key or leaf of more than MAX_TEXT characters
 */
export function detectInPayload(value: unknown): PayloadFinding[] {
  return inPayload(detect, value);
}
