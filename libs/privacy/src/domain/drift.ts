import { decisiveFindings } from './decisive.js';
import type { PayloadFinding } from './detect-in-payload.js';

/** How what a detector finds now differs from what is recorded of the same content. */
export interface Drift {
  /** Types that would be decisive now and were not recorded, sorted. */
  readonly found: readonly string[];
  /** Types that were recorded and are not found any more, sorted. */
  readonly gone: readonly string[];
}

/**
 * Compares the types that are recorded of some content with what is found in it now; null where they agree. Of one place
 * any reading of the same category may have been recorded (spec/privacy.md, "Detection": re-detection is a report of its
 * own, and decides nothing).
 */
export function driftOf(recorded: readonly string[], findings: readonly PayloadFinding[]): Drift | null {
  const places = findings.map(({ pointer, in: where, finding }) => ({ ...finding, at: `${where} ${pointer}` }));
  const known = new Set(recorded);
  const missing = decisiveFindings(places).filter((readings) => !readings.some(({ type }) => known.has(type)));
  const found = new Set(missing.map((readings) => readings[0]!.type));
  const gone = recorded.filter((type) => !places.some((place) => place.type === type));
  if (found.size === 0 && gone.length === 0) return null;
  return { found: [...found].sort(), gone: [...new Set(gone)].sort() };
}
