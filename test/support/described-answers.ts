import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';

/**
 * Holds answers to the description of the interface (libs/client/openapi.json): their status, their type of content and
 * their content, against the schema of that operation and status. A validator is compiled when its answer first comes.
 */

/** The form of all answers that no operation describes. */
const UNROUTED = 'ErrorEnvelope';
const FILE = join(process.cwd(), 'libs/client/openapi.json');
/** A path of the console, with or without a host. */
const SCREEN = /^(?:https?:\/\/[^/]+)?\/console\//;
const ASSETS = new Set(['/docs/{asset}', '/console/files/{file}']);
const REMEDY = 'correct the route’s @Doc or its answer; then WRITE_OPENAPI=1 npm test -- openapi-answers';

interface Content {
  readonly schema: AnySchemaObject;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, AnySchemaObject>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}
interface Place {
  readonly parts: readonly string[];
  readonly path: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

export interface Answered {
  readonly method: string;
  /** With or without a host and a query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

let known: Known | undefined;

/** What an answer is not that the description says; empty where it is all of it. */
export function faultsOf(answered: Answered): readonly string[] {
  // A redirect has no content, and screens of the console are no operations.
  if (answered.status === 303 || (SCREEN.test(answered.url) && answered.contentType?.startsWith('text/html')))
    return [];
  // An error of JSON-RPC, which MCP gives with the status of HTTP that its revision asks for.
  if (answered.url.endsWith('/mcp') && answered.text.startsWith('{"jsonrpc"')) return [];
  return (known ??= new Known(JSON.parse(readFileSync(FILE, 'utf8')) as Description)).faultsOf(answered);
}

/** @throws Error that names what an answer is not */
export function expectDescribed(answered: Answered): void {
  const faults = faultsOf(answered);
  if (faults.length === 0) return;
  const { method, url, status, text } = answered;
  throw new Error(
    `${method} ${url} answered ${status}, which is not as described:\n  ${faults.join('\n  ')}\n${REMEDY}\n${text.slice(0, 2_000)}`,
  );
}

/** Every request that a test injects into this application from now on is held to the description. */
export function holdToDescription(fastify: FastifyInstance): void {
  const inject: (options: InjectOptions | string) => Promise<LightMyRequestResponse> = fastify.inject.bind(fastify);
  const injected = async (options: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const answer = await inject(options);
    const { method = 'GET', url = '' } =
      typeof options === 'string' ? { url: options } : { ...options, url: options.url ?? options.path };
    expectDescribed({
      method,
      url: typeof url === 'string' ? url : (url.pathname ?? ''),
      status: answer.statusCode,
      contentType: answer.headers['content-type']?.toString(),
      text: answer.payload,
    });
    return answer;
  };
  fastify.inject = injected as never;
}

let held: { readonly origins: Set<string>; readonly fetch: typeof fetch } | undefined;

/** What tests fetch from this origin from now on, until the end of their file, is held to the description. */
export function holdFetchesToDescription(origin: string): void {
  // The next file finds the real one again, and no origin of this one.
  if (held === undefined || globalThis.fetch !== held.fetch) {
    const origins = new Set<string>();
    held = { origins, fetch: fetchedFrom(origins, globalThis.fetch.bind(globalThis)) };
    globalThis.fetch = held.fetch;
  }
  held.origins.add(new URL(origin).origin);
}

function fetchedFrom(origins: ReadonlySet<string>, real: typeof fetch): typeof fetch {
  return async (input, init) => {
    const answer = await real(input, init);
    const { origin, href } = new URL(input instanceof Request ? input.url : input);
    const contentType = answer.headers.get('content-type') ?? undefined;
    if (!origins.has(origin) || contentType?.startsWith('text/event-stream')) return answer;
    // The test reads the other half; both have what came.
    const text = await answer.clone().text();
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    expectDescribed({ method, url: href, status: answer.status, contentType, text });
    return answer;
  };
}

class Known {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly places: readonly Place[];

  constructor(private readonly description: Description) {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'api', components: { schemas: description.components.schemas } });
    this.places = Object.entries(description.paths)
      .map(([path, operations]) => ({ parts: path.split('/'), path, operations }))
      // A named part is nearer than one of any text.
      .sort((a, b) => placeholders(a) - placeholders(b));
  }

  faultsOf({ method, url, status, contentType, text }: Answered): readonly string[] {
    const verb = method.toLowerCase();
    if (verb === 'head' || status === 204 || status === 304) return text === '' ? [] : ['content where there is none'];
    const media = contentType?.split(';')[0]?.trim() ?? '';
    const place = this.placeOf(url);
    const operation = place?.operations[verb];
    if (!place || !operation) return this.faultsOfUnrouted(status, media, text);
    const response = this.resolved(operation.responses[String(status)]);
    if (!response)
      return [`${verb} ${place.path}: no status ${status}; it has ${Object.keys(operation.responses).join()}`];
    const content = response.content?.[media];
    // Assets are described by one of them.
    if (!content) return ASSETS.has(place.path) ? [] : [`${verb} ${place.path}: ${status} is not ${media}`];
    if (!media.endsWith('json')) return [];
    return this.faultsOfJson(`${verb} ${place.path} ${status} ${media}`, content.schema, text);
  }

  private faultsOfUnrouted(status: number, media: string, text: string): readonly string[] {
    if (status < 400) return [`no operation describes what answered ${status}`];
    const name = media === 'application/problem+json' ? 'Problem' : UNROUTED;
    return this.faultsOfJson(name, { $ref: `#/components/schemas/${name}` }, text);
  }

  private faultsOfJson(name: string, schema: AnySchemaObject, text: string): readonly string[] {
    let validate = this.validators.get(name);
    if (!validate) {
      const located = JSON.stringify(schema).replaceAll('"#/', '"api#/');
      validate = this.ajv.compile(JSON.parse(located) as AnySchemaObject);
      this.validators.set(name, validate);
    }
    if (validate(JSON.parse(text))) return [];
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${name}: ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  private placeOf(url: string): Place | undefined {
    const path = url.replace(/^https?:\/\/[^/]+/, '').split(/[?#]/)[0]!;
    const parts = path.split('/');
    return this.places.find(
      (place) =>
        place.parts.length === parts.length &&
        place.parts.every((part, i) => (part.startsWith('{') ? parts[i] !== '' : part === decoded(parts[i]!))),
    );
  }

  private resolved(response: Response | undefined): Response | undefined {
    if (response?.$ref === undefined) return response;
    return this.description.components.responses[response.$ref.slice('#/components/responses/'.length)];
  }
}

function placeholders({ parts }: Place): number {
  return parts.filter((part) => part.startsWith('{')).length;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
