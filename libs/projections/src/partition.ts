import { eventAt, type EventStore, positionOf, type RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';
import { type Decode, type Projection } from './projection.js';

/** What tells partitions apart where names, which may say who a person is, are not to be kept. */
export function partitionOf(projection: Projection, decode: Decode, event: RecordedEvent): string {
  return sha256Hex(projection.partition ? projection.partition(decode(event)) : event.stream);
}

/** Null where it cannot be told: then no order can be kept, and the event cannot be parked. */
export async function partitionAt(
  projection: Projection,
  { events, decode }: { readonly events: EventStore; readonly decode: Decode },
  position: string,
): Promise<string | null> {
  const event = await eventAt(events, positionOf(position));
  if (!event) return null;
  try {
    return partitionOf(projection, decode, event);
  } catch {
    return null;
  }
}
