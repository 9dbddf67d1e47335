import { OpenApi } from './openapi.js';
import { startHost, type Host } from './testing/edge-host.js';

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly [member: string]: unknown;
}

interface Content {
  readonly 'application/json': { readonly examples: object; readonly schema: object };
}

describe('the description of the interface', () => {
  let host: Host;
  let paths: Record<string, Record<string, Operation>>;
  let components: Record<string, Record<string, unknown>>;

  beforeAll(async () => {
    host = await startHost();
    const description = new OpenApi();
    description.of(host.nest);
    ({ paths, components } = (await description.document()) as { paths: typeof paths; components: typeof components });
  });
  afterAll(() => host.close());

  test('every operation says who may call it', () => {
    expect(paths['/things/{id}']!['delete']).toMatchObject({
      'x-mace-permission': 'sem.delete',
      'x-mace-elevated': true,
    });
    expect(paths['/things/{id}']!['put']).toMatchObject({
      'x-mace-permission': 'sem.write',
      'x-mace-elevated': 'conditional',
    });
    expect(paths['/things/open']!['get']).toMatchObject({ 'x-mace-permission': 'public', security: [] });
  });

  test('its forms are those that requests are held to', () => {
    expect(paths['/things/{id}']!['put']!.requestBody!.content['application/json']!.schema).toEqual({
      $ref: '#/components/schemas/Thing',
    });
    expect(components['schemas']!['Thing']).toMatchObject({
      type: 'object',
      required: ['value'],
      additionalProperties: false,
      properties: { name: { type: 'string', maxLength: 64 }, parts: { items: { $ref: '#/components/schemas/Part' } } },
    });
  });

  test('every part of a path and every query parameter is named', () => {
    const named = (path: string, verb: string): string[] =>
      paths[path]![verb]!.parameters.map((one) => `${one.in} ${one.name}`);
    const headers = ['header Idempotency-Key', 'header X-Trace-Id', 'header If-Match'];
    expect(named('/things/{id}', 'put').sort()).toEqual(['path id', ...headers].sort());
    expect(named('/things', 'get').sort()).toEqual(['header X-Trace-Id', 'query cursor', 'query full', 'query limit']);
  });

  test('codes that share a status are all named under it, each with an example', () => {
    const responses = paths['/things/{id}']!['put']!['responses'] as Record<string, { $ref: string }>;
    expect(responses['409']!.$ref).toBe('#/components/responses/409.CONFLICT-INTEGRITY_FAILURE');
    const response = components['responses']!['409.CONFLICT-INTEGRITY_FAILURE'] as { content: Content };
    expect(Object.keys(response.content['application/json'].examples)).toEqual(['CONFLICT', 'INTEGRITY_FAILURE']);
    expect(response.content['application/json'].schema).toMatchObject({
      oneOf: [{ $ref: '#/components/schemas/CONFLICT' }, { $ref: '#/components/schemas/INTEGRITY_FAILURE' }],
    });
    expect(components['schemas']!['CONFLICT']).toMatchObject({
      properties: { error_code: { const: 'CONFLICT' }, status: { const: 409 } },
    });
    expect(components['examples']!['CONFLICT']).toMatchObject({ value: { error_code: 'CONFLICT', status: 409 } });
  });
});
