import { comparePositions, type EventStore, type Position, type RecordedEvent } from '#lib/event-store';
import type { JsonObject, KeyRing } from '#lib/kernel';

import { signatureOf } from '../signed-event.js';
import { streamOf } from '../stream-of.js';

/**
 * Since when keys sign no events any more, by kid: the position of the first KEY_ROTATED that put another in their place,
 * as far as another key that still signed then has signed it.
 */
export async function retiredSigners(events: EventStore, ring: KeyRing): Promise<ReadonlyMap<string, Position>> {
  const retired = new Map<string, Position>();
  for await (const event of streamOf(events, 'system-keys')) {
    const previous = rotatedIn(event, ring, retired);
    if (previous !== null && !retired.has(previous)) retired.set(previous, event.position);
  }
  return retired;
}

/** Whether a key had been retired when an event was stored: then somebody else has signed it. */
export function isRetired(retired: ReadonlyMap<string, Position>, kid: string, position: Position): boolean {
  const since = retired.get(kid);
  return since !== undefined && comparePositions(position, since) > 0;
}

function rotatedIn(event: RecordedEvent, ring: KeyRing, retired: ReadonlyMap<string, Position>): string | null {
  const { kid, holds } = signatureOf(event, ring);
  if (event.type !== 'KEY_ROTATED' || !holds || kid === null || retired.has(kid)) return null;
  const { purpose, previous_kid: previous } = (JSON.parse(event.text) as { readonly data: JsonObject }).data;
  return purpose === 'event-hmac' && typeof previous === 'string' && previous !== kid ? previous : null;
}
