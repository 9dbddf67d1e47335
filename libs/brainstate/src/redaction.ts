import { escapePointer, type Json, type KeyRing } from '#lib/kernel';
import { detectInPayload, type PayloadFinding, piiHash, redact, type Finding } from '#lib/privacy';

import type { RedactedFinding } from './domain/brainstate.events.js';

export interface Redacted {
  readonly value: Json;
  /** One entry for each place of personal data, without its text. */
  readonly findings: readonly RedactedFinding[];
}

/** A value without its personal data: what may stand in an event (seed 003 section 7). */
export function redactValue(value: Json, seed: string, ring: KeyRing): Redacted {
  const findings: RedactedFinding[] = [];
  const key = ring.active('pii-hmac').secret;
  const clean = redactFound(value, personalIn(value), (text, { type, category, start, end }) => {
    findings.push({ pii_type: type, category, pii_hash: piiHash(key, text.slice(start, end), seed) });
  });
  return { value: clean, findings };
}

/** Where a value holds what no event may. */
export function personalIn(value: Json): readonly PayloadFinding[] {
  return detectInPayload(value).filter(({ finding }) => finding.category !== 'low');
}

/**
 * A value without what was found in it. Pure: the same findings give the same value, whatever a detector would say today.
 * @param onFound told of each finding with the text that it is in
 */
export function redactFound(
  value: Json,
  found: readonly PayloadFinding[],
  onFound: (text: string, finding: Finding) => void = () => undefined,
): Json {
  if (found.length === 0) return value;
  const findingsAt = new Map<string, Finding[]>();
  for (const { pointer, in: where, finding } of found) {
    const place = `${where} ${pointer}`;
    findingsAt.set(place, [...(findingsAt.get(place) ?? []), finding]);
  }
  const clean = (text: string, place: string): string => {
    const here = findingsAt.get(place) ?? [];
    for (const finding of here) onFound(text, finding);
    return redact(text, here);
  };
  return cleaned(value, '', findingsAt, clean);
}

/** Whether a payload holds what blocks a write: names and interests of the lowest category do not. */
export function holdsPersonalData(value: unknown): boolean {
  return detectInPayload(value).some(({ finding }) => finding.category !== 'low');
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
