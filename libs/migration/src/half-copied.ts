import { type EventStore, eventAt } from '#lib/event-store';

import { HalfCopiedError } from './migration-error.js';

/**
 * Refuses a log of which a part may be missing. What is copied says so of itself, and what puts the end of the copying on
 * record is the first event behind it that does not: so the newest event tells.
 * @throws HalfCopiedError, and what the store throws
 */
export async function refuseHalfCopied(events: EventStore): Promise<void> {
  const newest = await eventAt(events, await events.head());
  if (newest?.copied) throw new HalfCopiedError();
}
