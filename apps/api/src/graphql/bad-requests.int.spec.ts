import { request } from 'node:http';
import type { AddressInfo } from 'node:net';

import { signToken } from '#lib/access';

import { JobApp } from '../../../../test/support/job-app.js';
import { FAILURE } from './testing/asked.js';

/** What nobody should send, over real HTTP: refused in the envelope, never a fault, and nothing of it repeated. */

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly body: { readonly error_code?: string; readonly errors?: readonly Told[]; readonly data?: object };
}
interface Told {
  readonly message: string;
  readonly extensions: { readonly error_code: string };
}

let app: JobApp;
let port: number;
let token: string;

beforeAll(async () => {
  app = await JobApp.open({}, { MACE_GRAPHQL_INTROSPECTION: 'off' });
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (app.parts.app.fastify.server.address() as AddressInfo).port;
  const order = { issuer: 'mace', audience: 'mace', userId: 'tuff', roles: ['user' as const], ttlSeconds: 3600 };
  token = await signToken(app.parts.platform.ring, { ...order, now: Date.now() });
});
afterAll(() => app.dispose());

function post(body: string | Buffer, headers: Record<string, string> = {}, method = 'POST', path = '/graphql') {
  return new Promise<Reply>((done, failed) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        method,
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          done({ status: answer.statusCode!, text, body: JSON.parse(text) as Reply['body'] });
        });
      },
    );
    sent.on('error', failed);
    sent.end(body);
  });
}

const ask = (query: unknown, variables?: unknown): Promise<Reply> => post(JSON.stringify({ query, variables }));
const many = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ');

describe('a document', () => {
  it.each<readonly [string, string, string]>([
    ['with 10,000 aliases', `{ ${many(10_000, (i) => `a${i}: jobs`)} }`, 'characters'],
    ['with more tokens than are read', `{ ${many(1_500, () => 'a{b}')} }`, 'tokens'],
    ['with more aliases than are taken', `{ __typename ${many(60, (i) => `a${i}: __typename`)} }`, 'aliases'],
    ['with an alias that no object can have', '{ __typename __proto__: __typename }', 'another alias than __proto__'],
    [
      'with such an alias in a fragment',
      '{ ...A } fragment A on Query { jobs { __proto__: __typename } }',
      'another alias than __proto__',
    ],
    ['with more fields of the root', `{ ${many(21, () => '__typename')} }`, 'fields of query'],
    ['that is deep', `{ ${'a{'.repeat(40)}a${'}'.repeat(40)} }`, 'depth'],
    [
      'whose fragments spread each other',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      'spread themselves',
    ],
    ['whose fragment spreads itself', '{ ...A } fragment A on Query { jobs { ...A } }', 'spread themselves'],
    [
      'whose fragments double forty times',
      `{ ...F0 } ${many(40, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F40 on Query { __typename }`,
      'fields of query',
    ],
    [
      'that costs too much',
      `{ ${many(3, (i) => `p${i}: jobs(first: 200) { ... on JobRowConnection { edges { node { job { ${FAILURE} } } } } }`)} }`,
      'cost',
    ],
    [
      'that costs too much by a page that stands in a default',
      `query Q($n: Int = 200) { ${many(3, (i) => `p${i}: jobs(first: $n) { ... on JobRowConnection { edges { node { job { ${FAILURE} } } } } }`)} }`,
      'cost',
    ],
    ['with two operations', 'query A { __typename } query B { __typename }', 'one operation'],
    ['that is a subscription', 'subscription { __typename }', 'graphql-transport-ws'],
    ['that is none', '{ jobs( }', 'Syntax Error'],
    ['that is empty', '', 'Syntax Error'],
    ['that is its own tree as JSON', JSON.stringify({ kind: 'Document', definitions: [] }), 'Syntax Error'],
    ['that asks for the schema where that is off', '{ __schema { types { name } } }', 'introspection'],
    ['with a field that is not there', '{ secrets }', 'Cannot query field "secrets"'],
  ])('%s is refused', async (_, query, why) => {
    const { status, body } = await ask(query);
    expect(status).toBe(200);
    expect(body.errors![0]!.message).toContain(why);
    expect(body.errors![0]!.extensions.error_code).toBe('INVALID_INPUT');
    expect(body.data ?? null).toBeNull();
  });

  it('with variables of wrong types is refused by their names, and what they held is not repeated', async () => {
    const query = 'query Q($after: String, $first: Int) { jobs(after: $after, first: $first) { __typename } }';
    for (let again = 0; again < 3; again++) {
      for (const variables of [{ after: { secret: 'canary-17' } }, { first: 'canary-17' }, { first: 2 ** 40 }]) {
        const { status, text, body } = await ask(query, variables);
        expect([status, body.errors![0]!.extensions.error_code]).toEqual([200, 'INVALID_INPUT']);
        expect(body.errors![0]!.message).toMatch(/^query: variables\.(after: of type String|first: of type Int)$/);
        expect(text).not.toContain('canary-17');
      }
    }
  });

  it.each([
    ['{ a: jobs(first: 201) { ... on Failure { developer_message } } }', 'first: must be <= 200'],
    ['{ a: job(job_id: "") { ... on Failure { developer_message } } }', 'job_id: not empty'],
    [
      'mutation { a: jobAsk(input: {query_text: ""}) { ... on Failure { developer_message } } }',
      'input.query_text: must',
    ],
    [
      'mutation { a: jobAsk(input: {query_text: "x"}, idempotency_key: "a b") { ... on Failure { developer_message } } }',
      'idempotency_key: 1-128 characters',
    ],
    [
      'mutation { a: semPut(scope: "user", entity_type: "a", entity_id: "b", attribute: "c", input: {value: 1}, if_match: "3") { ... on Failure { developer_message } } }',
      'if_match: an ETag',
    ],
  ])('%s is refused by the name of its argument', async (query, why) => {
    const { body } = await ask(query);
    const { a } = body.data as { readonly a: { readonly developer_message: string } };
    expect(a.developer_message).toMatch(new RegExp(`^${why}`));
  });

  it('with literals of wrong types or names that somebody chose is refused without them', async () => {
    for (const query of [
      '{ jobs(first: "canary-17") { __typename } }',
      '{ jobs(after: {canary17x: 1}) { __typename } }',
      'mutation { semPut(scope: "user", entity_type: "a", entity_id: "b", attribute: "c", input: {value: {__proto__: {a: 1}}}) { __typename } }',
      'mutation { semPut(scope: "user", entity_type: "a", entity_id: "b", attribute: "c", input: {value: 12345678901234567890}) { __typename } }',
    ]) {
      const { status, text, body } = await ask(query);
      expect([query, status, body.errors![0]!.extensions.error_code]).toEqual([query, 200, 'INVALID_INPUT']);
      expect(text).not.toMatch(/canary|12345678/);
      expect(text).not.toMatch(/node_modules|\.js:\d/);
    }
  });
});

describe('a request', () => {
  it.each<readonly [string, () => Promise<Reply>]>([
    ['of several documents', () => post(JSON.stringify([{ query: '{ __typename }' }, { query: '{ __typename }' }]))],
    ['whose document is no text', () => ask({ kind: 'Document', definitions: [] })],
    ['whose variables are a list', () => ask('{ __typename }', [1])],
    ['with a member that none knows', () => post('{"query":"{ __typename }","extra":1}')],
    ['with a member twice', () => post('{"query":"{ __typename }","query":"{ jobs }"}')],
    ['with bytes that are not UTF-8', () => post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))],
    ['that is giant', () => post(JSON.stringify({ query: '{ __typename }', variables: { x: 'x'.repeat(300_000) } }))],
    ['that is no JSON', () => post('{ __typename }')],
    [
      'that a form of a page could send',
      () => post('query={__typename}', { 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['that a page could send as text', () => post('{"query":"{ __typename }"}', { 'content-type': 'text/plain' })],
    ['of type application/graphql', () => post('{ __typename }', { 'content-type': 'application/graphql' })],
    ['without a document', () => post('{"query":5}')],
  ])('%s is refused as over REST', async (_, send) => {
    const { status, body } = await send();
    expect([status, body.error_code]).toEqual([400, 'INVALID_INPUT']);
  });

  it('by GET finds no route, so that no address alone can ask for anything', async () => {
    const { status, body } = await post('', {}, 'GET', '/graphql?query={__typename}');
    expect([status, body.error_code]).toEqual([404, 'NOT_FOUND']);
  });

  it('that names another operation than its document’s is refused', async () => {
    const { body } = await post(JSON.stringify({ query: 'query A { __typename }', operationName: 'B' }));
    expect(body.errors![0]!.message).toContain('operationName');
  });
});
