import { Injectable, type INestApplication } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';

import { permissionOf } from '#lib/access';
import { ERROR_CATALOGUE, errorEnvelope, MaceError, type ErrorCode, type JsonObject } from '#lib/kernel';

import { DOC_METADATA, type OperationDoc } from './doc.js';
import { DEFINITIONS, schemaOf, type DtoClass } from './dto-schema.js';
import { accessOf } from './permission.js';

type Schema = Record<string, unknown>;
interface Operation {
  operationId?: string;
  parameters?: Schema[];
  responses?: Record<string, unknown>;
  [member: string]: unknown;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components?: Record<string, Record<string, unknown>>;
  [member: string]: unknown;
}
interface Route {
  readonly method: object;
  readonly body: DtoClass | undefined;
  readonly query: DtoClass | undefined;
}

class AnyFields {}

const COMPONENTS = '#/components/schemas/';
const EVERYWHERE: readonly ErrorCode[] = ['INVALID_INPUT', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'DATA_UNAVAILABLE'];
const WRITES = ['post', 'put', 'patch', 'delete'];

/** The interface's description, drawn when it is first asked for. */
@Injectable()
export class OpenApi {
  private nest: INestApplication | undefined;
  private drawn: Promise<object> | undefined;

  /** The application to describe, once it stands; it exists only after everything in it. */
  of(nest: INestApplication): void {
    this.nest = nest;
  }

  document(): Promise<object> {
    if (!this.nest) throw new MaceError('DATA_UNAVAILABLE', 'the application is still starting');
    return (this.drawn ??= draw(this.nest));
  }
}

/** OpenAPI 3.1 of a running application: Nest's document, completed from the DTO classes, permissions and examples. */
async function draw(nest: INestApplication): Promise<object> {
  const { DocumentBuilder, SwaggerModule } = await import('@nestjs/swagger');
  const settings = new DocumentBuilder()
    .setTitle('MACE')
    .setDescription('Decisions by several agents that can be proven afterwards.')
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(nest, settings, {
    operationIdFactory: (controller, method) => `${controller}.${method}`,
  }) as unknown as Document;
  const routes = routesOf(nest);
  const schemas: Record<string, unknown> = { ErrorEnvelope: ENVELOPE };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const route = routes.get(operation.operationId ?? '');
      if (!route) continue;
      complete(operation, verb, route, schemas);
      operation.parameters?.unshift(...pathParameters(path));
    }
  }
  return { ...document, components: { ...document.components, schemas, responses: errorResponses() } };
}

/** Each handler with the classes of its body and query, by operation id. */
function routesOf(nest: INestApplication): Map<string, Route> {
  const routes = new Map<string, Route>();
  for (const { controllers } of nest.get(ModulesContainer).values()) {
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function') continue;
      const prototype = metatype.prototype as Record<string, object>;
      for (const name of Object.getOwnPropertyNames(prototype)) {
        if (name === 'constructor') continue;
        routes.set(`${metatype.name}.${name}`, {
          method: prototype[name]!,
          body: classOf(metatype, name, RouteParamtypes.BODY),
          query: classOf(metatype, name, RouteParamtypes.QUERY),
        });
      }
    }
  }
  return routes;
}

function classOf(controller: { prototype: object }, name: string, kind: RouteParamtypes): DtoClass | undefined {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype, name) ?? []) as DtoClass[];
  const key = Object.keys(args).find((entry) => Number(entry.split(':')[0]) === Number(kind));
  const type = key === undefined ? undefined : types[args[key]!.index];
  // What is declared by an interface is an Object at run time: a body of any fields.
  return type === (Object as unknown) ? AnyFields : type;
}

function complete(
  operation: Operation,
  verb: string,
  { method, body, query }: Route,
  schemas: Record<string, unknown>,
): void {
  const doc = Reflect.getMetadata(DOC_METADATA, method) as OperationDoc | undefined;
  const access = accessOf(method);
  if (doc) Object.assign(operation, { summary: doc.summary }, doc.description ? { description: doc.description } : {});
  if (access && access !== 'public') {
    const { elevated, note } = permissionOf(access);
    Object.assign(operation, { security: [{ bearer: [] }], 'x-mace-permission': access, 'x-mace-elevated': elevated });
    if (note) operation['x-mace-note'] = note;
  } else Object.assign(operation, { security: [], 'x-mace-permission': 'public', 'x-mace-elevated': false });
  operation.parameters = [...queryParameters(query), ...(WRITES.includes(verb) ? [IDEMPOTENCY_KEY] : [])];
  delete operation['requestBody'];
  if (body) operation['requestBody'] = requestBody(body, doc, schemas);
  operation.responses = responses(operation, doc, access === 'public');
}

/** From the path itself: a handler may take all of its parts as one. */
function pathParameters(path: string): Schema[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: DtoClass | undefined): Schema[] {
  if (!query) return [];
  const { properties, required = [] } = schemaOf(query) as { properties: Record<string, Schema>; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function requestBody(body: DtoClass, doc: OperationDoc | undefined, schemas: Record<string, unknown>): Schema {
  if (body === AnyFields) return { required: true, content: { 'application/json': { schema: { type: 'object' } } } };
  const { definitions = {}, ...schema } = schemaOf(body) as Schema & { definitions?: Schema };
  for (const [name, part] of Object.entries({ ...definitions, [body.name]: schema })) schemas[name] ??= relocated(part);
  const example = doc?.request === undefined ? {} : { example: doc.request };
  return { required: true, content: { 'application/json': { schema: { $ref: COMPONENTS + body.name }, ...example } } };
}

function responses(operation: Operation, doc: OperationDoc | undefined, open: boolean): Record<string, unknown> {
  const status = Object.keys(operation.responses ?? {}).find((code) => code.startsWith('2')) ?? '200';
  const example = doc?.answer === undefined ? {} : { example: doc.answer };
  const answers: Record<string, unknown> = {
    [status]: { description: 'done', content: { 'application/json': { schema: {}, ...example } } },
  };
  for (const code of new Set([...(open ? [] : EVERYWHERE), ...(doc?.errors ?? [])])) {
    answers[ERROR_CATALOGUE[code].status] ??= { $ref: `#/components/responses/${code}` };
  }
  return answers;
}

/** One example an error code, as it is answered. */
function errorResponses(): Record<string, unknown> {
  const meta: JsonObject = {
    query_id: `q-${'0'.repeat(32)}`,
    timestamp: '2025-01-01T00:00:00.000Z',
    trace_id: `trace-${'0'.repeat(16)}`,
  };
  return Object.fromEntries(
    (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((code) => [
      code,
      {
        description: ERROR_CATALOGUE[code].user_message,
        content: {
          'application/json': {
            schema: { $ref: `${COMPONENTS}ErrorEnvelope` },
            example: errorEnvelope(code, 'what was wrong', meta),
          },
        },
      },
    ]),
  );
}

function relocated(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll(DEFINITIONS, COMPONENTS));
}

const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key with the same body gives the first answer again.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
};

const ENVELOPE: Schema = {
  type: 'object',
  required: ['error_code', 'status', 'severity', 'user_message', 'developer_message', 'meta'],
  properties: {
    error_code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
    status: { type: 'integer' },
    severity: { type: 'string', enum: ['info', 'warning', 'error', 'critical'] },
    user_message: { type: 'string' },
    developer_message: { type: 'string' },
    meta: { type: 'object' },
  },
};
