import { MaceError } from '#lib/kernel';

/** @throws MaceError IDEMPOTENCY_KEY_REUSED where the recorded request had another body */
export function refuseOtherBody(recorded: string | undefined, now: string | undefined): void {
  if (recorded === now) return;
  throw new MaceError('IDEMPOTENCY_KEY_REUSED', 'this Idempotency-Key came with another body before; draw a new one');
}
