import { positionOf, type RecordedEvent } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

/** The event of one leaf, the same in every process. */
export function addedEvent(leaf: number): RecordedEvent {
  const id = sha256Hex(`added ${leaf}`);
  const text = `{"data":{"n":${leaf}},"metadata":{"event_id":"${id}"},"stream":"added","type":"NOTED"}`;
  const position = positionOf(2 * leaf + 1);
  return { stream: 'added', revision: leaf, position, id, type: 'NOTED', text, recordedAt: 0 };
}
