import { sha256Hex } from '#lib/kernel';

const OWN = /^trace-([0-9a-f]{16})$/;
const W3C = /^[0-9a-f]{32}$/;
const NOTHING = /^0+$/;

/**
 * The trace id, 32 lower-case hex, under which spans of a trace of MACE are exported (spec/kernel.md, `trace_id`). The 16
 * digits of an own one are padded with zeros on the left, as the W3C's Trace Context, section "Interoperating with
 * existing systems which use shorter identifiers", has it; 32 digits that a caller gave are what they are. Any other text
 * of a caller is hashed. No id may be all zeros.
 */
export function exportedTraceId(traceId: string): string {
  const digits = OWN.exec(traceId)?.[1] ?? (W3C.test(traceId) ? traceId : '');
  if (digits === '' || NOTHING.test(digits)) return sha256Hex(traceId).slice(0, 32);
  return digits.padStart(32, '0');
}
