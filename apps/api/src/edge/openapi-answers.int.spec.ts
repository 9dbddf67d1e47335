import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';

import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

import { signToken, type Role } from '#lib/access';
import { ERROR_CATALOGUE, type Json } from '#lib/kernel';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { EventStoreForTests } from '../../../../test/support/event-store-for-tests.js';
import { everyServedJobReplays } from '../../../../test/support/replay-check.js';
import { openApp, type OpenApp } from '../main.open.js';
import { readConfig } from '../platform.config.js';

interface Content {
  readonly schema: AnySchemaObject;
  readonly example?: Json;
  readonly examples?: Readonly<Record<string, { readonly value?: Json; readonly $ref?: string }>>;
}
interface Response {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly links?: object;
  readonly content: Readonly<Record<string, Content>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: AnySchemaObject;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
  readonly 'x-mace-permission': string;
}
interface Description {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, AnySchemaObject>>;
    readonly examples: Readonly<Record<string, { readonly value: Json }>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}
interface Place {
  readonly path: string;
  readonly verb: string;
  readonly operation: Operation;
}
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, string>;
}

const COLOR = '/sem/user/profile/user_tuff/favorite_color';
const SEM = '/sem/{scope}/{entity_type}/{entity_id}/{attribute}';

describe('the description of the whole interface', () => {
  let folder: string;
  let open: OpenApp;
  let store: EventStoreForTests;
  let description: Description;
  let places: readonly Place[];
  let ajv: Ajv2020;
  const compiled = new Map<string, ValidateFunction>();
  const tokens = new Map<string, string>();

  beforeAll(async () => {
    folder = await newDataFolder('openapi');
    store = await EventStoreForTests.start(folder);
    open = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent', ...store.settings }));
    for (const role of ['user', 'operator'] as const) tokens.set(role, await token(role));
    const { body } = await call('user', 'GET', '/openapi.json');
    description = body as unknown as Description;
    for (const operations of Object.values(description.paths))
      for (const { responses } of Object.values(operations))
        for (const [status, { $ref }] of Object.entries(responses))
          if ($ref !== undefined) (responses as Record<string, Response>)[status] = found($ref.slice(2)) as Response;
    places = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([verb, operation]) => ({ path, verb, operation })),
    );
    ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', components: { schemas: description.components.schemas } });
  });

  afterAll(async () => {
    await open.app.nest.close();
    await open.platform.running.stopAll();
    await open.platform.close();
    expect(await everyServedJobReplays(folder, {}, store.settings)).toBeGreaterThan(0);
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is OpenAPI 3.1 in its structure: ids once, every path part declared, every reference found', () => {
    expect(description).toMatchObject({ openapi: '3.1.0', info: { title: 'MACE', version: '1' } });
    const ids = places.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(50);
    for (const { path, operation } of places) {
      const parts = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((one) => one.in === 'path');
      expect(declared.map(({ name, required }) => [name, required])).toEqual(parts.map((name) => [name, true]));
      const keys = operation.parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(keys).size).toBe(keys.length);
    }
    for (const [, pointer] of JSON.stringify(description).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      expect([pointer, found(pointer!)]).toEqual([pointer, expect.anything()]);
    }
  });

  it('is the one that libs/client was made of; else: WRITE_OPENAPI=1 npm test -- openapi-answers', async () => {
    const { body } = await call('user', 'GET', '/openapi.json');
    // By itself: other files of a process declare forms of their own.
    if (process.env['WRITE_OPENAPI'] === '1')
      await writeFile('libs/client/openapi.json', `${JSON.stringify(body, null, 1)}\n`);
    const kept = await readFile('libs/client/openapi.json', 'utf8');
    expect(differing(JSON.parse(kept), body)).toEqual([]);
    const digest = createHash('sha256').update(kept).digest('hex');
    expect((await readFile('libs/client/src/api.ts', 'utf8')).split('\n')[0]).toContain(`(sha256 ${digest})`);
  });

  it('links each id that a write answers to the operations that take it', () => {
    const linked = (path: string): unknown =>
      Object.values(description.paths[path]!['post']!.responses).find(({ links }) => links)?.links;
    const by = (operationId: string, name: string, given = name) => ({
      [operationId]: { operationId, parameters: { [name]: `$response.body#/${given}` } },
    });
    expect(linked('/jobs')).toMatchObject({ ...by('jobs.read', 'job_id'), ...by('reflectiveLogs.read', 'log_id') });
    expect(linked('/replay/request')).toMatchObject(by('replay.read', 'replay_id'));
    expect(linked('/actionrequest/create')).toMatchObject(by('actionRequests.vote', 'id', 'request_id'));
    expect(linked('/brainstate/create_snapshot')).toMatchObject(
      by('brainState.read', 'snapshot_id', 'brainstate_snapshot_id'),
    );
    const ids = new Set(places.map(({ operation }) => operation.operationId));
    const all = [...JSON.stringify(description).matchAll(/"operationId":"([^"]+)","parameters":\{/g)];
    expect(all.map(([, id]) => id).filter((id) => !ids.has(id!))).toEqual([]);
  });

  it('holds only schemas that are JSON Schemas of draft 2020-12, the dialect of OpenAPI 3.1', () => {
    const schemas = [
      ...Object.values(description.components.schemas),
      ...places.flatMap(({ operation }) => [
        ...operation.parameters.map(({ schema }) => schema),
        ...contentsOf(operation).map(({ schema }) => schema),
      ]),
    ];
    for (const schema of schemas) {
      expect([ajv.validateSchema(schema), ajv.errors, schema]).toEqual([true, null, schema]);
    }
  });

  it('gives every operation a summary, an answer with an example and a schema, and a body with an example', () => {
    const gaps = places.flatMap(({ path, verb, operation }) => {
      const here = `${verb} ${path}`;
      const answers = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      const refused = operation.operationId === 'reflectiveLogs.patch';
      return [
        ...(operation.summary ? [] : [`${here}: summary`]),
        ...(answers.length > 0 || refused ? [] : [`${here}: answer`]),
        ...answers.flatMap(([status, { content }]) => gapsOf(content).map((gap) => `${here}: ${status} ${gap}`)),
        ...Object.values(operation.requestBody?.content ?? {}).flatMap((content) =>
          examplesOf(content).length > 0 ? [] : [`${here}: example of the body`],
        ),
      ];
    });
    expect(gaps).toEqual([]);
  });

  it('gives every error code of every operation an example of that code and status', () => {
    for (const { operation } of places) {
      const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
      expect(errors.length).toBeGreaterThan(0);
      for (const [status, { content }] of errors) {
        const examples = Object.entries(content['application/json']!.examples ?? {});
        expect(examples.length).toBeGreaterThan(0);
        for (const [code, { $ref }] of examples) {
          expect(found($ref!.slice(2))).toMatchObject({ value: { error_code: code, status: Number(status) } });
        }
        const { schema } = content['application/json']!;
        const union = ((schema['oneOf'] ?? [schema]) as readonly { $ref: string }[]).map((one) => one.$ref);
        expect(union).toEqual(examples.map(([code]) => `#/components/schemas/${code}`));
      }
    }
    expect(Object.keys(description.components.examples)).toEqual(expect.arrayContaining(Object.keys(ERROR_CATALOGUE)));
  });

  it('names under a status all codes that share it', () => {
    expect(codesOf(SEM, 'get')).toEqual(expect.arrayContaining(['SEM_NOT_FOUND', 'INVALID_INPUT']));
    expect(codesOf(SEM, 'put')).toEqual(
      expect.arrayContaining(['PRIVACY_BLOCKED', 'PERMISSION_DENIED', 'CONFLICT', 'PRECONDITION_FAILED']),
    );
    expect(codesOf('/jobs', 'post')).toEqual(
      expect.arrayContaining(['JOB_SEED_CONFLICT', 'SEM_NOT_FOUND', 'IDEMPOTENCY_KEY_REUSED', 'UNAUTHENTICATED']),
    );
  });

  it('holds its own examples to its own schemas', () => {
    for (const { path, verb, operation } of places) {
      for (const content of contentsOf(operation)) {
        for (const example of examplesOf(content)) {
          expect([verb, path, faults(content.schema, example)]).toEqual([verb, path, []]);
        }
      }
    }
  });

  it('describes the headers that requests may and answers do have', () => {
    expect(description.components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer', description: expect.stringContaining('Authorization') as string },
    });
    for (const { verb, operation } of places) {
      const named = headersOf(operation);
      for (const [status, { content, headers }] of Object.entries(operation.responses)) {
        // Of a stream of events the signature has nothing to stand behind.
        if (status === '304' || !('text/event-stream' in content)) expect(headers).toHaveProperty('Signature');
      }
      expect(named.includes('Idempotency-Key')).toBe(['post', 'put', 'patch', 'delete'].includes(verb));
      if (operation['x-mace-permission'] === 'public') continue;
      expect(named).toContain('X-Trace-Id');
      for (const { headers } of Object.values(operation.responses)) expect(headers).toHaveProperty('X-Trace-Id');
    }
    expect(headersOf(operationAt(SEM, 'put'))).toContain('If-Match');
    expect(headersOf(operationAt(SEM, 'delete'))).toContain('If-Match');
    expect(headersOf(operationAt('/jobs', 'post'))).toContain('Prefer');
    expect(operationAt(SEM, 'get').responses['200']!.headers).toHaveProperty('ETag');
  });

  // That every answer has the status and the content that are described, test/support/described-answers.ts holds.
  it('names headers that answers have', async () => {
    expectHeaders(SEM, 'put', await call('user', 'PUT', COLOR, { value: 'blue' }));
    expectHeaders(SEM, 'get', await call('user', 'GET', COLOR));
    expectHeaders(SEM, 'put', await call('user', 'PUT', COLOR, { value: 'red' }, { 'if-match': '"7"' }), 412);
    expectHeaders(SEM, 'get', await call('user', 'GET', '/sem/user/profile/user_tuff/favorite_food'), 400);
    expectHeaders(SEM, 'delete', await call('user', 'DELETE', COLOR), 403);
    const asked = await call('user', 'POST', '/jobs', { query_text: 'What is my favorite color?', job_seed: 's' });
    expectHeaders('/jobs', 'post', asked);
    expectHeaders('/jobs', 'post', await call('user', 'POST', '/jobs', { query_text: '1+1', job_seed: 's' }), 409);
    const begun = await call('user', 'POST', '/jobs', { query_text: '2+2' }, { prefer: 'respond-async' });
    expectHeaders('/jobs', 'post', begun, 202);
    expectHeaders('/jobs/{job_id}', 'get', await call('user', 'GET', '/jobs/job:none'), 404);
    expectHeaders('/health/ready', 'get', await call('user', 'GET', '/health/ready'));
  });

  function expectHeaders(path: string, verb: string, answer: Answer, status = 200): void {
    expect([verb, path, answer.status]).toEqual([verb, path, status]);
    // Where they are not always there the description says so.
    const mayLack = (header: string): boolean =>
      header === 'WWW-Authenticate' || (header === 'Retry-After' && status === 409);
    const named = Object.keys(operationAt(path, verb).responses[status]!.headers ?? {});
    const missing = named.filter((header) => !mayLack(header) && !(header.toLowerCase() in answer.headers));
    expect([verb, path, missing]).toEqual([verb, path, []]);
  }

  function operationAt(path: string, verb: string): Operation {
    return description.paths[path]![verb]!;
  }

  function codesOf(path: string, verb: string): string[] {
    const responses = Object.entries(operationAt(path, verb).responses).filter(([status]) => !status.startsWith('2'));
    return responses.flatMap(([, { content }]) => Object.keys(content['application/json']!.examples!));
  }

  function examplesOf({ example, examples = {} }: Content): Json[] {
    const named = Object.values(examples).map(({ value, $ref }) =>
      $ref === undefined ? value! : (found($ref.slice(2)) as { value: Json }).value,
    );
    return example === undefined ? named : [example, ...named];
  }

  /** What is missing of an answer: an example, or a schema that says something. */
  function gapsOf(content: Response['content']): string[] {
    return Object.entries(content).flatMap(([media, one]) => {
      const { type, properties, required } = one.schema as Record<string, unknown>;
      const said = media === 'application/json' ? type === 'object' && properties && required : type === 'string';
      return [...(examplesOf(one).length > 0 ? [] : [`${media} example`]), ...(said ? [] : [`${media} schema`])];
    });
  }

  /** Where a value is not what a schema of the description says. */
  function faults(schema: AnySchemaObject, value: unknown): unknown[] {
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as AnySchemaObject);
    compiled.set(text, validate);
    return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`);
  }

  function found(pointer: string): unknown {
    return pointer
      .split('/')
      .reduce<unknown>((place, step) => (place as Record<string, unknown> | undefined)?.[step], description);
  }

  async function call(
    role: string,
    method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const authorization = `Bearer ${tokens.get(role)!}`;
    const answer = await open.app.fastify.inject({
      method,
      url,
      headers: { authorization, ...headers },
      ...(payload ? { payload } : {}),
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  }

  function token(role: Role): Promise<string> {
    const userId = role === 'user' ? 'tuff' : `the_${role}`;
    const names = { issuer: 'mace', audience: 'mace' };
    return signToken(open.platform.ring, { userId, roles: [role], ttlSeconds: 600, now: Date.now(), ...names });
  }
});

/** Operations, and other named parts, of which two descriptions say different things. */
/** Forms of tests: class-validator has those of every class of the process that it runs in. */
const OF_TESTS = ['schemas Part', 'schemas Text', 'schemas Thing', 'schemas ThingQuery'];

function differing(one: unknown, other: unknown): string[] {
  const [first, second] = [one, other].map((description) => partsOf(description as Description));
  const names = new Set([...first!.keys(), ...second!.keys()]);
  return [...names].filter((name) => !OF_TESTS.includes(name) && first!.get(name) !== second!.get(name));
}

function partsOf({ paths, components, ...rest }: Description): ReadonlyMap<string, string> {
  const kinds = Object.entries({ ...paths, ...components, rest });
  return new Map(
    kinds.flatMap(([kind, parts]) =>
      Object.entries(parts).map(([name, part]) => [`${kind} ${name}`, JSON.stringify(part)] as const),
    ),
  );
}

function contentsOf({ requestBody, responses }: Operation): Content[] {
  return [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
}

function headersOf({ parameters }: Operation): string[] {
  return parameters.filter((one) => one.in === 'header').map(({ name }) => name);
}
