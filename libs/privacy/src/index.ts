import metadata from 'libphonenumber-js/max/metadata';
import { createDetector } from './domain/detector.js';
import { detectInPayload as inPayload, type PayloadFinding } from './domain/detect-in-payload.js';
import type { Finding } from './domain/pii-types.js';
import { numberingPlans } from './domain/rules/phone-plans.js';
import type { DetectOptions } from './domain/scan.js';

export * from './commands/grant-consent.js';
export * from './commands/handle-text.js';
export * from './commands/revoke-consent.js';
export * from './consents.js';
export { CORPUS_PARTS, readCorpus } from './corpus/corpus.js';
export { CORPUS_FLOORS, measureCorpus, type Figures } from './corpus/measure.js';
export * from './domain/consent.js';
export * from './domain/consent.events.js';
export * from './domain/decisive.js';
export * from './domain/drift.js';
export { DETECTOR_VERSION, MAX_TEXT } from './domain/detector.js';
export type { PayloadFinding } from './domain/detect-in-payload.js';
export { CATEGORY_OF, type Finding } from './domain/pii-types.js';
export { piiHash, redact } from './domain/redact.js';
export type { DetectOptions } from './domain/scan.js';
export * from './held-values.js';
export * from './privacy.module.js';
export * from './queries/list-consents.js';
export * from './text-handling.js';

const detector = createDetector(numberingPlans(metadata));

/**
 * Every place of a text that holds personal data (spec/privacy.md, "Detection").
 * @throws MaceError INVALID_INPUT for a text of more than MAX_TEXT characters
 */
export function detect(text: string, options?: DetectOptions): Finding[] {
  return detector(text, options);
}

/**
 * Every place of a payload that holds personal data, in its keys and leaves (spec/privacy.md, "Detection").
 * @throws MaceError INVALID_INPUT for a key or leaf of more than MAX_TEXT characters
 */
export function detectInPayload(value: unknown): PayloadFinding[] {
  return inPayload(detector, value);
}
