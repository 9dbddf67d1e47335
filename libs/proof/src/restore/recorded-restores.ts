import { type EventStore, type Position, START } from '#lib/event-store';
import type { JsonObject, KeyRing } from '#lib/kernel';

import { placedEvents } from '../placed-events.js';

export interface RecordedRestore {
  /** That the log was given. */
  readonly origin: string;
  readonly position: Position;
  /** False of one that was signed for another place: a copy, or one before which something was changed. */
  readonly isInPlace: boolean;
}

/** The restores that are on record, as far as a key of the ring has signed them, in order. */
export async function recordedRestores(events: EventStore, ring: KeyRing): Promise<readonly RecordedRestore[]> {
  const restores: RecordedRestore[] = [];
  for await (const { event, isSigned, isInPlace } of placedEvents(events, 'system-log', ring)) {
    if (event.type !== 'LOG_RESTORED' || !isSigned) continue;
    const { data } = JSON.parse(event.text) as { readonly data: JsonObject };
    restores.push({ origin: data['origin'] as string, position: event.position, isInPlace });
  }
  return restores;
}

/** Of the last restore that stands in its place; START where there was none. */
export function lastRestored(restores: readonly RecordedRestore[]): Position {
  return restores.findLast(({ isInPlace }) => isInPlace)?.position ?? START;
}
