import fc from 'fast-check';

import { Thing } from './things.js';

/** Values that satisfy a JSON Schema of draft 2020-12, drawn from it, as the OpenAPI document has schemas. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
}

export interface Drawing {
  /** `components.schemas`. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Names whose texts are, now and then, those of things that are there. */
  readonly things?: ReadonlySet<string>;
}

type Values = fc.Arbitrary<unknown>;

const COMPONENTS = '#/components/schemas/';
/** How deep what refers to itself is drawn. */
const MAX_DEPTH = 5;
/** Texts at their greatest length are drawn up to this one. */
const LONGEST = 10_000;

const anything = fc.jsonValue({ maxDepth: 2, noUnicodeString: false });
const anyMembers = fc.dictionary(fc.string({ maxLength: 8 }), anything, { maxKeys: 4 });

/**
 * @param name of the member or parameter that it is for
 * @throws Error for a reference that leads nowhere, and for a type that JSON has not
 */
export function valuesOf(schema: Schema, drawing: Drawing, name = '', depth = 0): Values {
  const { $ref, enum: choices, oneOf, anyOf, allOf } = schema;
  if ($ref !== undefined) return valuesOf(referred($ref, drawing), drawing, name, depth);
  if ('const' in schema) return fc.constant(schema.const);
  if (choices) return fc.constantFrom(...choices);
  if (allOf) return valuesOf(merged(schema, allOf, drawing), drawing, name, depth);
  const either = oneOf ?? anyOf;
  if (either) return fc.oneof(...either.map((one) => valuesOf(one, drawing, name, depth)));
  const types = [schema.type ?? typesBut(schema)].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, drawing, name, depth)));
}

/** A schema with its reference followed. @throws Error for one that leads nowhere */
export function resolved(schema: Schema, drawing: Drawing): Schema {
  return schema.$ref === undefined ? schema : referred(schema.$ref, drawing);
}

function referred($ref: string, { schemas }: Drawing): Schema {
  const found = schemas[$ref.slice(COMPONENTS.length)];
  if (!found) throw new Error(`${$ref} is no schema of the document`);
  return found;
}

function merged({ allOf: _, ...own }: Schema, parts: readonly Schema[], drawing: Drawing): Schema {
  const all = [own, ...parts.map((part) => resolved(part, drawing))];
  return all.reduce((one, other) => ({
    ...one,
    ...other,
    properties: { ...one.properties, ...other.properties },
    required: [...new Set([...(one.required ?? []), ...(other.required ?? [])])],
  }));
}

/** Where a schema names no type: an object if it speaks of members, else anything that it does not exclude. */
function typesBut({ properties, items, not }: Schema): readonly string[] {
  if (properties) return ['object'];
  if (items) return ['array'];
  return ['string', 'number', 'boolean', 'object', 'array', 'null'].filter((type) => type !== not?.type);
}

function ofType(type: string, schema: Schema, drawing: Drawing, name: string, depth: number): Values {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'number':
      return numbers(schema);
    case 'string':
      return texts(schema, drawing, name);
    case 'array':
      return arrays(schema, drawing, name, depth);
    case 'object':
      return objects(schema, drawing, depth);
    default:
      throw new Error(`${type}: no type of JSON Schema`);
  }
}

function integers({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): Values {
  const min = Math.ceil(Math.max(minimum ?? -1_000_000, (exclusiveMinimum ?? -Infinity) + 1));
  const max = Math.floor(Math.min(maximum ?? Math.max(min, 1_000_000), (exclusiveMaximum ?? Infinity) - 1));
  const bounds = fc.constantFrom(min, max);
  if (max - min < 2 ** 31) return fc.oneof({ weight: 3, arbitrary: fc.integer({ min, max }) }, bounds);
  return fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: Math.max(min, 0), max: Math.max(min, 0) + 10_000 }) },
    bounds,
    fc.integer({ min: Math.max(min, Number.MIN_SAFE_INTEGER), max: Math.min(max, Number.MAX_SAFE_INTEGER) }),
  );
}

function numbers({ minimum = -1e6, maximum = 1e6, exclusiveMinimum, exclusiveMaximum }: Schema): Values {
  const fits = (one: number): boolean =>
    one > (exclusiveMinimum ?? -Infinity) && one < (exclusiveMaximum ?? Infinity) && one >= minimum && one <= maximum;
  const hundredths = fc
    .integer({ min: Math.ceil(minimum * 100), max: Math.floor(maximum * 100) })
    .map((one) => one / 100);
  return fc
    .oneof({ weight: 3, arbitrary: hundredths }, fc.constantFrom(minimum, maximum))
    .map((one) => (Object.is(one, -0) ? 0 : one))
    .filter(fits);
}

function texts(schema: Schema, { things }: Drawing, name: string): Values {
  const drawn = formedTexts(schema);
  if (!things?.has(name)) return drawn;
  const there = fc.tuple(fc.nat(1_000), drawn).map(([nth, otherwise]) => new Thing(name, nth, otherwise));
  return fc.oneof({ weight: 4, arbitrary: there }, { weight: 1, arbitrary: drawn });
}

function formedTexts({ pattern, format, minLength = 0, maxLength = Infinity }: Schema): fc.Arbitrary<string> {
  // As JSON Schema counts: code points.
  const fits = (text: string): boolean => [...text].length >= minLength && [...text].length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits);
  if (format !== undefined) return ofFormat(format).filter(fits);
  const short = (unit: 'grapheme-ascii' | 'binary') =>
    fc.string({ unit, minLength, maxLength: Math.min(maxLength, minLength + 24) });
  const bounds = [minLength, maxLength].filter((length) => length <= LONGEST).map((length) => 'x'.repeat(length));
  return fc.oneof(
    { weight: 4, arbitrary: short('grapheme-ascii') },
    { weight: 2, arbitrary: short('binary') },
    { weight: 1, arbitrary: fc.constantFrom(...bounds) },
  );
}

function ofFormat(format: string): fc.Arbitrary<string> {
  switch (format) {
    case 'date-time': {
      const [min, max] = [new Date('1970-01-01'), new Date('2100-01-01')];
      return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
    }
    case 'uuid':
      return fc.uuid();
    case 'email':
      return fc.emailAddress();
    case 'uri':
      return fc.webUrl();
    default:
      throw new Error(`${format}: no format that is drawn here`);
  }
}

function arrays({ items = {}, minItems = 0, maxItems = 4, uniqueItems }: Schema, ...rest: Rest): Values {
  const [drawing, name, depth] = rest;
  const one = depth < MAX_DEPTH ? valuesOf(items, drawing, name, depth + 1) : anything;
  const length = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) };
  return uniqueItems
    ? fc.uniqueArray(one, { ...length, selector: (item) => JSON.stringify(item) })
    : fc.array(one, length);
}

type Rest = readonly [drawing: Drawing, name: string, depth: number];

function objects(schema: Schema, drawing: Drawing, depth: number): Values {
  const { properties, required = [], additionalProperties } = schema;
  if (!properties || Object.keys(properties).length === 0) {
    if (additionalProperties === false) return fc.constant({});
    if (typeof additionalProperties !== 'object') return anyMembers;
    const value = valuesOf(additionalProperties, drawing, '', depth + 1);
    return fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 });
  }
  const named = Object.entries(properties).filter(([name]) => depth < MAX_DEPTH || required.includes(name));
  const members = named.map(([name, one]) => [name, valuesOf(one, drawing, name, depth + 1)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) });
}
