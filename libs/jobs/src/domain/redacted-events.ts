import type { Json, JsonObject } from '#lib/kernel';

import { jobEvents } from './jobs.events.js';
import type { IdentifiedEvent } from './reflective-log.js';

const REDACTED = '[redacted]';
const PERSONAL = new Map(jobEvents.map(({ type, personal = [] }) => [type, personal]));

/** A job's events as those see them who operate and audit but do not own it: how it was decided, not what was said. */
export function redactedEvents(events: readonly IdentifiedEvent[]): readonly IdentifiedEvent[] {
  return events.map((event) => {
    const hidden = (PERSONAL.get(event.type) ?? []).filter((field) => event.data[field] !== undefined);
    const data = Object.fromEntries(hidden.map((field) => [field, redacted(event.data[field]!)]));
    return { ...event, data: { ...event.data, ...data, ...keyOf(event) } };
  });
}

/** Lists keep their length, and evidence its revisions and times: which versions were read is not personal. */
function redacted(value: Json): Json {
  if (value === null) return null;
  if (Array.isArray(value)) return (value as readonly Json[]).map(redacted);
  if (typeof value !== 'object') return REDACTED;
  const { revision, timestamp } = value as JsonObject;
  return revision === undefined ? REDACTED : { key: REDACTED, revision, value: REDACTED, timestamp: timestamp! };
}

/** The key of a write follows from the question. */
function keyOf({ data }: IdentifiedEvent): JsonObject {
  return typeof data['key'] === 'string' ? { key: REDACTED } : {};
}
