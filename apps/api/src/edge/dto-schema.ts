import { createRequire } from 'node:module';

import type { AnySchemaObject } from 'ajv';

/** JSON Schemas of the DTO classes: the class-validator decorators stay the one source of a form. */

export type DtoClass = new (...args: never[]) => object;

interface SchemaLibrary {
  targetConstructorToSchema(dto: DtoClass, options: object): AnySchemaObject;
  validationMetadatasToSchemas(options: object): Record<string, AnySchemaObject>;
}

export const DEFINITIONS = '#/definitions/';
const load = createRequire(import.meta.url);
const schemas = new Map<DtoClass, AnySchemaObject>();

/** The schema of a class, closed: fields that it does not name are not allowed, in nested classes neither. */
export function schemaOf(dto: DtoClass): AnySchemaObject {
  let schema = schemas.get(dto);
  if (!schema) {
    schema = build(dto);
    schemas.set(dto, schema);
  }
  return schema;
}

function build(dto: DtoClass): AnySchemaObject {
  // Loaded when the first request with a form comes: most of its cost is lodash.
  const library = load('class-validator-jsonschema') as SchemaLibrary;
  const { defaultMetadataStorage } = load('class-transformer/cjs/storage.js') as { defaultMetadataStorage: unknown };
  const options = { classTransformerMetadataStorage: defaultMetadataStorage, refPointerPrefix: DEFINITIONS };
  const top = closed(library.targetConstructorToSchema(dto, options));
  if (!JSON.stringify(top).includes(DEFINITIONS)) return top;
  const all = Object.entries(library.validationMetadatasToSchemas(options));
  return { ...top, definitions: Object.fromEntries(all.map(([name, schema]) => [name, closed(schema)])) };
}

function closed(schema: AnySchemaObject): AnySchemaObject {
  return { properties: {}, type: 'object', ...schema, additionalProperties: false };
}
