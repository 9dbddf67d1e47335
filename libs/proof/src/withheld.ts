import { comparePositions, type EventStore } from '#lib/event-store';
import type { JsonObject, KeyRing } from '#lib/kernel';

import { type EventInPlace, placedEvents } from './placed-events.js';
import { lastRestored, recordedRestores } from './restore/recorded-restores.js';

/** Why nothing more is signed, for people. */
export const WITHHELD =
  'the events are not those that were signed; no checkpoint is signed until an admin has the whole log verified, and finds it to be as it was';

/**
 * Whether the events on record say that they are other ones than were signed, and no admin has found them whole since: by
 * INTEGRITY_FAILURE and INTEGRITY_CHECK_SUMMARY in `system-integrity`. A log that was restored promises nothing of what was
 * before. An event there that is not what a key of the ring signed for that place says the same as a failure: also a copy
 * of one that found the log whole once.
 */
export async function isWithheld(events: EventStore, ring: KeyRing): Promise<boolean> {
  const restored = lastRestored(await recordedRestores(events, ring));
  let withheld = false;
  for await (const placed of placedEvents(events, 'system-integrity', ring))
    if (comparePositions(placed.event.position, restored) > 0) withheld = after(withheld, placed);
  return withheld;
}

function after(withheld: boolean, { event, isInPlace }: EventInPlace): boolean {
  if (!isInPlace) return true;
  const { data } = JSON.parse(event.text) as { readonly data: JsonObject };
  if (event.type === 'INTEGRITY_FAILURE') return withheld || isOfEvents(data);
  if (event.type !== 'INTEGRITY_CHECK_SUMMARY') return withheld;
  if (data['tree'] === 'other') return true;
  return withheld && data['releases'] !== true;
}

/** Of a position alone it is what was kept beside the events, and could be made again from them. */
function isOfEvents({ detector, position, stream }: JsonObject): boolean {
  return detector === 'proof' && (position === undefined || stream !== undefined);
}
