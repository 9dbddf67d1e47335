import type { Json, JsonObject } from '#lib/kernel';

import type { OperationDoc } from './doc.js';

/** JSON Schemas of answers, from their examples: an answer has no class that could say its form at run time. */

/** What is said of members wherever they stand, by name. */
const MEANINGS: Readonly<Record<string, JsonObject>> = {
  timestamp_seeded: {
    description:
      'No time at which anything happened: a moment of 2025 that follows from the seed and the number of the event, so that a replay computes the same. `recorded_at` and `created_at` are real time.',
  },
  last_failure_ts: {
    type: ['string', 'null'],
    description: 'Seeded, as timestamp_seeded is; `GET /apt/{node_id}` says when its failures were recorded.',
  },
  recorded_at: {
    description: 'Real time, in UTC: when the process that appended the event did so.',
  },
  log_position: { description: 'Where the event that it began with stands in the log.' },
  recorded_at_is: {
    enum: ['signed', 'unsigned'],
    description:
      '`signed`: recorded_at stands in the signed metadata. `unsigned`: of release 0.1, whose events say no time; it is what the event store noted beside it, and anybody who writes to the store can change it.',
  },
};

/** What rows of lists of release 0.1 have: elsewhere a position is a text (docs/versioning.md). */
const POSITION_OF_OLD = { deprecated: true, description: 'Use `log_position`: a number cannot hold every position.' };

type Forms = Readonly<Record<string, JsonObject>>;

/** Every list is answered a page at a time; the last page has no cursor. */
const LISTS = { next_cursor: { type: ['string', 'null'] } };

/** The schema of what an operation answers where nothing fails. */
export function schemaOfAnswer({
  answer,
  otherAnswers = {},
  forms,
}: Pick<OperationDoc, 'answer' | 'otherAnswers' | 'forms'>): JsonObject {
  const examples = answer === undefined ? [] : [answer, ...Object.values(otherAnswers)];
  return schemaOfExamples(examples, { ...LISTS, ...forms });
}

/**
 * The schema that all of these examples satisfy: what each of them has is required, and no further field is allowed. Of
 * an object without a member nothing is said; one whose names are data says so by a form.
 * @param forms schemas of fields whose examples say too little, by path (OperationDoc.forms)
 */
export function schemaOfExamples(examples: readonly Json[], forms: Forms = {}): JsonObject {
  return inferred(examples, '', forms);
}

function inferred(values: readonly Json[], path: string, forms: Forms): JsonObject {
  const said = forms[path] ?? forms[`${path}?`];
  if (said) return said;
  const types = [...new Set(values.map(typeOf))];
  // Of a null alone nothing can be said.
  if (types.every((type) => type === 'null')) return {};
  const objects = values.filter((value) => typeOf(value) === 'object') as JsonObject[];
  const items = values.filter((value): value is Json[] => Array.isArray(value)).flat();
  return {
    type: types.length === 1 ? types[0]! : types,
    ...(objects.length > 0 ? members(objects, path, forms) : {}),
    ...(items.length > 0 ? { items: inferred(items, path, forms) } : {}),
  };
}

function members(objects: readonly JsonObject[], path: string, forms: Forms): JsonObject {
  const prefix = path === '' ? '' : `${path}.`;
  const names = [...new Set([...objects.flatMap((object) => Object.keys(object)), ...optionalNames(prefix, forms)])];
  const properties = names.map((name) => {
    const given = objects.filter((object) => Object.hasOwn(object, name)).map((object) => object[name]!);
    const form = inferred(given, prefix + name, forms);
    const isOfOld = name === 'position' && form['type'] === 'number';
    return [name, { ...form, ...MEANINGS[name], ...(isOfOld ? POSITION_OF_OLD : {}) }] as const;
  });
  const required = names.filter(
    (name) => !(`${prefix}${name}?` in forms) && objects.every((object) => Object.hasOwn(object, name)),
  );
  if (names.length === 0) return {};
  return { properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** Fields that may be absent, also from every example. */
function optionalNames(prefix: string, forms: Forms): string[] {
  return Object.keys(forms)
    .filter((path) => path.startsWith(prefix) && /^[^.]+\?$/.test(path.slice(prefix.length)))
    .map((path) => path.slice(prefix.length, -1));
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
