import { type EventDefinition, type Json, type JsonObject, PERSONAL_MEMBER } from '#lib/kernel';

const REDACTED = '[redacted]';
const ERASED_TEXT = '[erased]';
/** What stands for what was stored under a consent that has ended. */
export const REVOKED_TEXT = '[revoked]';

/**
 * An event's data without what was said: its personal fields, together or each by itself. A personal field that was
 * stored in plain is nobody's content and stays.
 * @param data as stored
 * @param word what stands in their place
 */
export function redactedData(definition: EventDefinition, data: JsonObject, word = REDACTED): JsonObject {
  if (isNobodys(definition, data)) return data;
  const hidden = definition.personalTogether ? [PERSONAL_MEMBER] : (definition.personal ?? []);
  return mapped(data, (name, value) => (hidden.includes(name) && value !== null ? word : value));
}

/** An event's data for those who may see it, with words where a destroyed key has left nothing. */
export function shownData(data: JsonObject): JsonObject {
  return mapped(data, (_, value) => (isErasure(value) ? ERASED_TEXT : value));
}

/** Without keyed hashes of personal data, at any depth: with the value guessed and the key, they confirm it. */
export function withoutPiiHashes(data: JsonObject): JsonObject {
  return withoutHashes(data) as JsonObject;
}

/** Whose content an event holds; null where it is nobody's. */
export function subjectOf(definition: EventDefinition, data: JsonObject): string | null {
  return definition.personal?.length ? definition.subject!(data) : null;
}

function isNobodys(definition: EventDefinition, data: JsonObject): boolean {
  return subjectOf(definition, data) === null;
}

function withoutHashes(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutHashes);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'pii_hash');
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutHashes(member)]));
}

function mapped(data: JsonObject, change: (name: string, value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, change(name, value)]));
}

function isErasure(value: Json): boolean {
  return typeof value === 'object' && value !== null && '$erased' in value && Object.keys(value).length === 1;
}
