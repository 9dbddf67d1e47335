import { MaceError } from '#lib/kernel';

/**
 * How long a repeated Idempotency-Key gives its first answer at least (IDEMPOTENCY_WINDOW), in milliseconds. Memory looks
 * further, by number of events and without a clock (docs/decisions/0005).
 */
export const IDEMPOTENCY_WINDOW_MS = 24 * 60 * 60 * 1000;

/** @throws MaceError IDEMPOTENCY_KEY_REUSED where the recorded request had another body */
export function refuseOtherBody(recorded: string | undefined, now: string | undefined): void {
  if (recorded === now) return;
  throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key came with another body before; draw a new one');
}
