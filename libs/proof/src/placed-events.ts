import type { EventStore, RecordedEvent } from '#lib/event-store';
import { GENESIS_HASH, type KeyRing, sha256Hex } from '#lib/kernel';

import { signatureOf } from './signed-event.js';
import { streamOf } from './stream-of.js';

export interface EventInPlace {
  readonly event: RecordedEvent;
  /** Whether it is what a key of the ring has signed; not whether it was signed for this place. */
  readonly isSigned: boolean;
  /** Whether it was signed for this place too: under its own id, which none before it has, behind the event before it. */
  readonly isInPlace: boolean;
}

/** The events of a stream in order, each with what its signature says of it and of its place. */
export async function* placedEvents(events: EventStore, stream: string, ring: KeyRing): AsyncGenerator<EventInPlace> {
  const seen = new Set<unknown>();
  let before = GENESIS_HASH;
  for await (const event of streamOf(events, stream)) {
    const isSigned = signatureOf(event, ring).holds;
    yield { event, isSigned, isInPlace: isSigned && standsBehind(event, before, seen) };
    before = sha256Hex(event.text);
  }
}

/** @param event a signed one: its text is an event's */
function standsBehind({ id, text }: RecordedEvent, before: string, seen: Set<unknown>): boolean {
  const { metadata } = JSON.parse(text) as { readonly metadata: Readonly<Record<'event_id' | 'prev_hash', unknown>> };
  const isNew = !seen.has(metadata.event_id);
  seen.add(metadata.event_id);
  return isNew && metadata.event_id === id && metadata.prev_hash === before;
}
