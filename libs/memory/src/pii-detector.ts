import { type KeyRing, type Json } from '#lib/kernel';
import { DETECTOR_VERSION, detectInPayload, piiHash, type PayloadFinding } from '#lib/privacy';

import type { PiiDetector, PiiFinding } from './ports.js';

/** The project's detector as memory asks for it. */
export function privacyDetector(ring: KeyRing): PiiDetector {
  return {
    version: String(DETECTOR_VERSION),
    detect: (payload) => detectInPayload(payload).map((found) => withText(payload, found)),
    hash: (value, seed) => piiHash(ring.active('pii-hmac').secret, value, seed),
  };
}

/** The very characters that were found, as they were sent. */
function withText(payload: Json, { pointer, in: where, finding }: PayloadFinding): PiiFinding {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const text = where === 'key' ? (tokens.at(-1) ?? '') : leafText(payload, tokens);
  const { type, category, start, end } = finding;
  return { type, category, text: text.slice(start, end), at: `${where} ${pointer}`, start, end };
}

function leafText(payload: Json, tokens: readonly string[]): string {
  let at: unknown = payload;
  for (const token of tokens) at = (at as Record<string, unknown>)[token];
  return String(at);
}
