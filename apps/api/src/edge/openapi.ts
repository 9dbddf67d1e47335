import { createHash } from 'node:crypto';

import { Injectable, type INestApplication } from '@nestjs/common';
import { ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';

import { permissionOf } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { schemaOfAnswer, schemaOfExamples } from './doc-schema.js';
import { docOf, type OperationDoc } from './doc.js';
import { DEFINITIONS, schemaOf, type DtoClass } from './dto-schema.js';
import { errorExamples, errorResponses, errorSchemas, errorsOf } from './openapi-errors.js';
import {
  ANSWER_HEADERS,
  BEARER,
  CONTENT_TAG,
  headerRefs,
  IDEMPOTENCY_KEY,
  ON_EVERY_ANSWER,
  OTHER_PARAMETERS,
  TRACE_ID,
} from './openapi-headers.js';
import { accessOf } from './permission.js';

const IF_NONE_MATCH = 'If-None-Match';
const EVENT_STREAM = 'text/event-stream';

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

/** What operations refer to, by name. */
interface Drawn {
  readonly schemas: Record<string, unknown>;
  readonly responses: Record<string, unknown>;
}

class AnyFields {}

const COMPONENTS = '#/components/schemas/';
const WRITES = ['post', 'put', 'patch', 'delete'];
/** Ids that answers name more fully than the path which takes them. */
const GIVEN_AS: Readonly<Record<string, string>> = {
  '/actionrequest/{id}': 'request_id',
  '/brainstate/{snapshot_id}': 'brainstate_snapshot_id',
};

/** JSON, and its strong tag. */
interface Written {
  readonly content: Buffer;
  readonly etag: string;
}

/** The interface's description, drawn when it is first asked for. */
@Injectable()
export class OpenApi {
  private nest: INestApplication | undefined;
  private drawn: Promise<object> | undefined;
  private written: Promise<Written> | undefined;

  /** The application to describe, once it stands; it exists only after everything in it. */
  of(nest: INestApplication): void {
    this.nest = nest;
  }

  document(): Promise<object> {
    if (!this.nest) throw new MaceError('DATA_UNAVAILABLE', 'the application is still starting');
    return (this.drawn ??= draw(this.nest));
  }

  /** The same as it is sent: it stays as it is while the process runs. */
  bytes(): Promise<Written> {
    return (this.written ??= this.document().then((document) => {
      const content = Buffer.from(JSON.stringify(document));
      return { content, etag: `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"` };
    }));
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
    .addBearerAuth(BEARER as never)
    .build();
  const document = SwaggerModule.createDocument(nest, settings, {
    operationIdFactory: operationId,
  }) as unknown as Document;
  const routes = routesOf(nest);
  const drawn: Drawn = { schemas: errorSchemas(), responses: {} };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const route = routes.get(operation.operationId ?? '');
      if (!route) continue;
      complete(operation, { path, verb }, route, drawn);
    }
  }
  linkIds(document);
  const components = { ...document.components, ...drawn, headers: ANSWER_HEADERS, examples: errorExamples() };
  return { ...document, components };
}

/** An operation by what it is about and what is done with it, such as `jobs.ask`. */
function operationId(controller: string, method: string): string {
  const about = controller.replace(/Controller$/, '');
  return `${about[0]!.toLowerCase()}${about.slice(1)}.${method}`;
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
        routes.set(operationId(metatype.name, name), {
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
  { path, verb }: { path: string; verb: string },
  { method, body, query }: Route,
  { schemas, responses }: Drawn,
): void {
  const doc = docOf(method);
  const access = accessOf(method);
  const writes = WRITES.includes(verb);
  if (doc) Object.assign(operation, { summary: doc.summary }, doc.description ? { description: doc.description } : {});
  if (access && access !== 'public') {
    const { elevated, note } = permissionOf(access);
    Object.assign(operation, { security: [{ bearer: [] }], 'x-mace-permission': access, 'x-mace-elevated': elevated });
    if (note) operation['x-mace-note'] = note;
  } else Object.assign(operation, { security: [], 'x-mace-permission': 'public', 'x-mace-elevated': false });
  const inPath = pathParameters(path);
  operation.parameters = [
    ...inPath,
    ...queryParameters(query),
    ...(writes ? [IDEMPOTENCY_KEY as unknown as Schema] : []),
    ...(doc?.headers ?? []).map((name) => OTHER_PARAMETERS[name] as unknown as Schema),
    ...(access === 'public' ? [] : [TRACE_ID as unknown as Schema]),
  ];
  delete operation['requestBody'];
  if (body) operation['requestBody'] = requestBody(body, doc, schemas);
  operation.responses = {
    ...(doc?.refused ? {} : successes(operation, doc)),
    ...errorResponses(errorsOf({ access, writes, hasPathParts: inPath.length > 0, doc }), responses),
  };
}

/** Links each id that a write answers to the operations which take that id alone, for whoever goes on with it. */
function linkIds({ paths }: Document): void {
  const takers = Object.entries(paths).flatMap(([path, operations]) => {
    const [parameter, ...more] = pathParameters(path).map(({ name }) => name as string);
    if (parameter === undefined || more.length > 0) return [];
    const given = GIVEN_AS[path.slice(0, path.indexOf('}') + 1)] ?? parameter;
    return Object.values(operations).map(({ operationId: id }) => ({ id: id!, parameter, given }));
  });
  for (const [verb, operation] of Object.values(paths).flatMap((operations) => Object.entries(operations))) {
    const done = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1] as Schema;
    const properties = WRITES.includes(verb) ? propertiesOf(done) : {};
    const links = takers
      .filter(({ id, given }) => given in properties && id !== operation.operationId)
      .map(({ id, parameter, given }) => {
        const parameters = { [parameter]: `$response.body#/${given}` };
        return [id, { operationId: id, parameters }] as const;
      });
    if (links.length > 0) done['links'] = Object.fromEntries(links);
  }
}

function propertiesOf(response: Schema | undefined): Schema {
  const content = response?.['content'] as Record<string, { readonly schema: Schema }> | undefined;
  return (content?.['application/json']?.schema['properties'] ?? {}) as Schema;
}

/** From the path itself: a handler may take all of its parts as one. */
function pathParameters(path: string): Schema[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    // A path with an empty part is no route of this one.
    schema: { type: 'string', minLength: 1 },
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
  const example = doc?.request === undefined ? {} : { example: doc.request };
  const json = (schema: Schema): Schema => ({
    required: true,
    content: { 'application/json': { schema, ...example } },
  });
  if (body === AnyFields) return json({ type: 'object' });
  const { definitions = {}, ...schema } = schemaOf(body) as Schema & { definitions?: Schema };
  for (const [name, part] of Object.entries({ ...definitions, [body.name]: schema })) schemas[name] ??= relocated(part);
  return json({ $ref: COMPONENTS + body.name });
}

/** What is answered where nothing fails, by status. */
function successes(operation: Operation, doc: OperationDoc | undefined): Record<string, unknown> {
  const status = Object.keys(operation.responses ?? {}).find((code) => code.startsWith('2')) ?? '200';
  // A stream has no end that a signature could stand before.
  const always = doc?.media === EVENT_STREAM ? (['X-Trace-Id'] as const) : ON_EVERY_ANSWER;
  const isTagged = doc?.headers?.includes(IF_NONE_MATCH) ?? false;
  const tag = isTagged ? CONTENT_TAG : doc?.etag ? headerRefs(['ETag']) : {};
  const headers = { ...headerRefs(always), ...tag };
  const usual = { description: 'done', headers, content: answerContent(doc) };
  if (isTagged) return { [status]: usual, 304: { description: 'it is what the caller has', headers } };
  if (doc?.pending === undefined) return { [status]: usual };
  const content = { 'application/json': { schema: schemaOfExamples([doc.pending]), example: doc.pending } };
  const accepted = { description: 'accepted; it goes on', headers: headerRefs(ON_EVERY_ANSWER), content };
  return { [status]: usual, 202: accepted };
}

function answerContent(doc: OperationDoc | undefined): Schema {
  if (doc?.answer === undefined) return { 'application/json': { schema: {} } };
  const { answer, otherAnswers = {}, media = 'application/json' } = doc;
  const others = Object.entries(otherAnswers);
  const schema = schemaOfAnswer(doc);
  if (others.length === 0) return { [media]: { schema, example: answer } };
  const named = [['usual', answer] as const, ...others].map(([name, value]) => [name, { value }] as const);
  return { [media]: { schema, examples: Object.fromEntries(named) } };
}

function relocated(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll(DEFINITIONS, COMPONENTS));
}
