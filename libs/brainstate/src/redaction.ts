import { escapePointer, type Json, type KeyRing } from '#lib/kernel';
import { detectInPayload, piiHash, redact, type Finding } from '#lib/privacy';

import type { RedactedFinding } from './domain/brainstate.events.js';

export interface Redacted {
  readonly value: Json;
  /** One entry for each place of personal data, without its text. */
  readonly findings: readonly RedactedFinding[];
}

/** A value without its personal data: what may stand in an event (seed 003 section 7). */
export function redactValue(value: Json, seed: string, ring: KeyRing): Redacted {
  const found = detectInPayload(value).filter(({ finding }) => finding.category !== 'low');
  if (found.length === 0) return { value, findings: [] };
  const findingsAt = new Map<string, Finding[]>();
  for (const { pointer, in: where, finding } of found) {
    const place = `${where} ${pointer}`;
    findingsAt.set(place, [...(findingsAt.get(place) ?? []), finding]);
  }
  const findings: RedactedFinding[] = [];
  const key = ring.active('pii-hmac').secret;
  const clean = (text: string, place: string): string => {
    const here = findingsAt.get(place) ?? [];
    for (const { type, category, start, end } of here)
      findings.push({ pii_type: type, category, pii_hash: piiHash(key, text.slice(start, end), seed) });
    return redact(text, here);
  };
  return { value: cleaned(value, '', findingsAt, clean), findings };
}

/** Whether a payload holds anything personal at all. */
export function holdsPersonalData(value: unknown): boolean {
  return detectInPayload(value).length > 0;
}

function cleaned(
  value: Json,
  pointer: string,
  findingsAt: ReadonlyMap<string, unknown>,
  clean: (text: string, place: string) => string,
): Json {
  const place = `value ${pointer}`;
  if (typeof value === 'string') return clean(value, place);
  if (typeof value === 'number') return findingsAt.has(place) ? clean(String(value), place) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return (value as readonly Json[]).map((item, i) => cleaned(item, `${pointer}/${i}`, findingsAt, clean));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const at = `${pointer}/${escapePointer(key)}`;
      return [clean(key, `key ${at}`), cleaned(item, at, findingsAt, clean)];
    }),
  );
}
