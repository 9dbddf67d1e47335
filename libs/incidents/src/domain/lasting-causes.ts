import { COUNTED_TYPES } from './counted-failures.js';
import { DENIED_TYPE } from './denied-often.js';

/** A second factor that takes no code until the time that the event says. */
export const LOCKED_TYPE = 'OTP_LOCKED';

/** What an incident may come of that is over by itself; outages end otherwise, and the others when people say so. */
export const LASTING_CAUSES: readonly string[] = [...COUNTED_TYPES, DENIED_TYPE, LOCKED_TYPE];
