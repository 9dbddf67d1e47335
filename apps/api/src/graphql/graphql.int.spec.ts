import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';

import { until } from '../../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { FAILURE, graphql, type GraphqlAnswer, member } from './testing/asked.js';
import { GraphqlSocket } from './testing/socket.js';

/** What holds for every field: the same commands, forms, permissions and failures as over REST. */

const KEY = 'scope: "user", entity_type: "profile", entity_id: "user_tuff"';
const put = (attribute: string, more = ''): string =>
  `mutation Put($input: SemPutInput!) { semPut(${KEY}, attribute: "${attribute}", input: $input${more}) { ${FAILURE} ... on SemPut { success key revision applied event_id etag } ... on SemPending { pending request_id key } } }`;
const GET = (attribute: string, more = ''): string =>
  `{ sem(${KEY}, attribute: "${attribute}"${more}) { ${FAILURE} ... on SemValue { exists value source meta etag } } }`;

let app: JobApp;
let tuff: Caller;
let ada: Caller;

beforeAll(async () => {
  app = await JobApp.open();
  tuff = await app.caller('tuff');
  ada = await app.caller('ada', ['admin'], ['otp']);
});
afterAll(() => app.dispose());

describe('a field of GraphQL', () => {
  it('writes what REST reads, and reads what REST wrote', async () => {
    const written = await member(tuff, put('color'), { input: { value: { shade: ['blue'] }, meta: { locale: 'en' } } });
    expect(written).toMatchObject({ __typename: 'SemPut', success: true, revision: 0, applied: true, etag: '"0"' });
    const { body } = await tuff.get('/sem/user/profile/user_tuff/color');
    expect(body).toMatchObject({ value: { shade: ['blue'] } });
    await tuff.send('PUT', '/sem/user/profile/user_tuff/food', { value: 'rice' });
    for (let again = 0; again < 3; again++)
      expect(await member(tuff, GET('food'))).toMatchObject({ __typename: 'SemValue', value: 'rice', etag: '"0"' });
  });

  it('fails with the envelope that REST fails with, whatever the reason, in which arguments have their own names', async () => {
    const cases: readonly (readonly [string, object | undefined, readonly [string, string, object?]])[] = [
      [GET('nothing'), undefined, ['GET', '/sem/user/profile/user_tuff/nothing']],
      [GET('color').replace('user_tuff', 'user_eve'), undefined, ['GET', '/sem/user/profile/user_eve/color']],
      [
        put('long'),
        { input: { value: 'x', notes: 'n'.repeat(600) } },
        ['PUT', '/sem/user/profile/user_tuff/long', { value: 'x', notes: 'n'.repeat(600) }],
      ],
      [
        put('ssn'),
        { input: { value: 'my SSN is 123-45-6789' } },
        ['PUT', '/sem/user/profile/user_tuff/ssn', { value: 'my SSN is 123-45-6789' }],
      ],
      [GET('a@b.com.de'), undefined, ['GET', '/sem/user/profile/user_tuff/a@b.com.de']],
      [
        `mutation { semDelete(${KEY}, attribute: "color") { ${FAILURE} } }`,
        undefined,
        ['DELETE', '/sem/user/profile/user_tuff/color'],
      ],
      [
        `{ semHistory(${KEY}, attribute: "color", first: 1000) { ${FAILURE} } }`,
        undefined,
        ['GET', '/sem/user/profile/user_tuff/color/history?limit=1000'],
      ],
      [`{ job(job_id: "job:nothing") { ${FAILURE} } }`, undefined, ['GET', '/jobs/job:nothing']],
      [
        'mutation { jobAsk(input: {query_text: "What is my favorite dish?"}) { ' + FAILURE + ' } }',
        undefined,
        ['POST', '/jobs', { query_text: 'What is my favorite dish?' }],
      ],
    ];
    for (const [query, variables, [method, path, body]] of cases) {
      const failure = await member(tuff, query, variables);
      const rest = method === 'GET' ? await tuff.get(path) : await tuff.send(method as 'PUT', path, body);
      const { error_code, status, severity, user_message, developer_message } = failure;
      const { meta: _, ...envelope } = rest.body as unknown as Record<string, unknown>;
      const named = String(envelope['developer_message'])
        .replace(/^body\.notes: /, 'input.notes: ')
        .replace(/^query\.limit: /, 'first: ')
        .replace(/^path, attribute: /, 'attribute: ');
      expect({ error_code, status, severity, user_message, developer_message }).toEqual({
        ...envelope,
        developer_message: named,
      });
      expect(failure.__typename.toLowerCase()).toBe(String(error_code).toLowerCase().replaceAll('_', ''));
      expect(failure['meta']).toMatchObject({ trace_id: expect.any(String), query_id: expect.any(String) });
    }
  });

  it('asks for a second factor where its permission does, and says so as REST does', async () => {
    const plain = await app.caller('ada', ['admin']);
    const remove = `mutation { semDelete(${KEY}, attribute: "color") { ${FAILURE} ... on Unauthenticated { challenge } ... on SemDeleted { success } } }`;
    expect(await member(plain, remove)).toMatchObject({
      __typename: 'Unauthenticated',
      challenge: 'Bearer error="insufficient_user_authentication", max_age=300',
    });
    expect(await member(ada, remove)).toMatchObject({ __typename: 'SemDeleted', success: true });
  });

  it('is one command under one Idempotency-Key, by header, argument or over REST, and refuses it another body', async () => {
    const input = { input: { value: 'green', timestamp: '2026-01-01T00:00:00Z' } };
    const header = { 'idempotency-key': 'same-key' };
    const first = await member(tuff, put('shirt'), input, header);
    const again = await member(tuff, put('shirt'), input, header);
    const byArgument = await member(tuff, put('shirt', ', idempotency_key: "same-key"'), input);
    const rest = await tuff.send<object>('PUT', '/sem/user/profile/user_tuff/shirt', input.input, header);
    expect([again['event_id'], byArgument['event_id']]).toEqual([first['event_id'], first['event_id']]);
    expect(rest.body).toMatchObject({ event_id: first['event_id'] });
    const other = await member(tuff, put('shirt'), { input: { ...input.input, value: 'red' } }, header);
    expect(other.__typename).toBe('IdempotencyKeyReused');
    const bound =
      'mutation Ask($input: JobAskInput!) { jobAsk(input: $input) { ' + FAILURE + ' ... on Job { job_id } } }';
    const job = await member(tuff, bound, { input: { query_text: '2 + 2' } }, header);
    expect(await member(tuff, bound, { input: { query_text: '2 + 2' } }, header)).toEqual(job);
    expect(await member(tuff, bound, { input: { query_text: '2 + 3' } }, header)).toMatchObject({
      error_code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('holds a write to the revision that if_match names', async () => {
    const stale = await member(tuff, put('shirt', ', if_match: "\\"7\\""'), { input: { value: 'black' } });
    expect(stale).toMatchObject({ __typename: 'PreconditionFailed', status: 412 });
  });

  it('leads from page to page by the cursors of REST, and each page says whether another follows', async () => {
    for (const value of ['a', 'b', 'c']) await member(tuff, put('letters'), { input: { value } });
    const page = `query Page($after: String) { semHistory(${KEY}, attribute: "letters", first: 2, after: $after) { ... on SemWriteConnection { edges { cursor node { revision value } } pageInfo { hasNextPage endCursor } } } }`;
    const one = (await member(tuff, page)) as never as Connection;
    expect(one.edges.map(({ node }) => node.value)).toEqual(['a', 'b']);
    expect(one.pageInfo.hasNextPage).toBe(true);
    expect(one.edges.at(-1)!.cursor).toBe(one.pageInfo.endCursor);
    const two = (await member(tuff, page, { after: one.pageInfo.endCursor })) as never as Connection;
    expect(two.edges.map(({ node }) => node.value)).toEqual(['c']);
    expect(two.pageInfo).toEqual({ hasNextPage: false, endCursor: null });
  });

  it('answers its own part though another field of the request fails', async () => {
    const query = `{ one: sem(${KEY}, attribute: "food") { ...Value } other: sem(${KEY}, attribute: "none") { ...Value } } fragment Value on SemOutcome { ... on SemValue { value } ... on Failure { error_code } }`;
    expect((await graphql(tuff, query)).data).toEqual({
      one: { value: 'rice' },
      other: { error_code: 'SEM_NOT_FOUND' },
    });
  });

  it('shows a job’s texts to its owner, and to an operator redacted, as REST does', async () => {
    await member(tuff, put('favorite_color'), { input: { value: 'azure' } });
    const { body: asked } = await tuff.ask('What is my favorite color?');
    const query = `query Job($job_id: String!) { job(job_id: $job_id) { ... on Job { job_id final_answer user_message etag } } }`;
    const operator = await app.caller('otto', ['operator']);
    for (const who of [tuff, operator]) {
      const { body, headers } = await who.get(`/jobs/${asked.job_id}`);
      const { etag, ...shown } = await member(who, query, { job_id: asked.job_id });
      expect(body).toMatchObject(shown);
      expect(etag).toBe(headers.etag);
    }
    expect((await member(operator, query, { job_id: asked.job_id }))['final_answer']).not.toContain('azure');
  });

  it('counts a refusal by its permission', async () => {
    await member(tuff, `{ semKeys { ${FAILURE} } }`);
    await app.parts.platform.denials.close();
    const events = await app.stream('access-user_tuff');
    expect(JSON.stringify(events)).toContain('sem.list');
  });
});

describe('what is refused of a field', () => {
  it('is counted by the route of its operation, and what is refused of the document by its own', async () => {
    await member(tuff, GET('never_said'));
    await tuff.send('POST', '/graphql', { query: '{ nothing }' });
    await app.parts.platform.refusals.close();
    const events = await app.stream('refusals-user_tuff');
    const kinds = events.map(({ data }) => `${data['error_code'] as string} ${data['route'] as string}`);
    expect(kinds).toContain('INVALID_INPUT POST /graphql');
    expect(kinds.find((kind) => kind.startsWith('SEM_NOT_FOUND GET /sem/'))).toBeDefined();
  });
});

describe('the answer', () => {
  it('is signed as every other answer is', async () => {
    const { headers } = await tuff.send('POST', '/graphql', { query: GET('food') });
    expect(headers).toMatchObject({ 'content-digest': expect.any(String), signature: expect.any(String) });
  });

  it('to who has no token, or a bad one, is the envelope', async () => {
    const { statusCode, payload } = await app.parts.app.fastify.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ query: GET('food') }),
    });
    expect([statusCode, (JSON.parse(payload) as { error_code: string }).error_code]).toEqual([401, 'UNAUTHENTICATED']);
  });
});

describe('a document', () => {
  it('sent once with its hash is known by that alone, and no text stands under another’s hash', async () => {
    const sha256Hash = '6b8a6a6fa9ee18f23b6fa2b2a01d2f13dfd1ae1d7e7c1a0ca0d1bf4a2dd9b5a8';
    const ask = (body: object) => tuff.send<GraphqlAnswer>('POST', '/graphql', body);
    const persisted = (hash: string) => ({ persistedQuery: { version: 1, sha256Hash: hash } });
    const unknown = await ask({ extensions: persisted(sha256Hash) });
    expect(unknown.body.errors![0]!.message).toBe('PersistedQueryNotFound');
    const wrong = await ask({ query: GET('food'), extensions: persisted(sha256Hash) });
    expect(wrong.body.errors![0]!.extensions.error_code).toBe('INVALID_INPUT');
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(GET('food')).digest('hex');
    await ask({ query: GET('food'), extensions: persisted(hash) });
    const known = await ask({ extensions: persisted(hash) });
    expect(known.body.data).toMatchObject({ sem: { value: 'rice' } });
    const guessed = await (
      await app.caller('guesser')
    ).send<GraphqlAnswer>('POST', '/graphql', {
      extensions: persisted(hash),
    });
    expect(guessed.body.errors![0]!.message).toBe('PersistedQueryNotFound');
  });
});

describe('docs/graphql.md', () => {
  it('shows what is answered, example by example', async () => {
    const text = readFileSync('docs/graphql.md', 'utf8');
    const examples = [...text.matchAll(/```graphql\n([^`]+)```\n```json\n([^`]+)```/g)];
    expect(examples.length).toBe(text.split('```graphql').length - 1);
    const fresh = await JobApp.open();
    try {
      const caller = await fresh.caller('tuff');
      const { server } = fresh.parts.app.fastify;
      await fresh.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const token = await fresh.token('tuff', ['user', 'operator']);
      const followed = async (query: string): Promise<readonly unknown[]> => {
        const socket = await GraphqlSocket.of(url, token);
        socket.subscribe('1', query);
        await socket.whole('1');
        socket.close();
        return socket.sent.flatMap(({ type, payload }) =>
          type === 'next' ? [(payload as { data: unknown }).data] : [],
        );
      };
      for (const [, query, answer] of examples) {
        const expected: unknown = JSON.parse(answer!);
        // Lists are eventual; what changes something is asked for once.
        if (query!.startsWith('subscription')) expect(await followed(query!)).toEqual(expected);
        else if (query!.startsWith('mutation')) expect((await graphql(caller, query!)).data).toEqual(expected);
        else await until(async () => isDeepStrictEqual((await graphql(caller, query!)).data, expected), query);
      }
      const [, lines] = /```ndjson\n([^`]+)```/.exec(text)!;
      const socket = await GraphqlSocket.open(url);
      const shown = lines!.trim().split('\n');
      for (const line of shown.filter((one) => one.startsWith('>'))) socket.say(line.slice(2).replace('$TOKEN', token));
      const answers = shown.filter((one) => one.startsWith('<')).map((one) => JSON.parse(one.slice(2)) as unknown);
      await until(() => socket.sent.length >= answers.length || socket.closed !== undefined, 'the messages');
      expect(socket.sent).toEqual(answers);
      socket.close();
    } finally {
      await fresh.dispose();
    }
  });
});

interface Connection {
  readonly edges: readonly { readonly cursor: string | null; readonly node: { readonly value: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}
