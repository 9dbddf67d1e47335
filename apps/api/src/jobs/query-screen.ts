import type { QueryScreen } from '#lib/jobs';
import type { KeyRing } from '#lib/kernel';
import { detect, DETECTOR_VERSION, type Finding, piiHash, redact } from '#lib/privacy';

import { BLOCKING } from './privacy-policy.js';

/** The gate before routing: what of a query blocks, and what may be recorded in its place. */
export function queryScreen(ring: KeyRing): QueryScreen {
  const key = ring.active('pii-hmac').secret;
  return {
    version: String(DETECTOR_VERSION),
    find: (text, jobSeed) =>
      blocking(text).map(({ type, category, start, end }) => ({
        pii_type: type,
        category,
        pii_hash: piiHash(key, text.slice(start, end), jobSeed),
      })),
    redact: (text) => redact(text, blocking(text)),
  };
}

/** Types of personal data in a text that block it. */
export function personalDataIn(text: string): readonly string[] {
  return [...new Set(blocking(text).map((finding) => finding.type))];
}

function blocking(text: string): Finding[] {
  return detect(text).filter((finding) => BLOCKING.includes(finding.category));
}
