import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';

import type { JsonObject } from '#lib/kernel';

import { pascal } from './field.js';
import { JsonScalar } from './json-scalar.js';

/** A JSON Schema, as far as types follow from it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly deprecated?: boolean;
  readonly description?: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what resolves a field is not this file's to know
type Fields = Record<string, GraphQLFieldConfig<unknown, any>>;

const NAME = /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/;
const SCALARS: Readonly<Record<string, GraphQLOutputType>> = {
  string: GraphQLString,
  boolean: GraphQLBoolean,
  // Times in milliseconds do not fit into the 32 bits of Int.
  number: GraphQLFloat,
  integer: GraphQLFloat,
};

/**
 * Types of answers, from the schemas of the REST interface. Every field of them may be null, so that what was redacted or
 * erased never takes its neighbours with it. What has no closed form is JSON.
 */
export class OutputTypes {
  private readonly drawn = new Map<string, GraphQLObjectType>();

  constructor(private readonly envelope: GraphQLOutputType) {}

  /** @param more fields besides those of the schema */
  object(name: string, { properties = {} }: Schema, more: () => Fields = () => ({})): GraphQLObjectType {
    if (this.drawn.has(name)) throw new Error(`two types of answers are named ${name}`);
    const type = new GraphQLObjectType({
      name,
      fields: () => ({
        ...Object.fromEntries(
          Object.entries(properties).map(([member, schema]) => [
            member,
            {
              type: this.of(name + pascal(member), schema),
              ...(schema.deprecated ? { deprecationReason: schema.description! } : {}),
            },
          ]),
        ),
        ...more(),
      }),
    });
    this.drawn.set(name, type);
    return type;
  }

  /** The type of that name; undefined where none was drawn yet. */
  drawnAs(name: string): GraphQLObjectType | undefined {
    return this.drawn.get(name);
  }

  /** @param name of the type that is drawn where the schema is one of an object */
  of(name: string, schema: Schema): GraphQLOutputType {
    if (schema.$ref?.endsWith('/ErrorEnvelope')) return this.envelope;
    const choices = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null');
    if (choices) return choices.length === 1 ? this.of(name, choices[0]!) : JsonScalar;
    // What is null in every example is a text where it is there.
    if (schema.type === 'null') return GraphQLString;
    const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
    const only = types.length === 1 ? types[0]! : undefined;
    if (only === 'array') return schema.items ? new GraphQLList(this.of(name, schema.items)) : JsonScalar;
    if (only === 'object' && isClosed(schema)) return this.drawn.get(name) ?? this.object(name, schema);
    return SCALARS[only ?? ''] ?? JsonScalar;
  }

  /** A page of them (Relay's connection), with what else the list says of itself. */
  connection(name: string, node: GraphQLOutputType, rest: Schema): GraphQLObjectType {
    const edge = new GraphQLObjectType({
      name: `${name}Edge`,
      fields: { cursor: { type: GraphQLString, description: CURSOR }, node: { type: node } },
    });
    return this.object(`${name}Connection`, rest, () => ({
      edges: { type: new GraphQLNonNull(new GraphQLList(edge)) },
      pageInfo: { type: new GraphQLNonNull(PageInfo) },
    }));
  }
}

const CURSOR = 'Where a page can begin after this item: given for the last one of a page that another follows.';

const PageInfo = new GraphQLObjectType({
  name: 'PageInfo',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean), description: 'Pages are read forwards only.' },
    startCursor: { type: GraphQLString, description: 'Pages are read forwards only.' },
    endCursor: { type: GraphQLString, description: 'The next page begins after it; null where there is none.' },
  },
});

function isClosed({ properties = {} }: Schema): boolean {
  const names = Object.keys(properties);
  return names.length > 0 && names.every((name) => NAME.test(name));
}

/** The schema that what satisfies any of these has, of the members that they agree on. */
export function merged(schemas: readonly Schema[]): Schema {
  const [first = {}, ...others] = schemas;
  if (others.length === 0) return first;
  const kinds = [...new Set(schemas.flatMap(({ type }) => [type ?? []].flat()))].filter((type) => type !== 'null');
  if (kinds.length > 1) return {};
  const items = schemas.flatMap((schema) => schema.items ?? []);
  const names = [...new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const properties = names.map((name) => [name, merged(schemas.flatMap((schema) => schema.properties?.[name] ?? []))]);
  return {
    ...first,
    ...(kinds.length === 1 ? { type: kinds[0]! } : {}),
    ...(items.length > 0 ? { items: merged(items) } : {}),
    ...(names.length > 0 ? { properties: Object.fromEntries(properties) as Record<string, Schema> } : {}),
  };
}

export function asSchema(schema: JsonObject): Schema {
  return schema;
}
