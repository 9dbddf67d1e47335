import { COUNTED_TYPES } from './counted-failures.js';
import { DENIED_TYPE } from './denied-often.js';

/** A second factor that takes no code until the time that the event says. */
export const LOCKED_TYPE = 'OTP_LOCKED';

/** Whose next step fails on and on: whoever tries it opens the incident, and closes it once it has succeeded. */
export const ERASURE_TYPES: readonly string[] = [
  'DSR_APPROVED',
  'ERASURE_REQUESTED',
  'SUBJECT_KEYS_DESTROYED',
  'SUBJECT_ERASED',
  'LEGAL_HOLD_LIFTED',
];

/** What an incident may come of that is over by itself; outages end otherwise, and the others when people say so. */
export const LASTING_CAUSES: readonly string[] = [...COUNTED_TYPES, DENIED_TYPE, LOCKED_TYPE, ...ERASURE_TYPES];
