import type { Json, JsonObject } from './canonical-json.js';

/** Whether the value of a field, undefined where it is absent, is of a form that readers know. */
export type Form = (value: Json | undefined) => boolean;

export const isText: Form = (value) => typeof value === 'string';

export function listOf(each: Form): Form {
  return (value) => Array.isArray(value) && value.every(each);
}

/** A JSON object, neither an array nor null. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first field whose value has another form than its own; null where there is none. */
export function strangeField(forms: Readonly<Record<string, Form>>, data: JsonObject): string | null {
  for (const field in forms) if (!forms[field]!(data[field])) return field;
  return null;
}
