import type { DomainEvent, EventDefinition, JsonObject } from '#lib/kernel';

/** Events of `projection-{name}`: what became of events that the projection cannot take. */
export const EVENT_PARKED = 'PROJECTION_EVENT_PARKED';
export const EVENT_REPLAYED = 'PROJECTION_EVENT_REPLAYED';
export const EVENT_DISCARDED = 'PROJECTION_EVENT_DISCARDED';
export const EVENT_SKIPPED = 'PROJECTION_EVENT_SKIPPED';

/**
 * decoding: its text cannot be read, or not by this program. projecting: the projection threw. storing: what it said of
 * the event cannot be kept.
 */
export type ReasonClass = 'decoding' | 'projecting' | 'storing';

/** Which event. Never its stream, its content or an error's words, any of which could name a person. */
export interface EventAside {
  readonly projection: string;
  readonly position: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly reason_class: ReasonClass;
  /** Why, in the words of who ordered it; null where nothing was said. */
  readonly reason: string | null;
}

/** It and every later event of its partition are held back. */
export interface EventParked extends EventAside {
  /** sha256 of the partition's name. */
  readonly partition: string;
}

/** It and what was held back up to `through` are given up for good; later events of the partition are applied. */
export interface EventDiscarded extends EventAside {
  readonly through: string;
}

const PLAIN = ['projection', 'position', 'event_id', 'event_type', 'reason_class', 'reason'];

export const parkingEvents: readonly EventDefinition[] = [
  { type: EVENT_PARKED, version: 1, plain: [...PLAIN, 'partition'] },
  { type: EVENT_REPLAYED, version: 1, plain: PLAIN },
  { type: EVENT_DISCARDED, version: 1, plain: [...PLAIN, 'through'] },
  { type: EVENT_SKIPPED, version: 1, plain: PLAIN },
];

export function eventParked(data: EventParked): DomainEvent {
  return { type: EVENT_PARKED, data: { ...data } };
}

/** It and what was held back are to be applied, in order. */
export function eventReplayed(data: EventAside): DomainEvent {
  return { type: EVENT_REPLAYED, data: asData(data) };
}

export function eventDiscarded(data: EventDiscarded): DomainEvent {
  return { type: EVENT_DISCARDED, data: { ...data } };
}

/** It alone is passed over for good. */
export function eventSkipped(data: EventAside): DomainEvent {
  return { type: EVENT_SKIPPED, data: asData(data) };
}

function asData({ projection, position, event_id, event_type, reason_class, reason }: EventAside): JsonObject {
  return { projection, position, event_id, event_type, reason_class, reason };
}
