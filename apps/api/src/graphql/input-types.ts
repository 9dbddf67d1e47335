import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';

import { DEFINITIONS, type DtoClass, schemaOf } from '../edge/dto-schema.js';
import { pascal } from './field.js';
import { JsonScalar } from './json-scalar.js';

interface InputSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly items?: InputSchema;
  readonly enum?: readonly unknown[];
  readonly definitions?: Readonly<Record<string, InputSchema>>;
  readonly $ref?: string;
}

export interface InputFields {
  readonly [name: string]: { readonly type: GraphQLInputType; readonly description?: string };
}

const SCALARS: Readonly<Record<string, GraphQLInputType>> = {
  string: GraphQLString,
  boolean: GraphQLBoolean,
  integer: GraphQLInt,
  number: GraphQLFloat,
};

/**
 * Types of what is given, from the classes that the REST interface holds its bodies and queries to. The lengths, ranges and
 * patterns of those classes are checked as they are there, and answered alike.
 */
export class InputTypes {
  private readonly drawn = new Map<string, GraphQLInputObjectType>();

  /** Members of a class as arguments. */
  arguments(dto: DtoClass): InputFields {
    const schema = schemaOf(dto) as InputSchema;
    return this.fields(dto.name, schema, schema);
  }

  /** A class as one argument; undefined where it asks for nothing. */
  object(name: string, dto: DtoClass): GraphQLInputType | undefined {
    const schema = schemaOf(dto) as InputSchema;
    if (Object.keys(schema.properties ?? {}).length === 0) return undefined;
    const type = this.drawn.get(name) ?? this.draw(name, schema, schema);
    return (schema.required ?? []).length > 0 ? new GraphQLNonNull(type) : type;
  }

  private draw(name: string, schema: InputSchema, root: InputSchema): GraphQLInputObjectType {
    const type = new GraphQLInputObjectType({ name, fields: () => this.fields(name, schema, root) });
    this.drawn.set(name, type);
    return type;
  }

  private fields(name: string, { properties = {}, required = [] }: InputSchema, root: InputSchema): InputFields {
    return Object.fromEntries(
      Object.entries(properties).map(([member, schema]) => {
        const type = this.of(name + pascal(member), schema, root);
        const words = schema.enum ? { description: `One of ${schema.enum.join(', ')}.` } : {};
        return [member, { type: required.includes(member) ? new GraphQLNonNull(type) : type, ...words }];
      }),
    );
  }

  private of(name: string, schema: InputSchema, root: InputSchema): GraphQLInputType {
    if (schema.$ref?.startsWith(DEFINITIONS)) return this.defined(schema.$ref.slice(DEFINITIONS.length), root);
    if (schema.type === 'array') return schema.items ? new GraphQLList(this.of(name, schema.items, root)) : JsonScalar;
    return (typeof schema.type === 'string' && SCALARS[schema.type]) || JsonScalar;
  }

  private defined(dto: string, root: InputSchema): GraphQLInputType {
    const name = `${dto.replace(/Dto$/, '')}Part`;
    return this.drawn.get(name) ?? this.draw(name, root.definitions?.[dto] ?? {}, root);
  }
}
