import { MaceError } from '#lib/kernel';

/** How far ahead of the server a caller's timestamp may be, in milliseconds (MAX_CLOCK_SKEW). */
export const MAX_CLOCK_SKEW_MS = 5 * 60 * 1000;

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|\+00:00)$/;
const FORM_IN_WORDS = 'ISO 8601 in UTC with at most milliseconds, such as 2025-11-29T12:00:00Z';

/** Milliseconds since the Unix epoch. @throws MaceError INVALID_INPUT for another form or a day that is not */
export function parseTimestamp(text: string): number {
  const ms = FORM.test(text) ? Date.parse(text) : NaN;
  // Date.parse turns 30 February into 2 March; the day as read back shows it.
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text.slice(0, 10)) {
    throw new MaceError('INVALID_INPUT', `timestamp: allowed is ${FORM_IN_WORDS}`);
  }
  return ms;
}

/** The time a write takes where its caller names none: now, and at least 1 ms after the current value's. */
export function nextTimestamp(now: number, current: string | undefined): string {
  return new Date(current === undefined ? now : Math.max(now, parseTimestamp(current) + 1)).toISOString();
}

/** @throws MaceError INVALID_INPUT where the time lies more than MAX_CLOCK_SKEW_MS ahead of now */
export function refuseFuture(timestamp: string, now: number): void {
  if (parseTimestamp(timestamp) - now > MAX_CLOCK_SKEW_MS) {
    throw new MaceError(
      'INVALID_INPUT',
      `timestamp: more than ${MAX_CLOCK_SKEW_MS / 1000} seconds ahead of the server's clock`,
    );
  }
}
