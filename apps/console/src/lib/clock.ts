/** The time on the server's clock: this machine's may be wrong, and the times that are shown are the server's. */

/** A Date header has whole seconds, and an answer is under way for some time. */
const TOLERANCE_MS = 2_000;
let aheadMs = 0;

/** @param date the Date header of an answer that came just now */
export function hear(date: string | undefined): void {
  const ms = Date.parse(date ?? '') - Date.now();
  if (Math.abs(ms - aheadMs) > TOLERANCE_MS) aheadMs = ms;
}

/** Milliseconds since the Unix epoch. */
export const now = (): number => Date.now() + aheadMs;
