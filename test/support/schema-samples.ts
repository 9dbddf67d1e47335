/** Values that fit JSON Schemas as the OpenAPI document has them: the least there is of each member that may be sent. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

const COMPONENTS = '#/components/schemas/';

/** @throws Error where a reference leads nowhere */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema;
  const found = schemas[schema.$ref.slice(COMPONENTS.length)];
  if (!found) throw new Error(`${schema.$ref} is no schema of the document`);
  return found;
}

export function sampleOf(schema: Schema, schemas: Schemas): unknown {
  const { type, enum: choices, items, properties = {}, minimum = 1 } = resolved(schema, schemas);
  if (choices) return choices[0];
  const [kind] = [type ?? 'object'].flat();
  if (kind === 'array') return items ? [sampleOf(items, schemas)] : [];
  if (kind === 'string') return 'x';
  if (kind === 'number' || kind === 'integer') return minimum;
  if (kind === 'boolean') return true;
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, sampleOf(one, schemas)]));
}

/** The example with one more member, of each that the schema allows and the example has not, in any depth. */
export function withEachMember(
  schema: Schema,
  schemas: Schemas,
  example: unknown,
): [string, (member: unknown) => unknown, unknown][] {
  const { properties = {}, items } = resolved(schema, schemas);
  if (Array.isArray(example)) {
    const [first, ...others] = example as unknown[];
    if (first === undefined || !items) return [];
    return withEachMember(items, schemas, first).map(([place, put, sample]) => [
      `/0${place}`,
      (member) => [put(member), ...others],
      sample,
    ]);
  }
  if (typeof example !== 'object' || example === null) return [];
  return Object.entries(properties).flatMap(([name, one]): [string, (member: unknown) => unknown, unknown][] => {
    const inside = (example as Readonly<Record<string, unknown>>)[name];
    const put = (member: unknown): unknown => ({ ...example, [name]: member });
    if (inside === undefined) return [[`/${name}`, put, sampleOf(one, schemas)]];
    return withEachMember(one, schemas, inside).map(([place, deep, sample]) => [
      `/${name}${place}`,
      (member) => put(deep(member)),
      sample,
    ]);
  });
}
