import { REMEDIES } from './errors.js';
import type { Envelope } from './types.js';

/** When a call is made again, and how long to wait before. */

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Codes of one use: where the answer was lost, a second try would count as a wrong code. */
const WITH_CODES: ReadonlySet<string> = new Set([
  'POST /auth/step-up',
  'POST /auth/otp/enrol',
  'POST /dsr/request',
  'POST /local/otp/enrol',
  'POST /local/otp/verify',
]);

/** Whether a call whose answer was lost may be sent again: what changes something is done once, for its key. */
export function maySendAgain(operation: string): boolean {
  return !WITH_CODES.has(operation) && !operation.startsWith('PATCH ');
}

/**
 * Milliseconds after which to ask again because of an answer; undefined where that answer is final.
 * @param tried how often the call was made, from 1
 */
export function pauseAfter(error: Envelope, retryAfter: string | undefined, tried: number): number | undefined {
  if (retryAfter !== undefined && /^[0-9]{1,6}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  return REMEDIES[error.error_code] === 'again' ? growingPause(tried) : undefined;
}

/** Doubles from a tenth of a second to five, each a little different, so that many clients do not come back at once. */
export function growingPause(tried: number): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1));
  return longest * (0.5 + Math.random() / 2);
}

/** @throws `signal.reason` */
export function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
