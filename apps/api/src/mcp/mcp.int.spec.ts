import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { responseKeys, type Role, signToken } from '#lib/access';
import type { JsonObject } from '#lib/kernel';
import { verifyAnswer } from '#lib/signatures';

import { until } from '../../../../test/support/eventually.js';
import { JobApp } from '../../../../test/support/job-app.js';

/** The product's own tools, asked by the client library of MCP over HTTP, in both eras of the protocol. */

interface Result {
  readonly structuredContent?: JsonObject;
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
}
type Era = '2025' | '2026';

const KEY = 'user/profile/user_tuff/favorite_color';
const MODERN = '2026-07-28';

let app: JobApp;
let url: URL;
const clients: Client[] = [];

beforeAll(async () => {
  app = await JobApp.open();
  const { fastify } = app.parts.app;
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  url = new URL(`http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}/mcp`);
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await app.dispose();
});

async function clientOf(token: string, era: Era = '2026'): Promise<Client> {
  const mode = era === '2025' ? 'legacy' : { pin: MODERN };
  const client = new Client({ name: 'spec', version: '1' }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  // From now on the library holds what comes back to the schemas of the tools.
  await client.listTools();
  return client;
}

const connected = async (user: string, roles: readonly Role[] = ['user'], era?: Era): Promise<Client> =>
  clientOf(await app.token(user, roles), era);

async function call(client: Client, name: string, args: JsonObject = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result;
}

async function done(client: Client, name: string, args: JsonObject = {}): Promise<JsonObject> {
  const result = await call(client, name, args);
  expect([result.content[0]?.text, result.isError]).toEqual([expect.any(String), undefined]);
  return result.structuredContent!;
}

/** What a tool refuses: the code, and what was wrong with the allowed form. */
async function refusal(client: Client, name: string, args: JsonObject = {}): Promise<string> {
  const { content, isError, structuredContent } = await call(client, name, args);
  expect([name, isError]).toEqual([name, true]);
  const { error_code, developer_message } = structuredContent as Record<string, string>;
  const [first] = content[0]!.text.split('\n');
  expect(first).toBe(`${error_code}: ${developer_message}`);
  return first!;
}

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const token = headers['authorization'] ?? `Bearer ${await app.token('tuff')}`;
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, authorization: token },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const rpc = (method: string, params: object = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const recall = (id: unknown = 1) => rpc('tools/call', { name: 'recall', arguments: { key: KEY } }, id);

const OF_2026 = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'recall' };

/** A call of 2026, which says so itself. */
function modern(version = MODERN): object {
  const of = (name: string): string => `io.modelcontextprotocol/${name}`;
  const client = { [of('clientInfo')]: { name: 'spec', version: '1' }, [of('clientCapabilities')]: {} };
  const _meta = { [of('protocolVersion')]: version, ...client };
  return rpc('tools/call', { name: 'recall', arguments: { key: KEY }, _meta });
}

describe.each<Era>(['2025', '2026'])('a client of %s', (era) => {
  it('remembers and recalls what REST reads, and each write is an event of its holder', async () => {
    const client = await connected('tuff', ['user'], era);
    const written = await done(client, 'remember', { key: KEY, value: 'blue' });
    expect(written).toMatchObject({ success: true, key: KEY });
    expect(await done(client, 'recall', { key: KEY })).toMatchObject({
      exists: true,
      value: 'blue',
      etag: `"${JSON.stringify(written['revision'])}"`,
    });
    expect(await done(client, 'recall', { key: KEY, as_of: written['position']! })).toMatchObject({ value: 'blue' });
    const tuff = await app.caller('tuff');
    expect((await tuff.get(`/sem/${KEY}`)).body).toMatchObject({ value: 'blue' });
    const { items } = (await done(client, 'history', { key: KEY, limit: 1 })) as { items: JsonObject[] };
    expect(items[0]).toMatchObject({ value: 'blue', actor: { id: 'user_tuff', role: 'user' } });
  });

  it('asks, has it explained and verified, and reads the job and its key as resources', async () => {
    const client = await connected('tuff', ['user'], era);
    const job = await done(client, 'ask', { query_text: 'What is 2 + 3?' });
    expect(job).toMatchObject({ status: 'completed', final_answer: expect.stringContaining('5') as string });
    const { job_id, log_id } = job as Record<'job_id' | 'log_id', string>;
    expect(await done(client, 'explain', { job_id })).toMatchObject({ job_id });
    expect(await done(client, 'verify', { log_id })).toMatchObject({ valid: true });
    const { contents } = await client.readResource({ uri: `mace://jobs/${job_id}` });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ job_id, status: 'completed' });
    const uris = async () => (await client.listResources()).resources.map(({ uri }) => uri);
    await until(async () => (await uris()).includes(`mace://jobs/${job_id}`), 'the job in the list');
    const auditor = await connected('audrey', ['auditor'], era);
    expect(await done(auditor, 'replay', { job_id })).toMatchObject({ verdict: 'MATCH' });
    const bundle = await auditor.readResource({ uri: `mace://jobs/${job_id}/bundle` });
    expect(JSON.parse((bundle.contents[0] as { text: string }).text)).toMatchObject({ about: { job_id } });
  });

  it('is shown what its token may do, and is told what it may not', async () => {
    const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
    const user = await connected('tuff', ['user'], era);
    expect(await names(user)).toEqual([
      'ask',
      'remember',
      'recall',
      'history',
      'forget',
      'explain',
      'verify',
      'list_decisions',
    ]);
    const { tools } = await user.listTools();
    expect(tools.filter(({ annotations }) => annotations?.openWorldHint).map(({ name }) => name)).toEqual(['ask']);
    expect(await names(await connected('olga', ['operator'], era))).toEqual(
      expect.arrayContaining(['replay', 'propose']),
    );
    expect(
      await refusal(user, 'vote', {
        request_id: `ar-${'0'.repeat(32)}`,
        vote: 'approve',
        proposal_digest: '0'.repeat(64),
      }),
    ).toMatch(/^PERMISSION_DENIED: /);
    expect((await user.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual(['job', 'history']);
    await expect(user.callTool({ name: 'destroy' })).rejects.toThrow('there is no such tool; there are ask, remember');
    await expect(user.readResource({ uri: `mace://jobs/job:${'0'.repeat(32)}` })).rejects.toThrow('NOT_FOUND');
    await expect(user.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('of a resource template');
  });
});

describe('a refusal', () => {
  let tuff: Client;
  beforeAll(async () => void (tuff = await connected('tuff')));

  it.each<[string, string, JsonObject, RegExp]>([
    ['nothing there', 'recall', { key: 'user/profile/user_tuff/nothing' }, /^SEM_NOT_FOUND: SEM lookup for key /],
    ['another’s', 'recall', { key: 'user/profile/user_eve/color' }, /^PERMISSION_DENIED: /],
    [
      'a key that is none',
      'recall',
      { key: 'user/profile' },
      /^INVALID_INPUT: key: scope\/entity_type\/entity_id\/attribute/,
    ],
    ['no key', 'recall', {}, /^INVALID_INPUT: key: scope/],
    [
      'an argument that there is not',
      'recall',
      { key: KEY, depth: 1 },
      /^INVALID_INPUT: arguments: unknown argument depth; allowed: key, as_of$/,
    ],
    [
      'a name that is somebody’s',
      'recall',
      { key: KEY, 'a@b.com.de': 1 },
      /^INVALID_INPUT: arguments: unknown argument; allowed: /,
    ],
    [
      'a position that is none',
      'recall',
      { key: KEY, as_of: 'yesterday' },
      /^INVALID_INPUT: as_of: must match pattern/,
    ],
    ['no value', 'remember', { key: KEY }, /^INVALID_INPUT: value: missing$/],
    [
      'a key of idempotency that is none',
      'remember',
      { key: KEY, value: 1, idempotency_key: 'a b' },
      /^INVALID_INPUT: idempotency_key: /,
    ],
    [
      'one that is no text',
      'remember',
      { key: KEY, value: 1, idempotency_key: 7 },
      /^INVALID_INPUT: idempotency_key: a text/,
    ],
    ['a tag that is none', 'remember', { key: KEY, value: 1, if_match: '3' }, /^INVALID_INPUT: if_match: an ETag/],
    [
      'personal data without consent',
      'remember',
      { key: 'user/profile/user_tuff/ssn', value: 'my SSN is 123-45-6789' },
      /^PRIVACY_BLOCKED: /,
    ],
    ['personal data in a key', 'recall', { key: 'user/profile/user_tuff/a@b.com.de' }, /^PRIVACY_BLOCKED: attribute: /],
    ['too many items', 'list_decisions', { limit: 201 }, /^INVALID_INPUT: limit: must be <= 200$/],
    ['no question', 'ask', { query_text: '' }, /^INVALID_INPUT: query_text: /],
    ['a wrong type', 'ask', { query_text: ['x'] }, /^INVALID_INPUT: query_text: must be string$/],
    ['a job of nobody', 'explain', { job_id: `job:${'0'.repeat(32)}` }, /^NOT_FOUND: /],
    [
      'a wrong code',
      'forget',
      { user_id: 'tuff', identity_proof: { otp: '000000' } },
      /^(?:UNAUTHENTICATED|CONFLICT|NOT_FOUND|PERMISSION_DENIED): /,
    ],
    ['a tool of others', 'replay', { job_id: `job:${'0'.repeat(32)}` }, /^PERMISSION_DENIED: /],
    ['a tool of others too', 'propose', { kind: 'sem_put', payload: {}, justification: 'x' }, /^PERMISSION_DENIED: /],
  ])('says what was wrong, and the allowed form: %s', async (_, name, args, said) => {
    expect(await refusal(tuff, name, args)).toMatch(said);
  });

  it('of a job without an answer names the job, which can be explained', async () => {
    const { structuredContent } = await call(tuff, 'ask', { query_text: 'What is my favorite dish?' });
    const { job_id } = (structuredContent as { meta: { job_id: string } }).meta;
    expect(await done(tuff, 'explain', { job_id })).toMatchObject({ job_id });
  });

  it('for want of a second factor says so, and one with it votes on what another has proposed', async () => {
    const olga = await connected('olga', ['operator']);
    const payload = { action: 'sem_put', key: 'world/physics/ohms_law/definition', value: 'V = IR' };
    const proposed = await done(olga, 'propose', { kind: 'sem_put', payload, justification: 'named three times' });
    const { request_id, proposal_digest } = proposed;
    const ballot = { request_id: request_id!, vote: 'approve', proposal_digest: proposal_digest! };
    const plain = await connected('cleo', ['council']);
    const { content } = await call(plain, 'vote', ballot);
    expect(content[0]!.text).toContain('It takes a token that shows a second factor');
    const { ring } = app.parts.platform;
    const order = {
      userId: 'cleo',
      roles: ['council' as const],
      issuer: 'mace',
      audience: 'mace',
      ttlSeconds: 600,
      now: Date.now(),
    };
    const council = await clientOf(await signToken(ring, { ...order, amr: ['otp'] }));
    expect(await done(council, 'vote', ballot)).toMatchObject({ request_id, status: 'pending' });
    expect(await refusal(council, 'vote', ballot)).toMatch(/^CONFLICT: /);
    const listed = async () => JSON.stringify(await done(council, 'list_decisions', { status: 'pending' }));
    await until(async () => (await listed()).includes(request_id as string), 'the proposal in the list');
  });
});

it('the same idempotency_key is the same command, whether it comes by MCP or by REST', async () => {
  const client = await connected('tuff');
  const key = 'user/profile/user_tuff/once';
  const first = await done(client, 'remember', { key, value: 1, idempotency_key: 'k-1' });
  expect(await done(client, 'remember', { key, value: 1, idempotency_key: 'k-1' })).toEqual(first);
  const tuff = await app.caller('tuff');
  const { body } = await tuff.send('PUT', `/sem/${key}`, { value: 1 }, { 'idempotency-key': 'k-1' });
  expect(body).toMatchObject({ event_id: first['event_id'] });
  expect(await refusal(client, 'remember', { key, value: 2, idempotency_key: 'k-1' })).toMatch(
    /^IDEMPOTENCY_KEY_REUSED: /,
  );
});

describe('a request of HTTP', () => {
  it('without a token is challenged, and is told where it learns who gives one', async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(recall()),
    });
    expect(answer.status).toBe(401);
    const metadata = /^Bearer realm="mace", resource_metadata="(.+)"$/.exec(
      answer.headers.get('www-authenticate')!,
    )![1]!;
    expect(metadata).toBe(new URL('/.well-known/oauth-protected-resource/mcp', url).href);
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: url.href,
      bearer_methods_supported: ['header'],
      resource_name: 'MACE',
    });
    await expect(clientOf('a.b.c')).rejects.toThrow();
  });

  it.each([
    ['a call', recall(), {}],
    ['a list', rpc('tools/list'), {}],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}],
    ['a method that there is not', rpc('destroy'), {}],
    ['no message', { hello: 'world' }, {}],
    ['a page of elsewhere', recall(), { origin: 'https://evil.example' }],
  ])('is answered with a signature and the headers of every answer: %s', async (_, message, headers) => {
    const answer = await post(message, headers);
    const body = Buffer.from(await answer.arrayBuffer());
    const pairs = [...answer.headers].map(([name, value]) => [name, value] as const);
    const keys = responseKeys(app.parts.platform.ring);
    expect(
      verifyAnswer({ status: answer.status, headers: pairs, body, request: { method: 'POST', target: '/mcp' } }, keys),
    ).toMatchObject({
      verified: true,
    });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect([answer.headers.get('cache-control'), answer.headers.get('x-trace-id')]).toEqual([
      'no-store',
      expect.any(String),
    ]);
  });

  it.each<[string, unknown, Record<string, string>, number]>([
    ['a list of messages', [recall(1), recall(2)], {}, 400],
    [
      'more than 256 KiB',
      { ...recall(), params: { name: 'recall', arguments: { key: 'x'.repeat(300_000) } } },
      {},
      400,
    ],
    ['no JSON', '{', {}, 400],
    ['a member twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}', {}, 400],
    ['another type', JSON.stringify(recall()), { 'content-type': 'text/plain' }, 400],
    ['a page of elsewhere', recall(), { origin: 'https://evil.example' }, 403],
    ['a page without an origin', recall(), { origin: 'null' }, 403],
    ['another version', recall(), { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['2026 without a header', modern(), { 'mcp-protocol-version': MODERN, 'mcp-name': 'recall' }, 400],
    ['2026 with the name of another tool', modern(), { ...OF_2026, 'mcp-name': 'forget' }, 400],
    ['2026 with the name of another method', modern(), { ...OF_2026, 'mcp-method': 'tools/list' }, 400],
    ['2026 with another version in the header', modern(), { ...OF_2026, 'mcp-protocol-version': '2025-11-25' }, 400],
    ['a version of tomorrow', modern('2099-01-01'), { ...OF_2026, 'mcp-protocol-version': '2099-01-01' }, 400],
    ['2026 without its envelope', recall(), { 'mcp-protocol-version': MODERN }, 400],
    ['params that are none', rpc('tools/call', { name: 7 }), {}, 200],
    ['arguments that are none', rpc('tools/call', { name: 'recall', arguments: [KEY] }), {}, 200],
    ['a stream that nobody holds', rpc('subscriptions/listen'), {}, 200],
  ])('is refused in order: %s', async (_, message, headers, status) => {
    const answer = await post(message, headers);
    const body = (await answer.json()) as JsonObject;
    expect([answer.status, 'error' in body || 'error_code' in body]).toEqual([status, true]);
  });

  it.each(['GET', 'DELETE'])('%s is not allowed: no session is held, and no stream', async (method) => {
    const answer = await fetch(url, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('a thousand calls at once are each answered, and keep nothing', async () => {
    const headers = { authorization: `Bearer ${await app.token('tuff')}`, 'content-type': 'application/json' };
    const before = process.memoryUsage().heapUsed;
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, id) => posted(JSON.stringify(recall(id)), headers)),
    );
    expect(answers.map((text) => (JSON.parse(text) as { id: number }).id)).toEqual(Array.from(answers.keys()));
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
  });
});

/** On a connection of its own. */
function posted(body: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => resolve(readText(answer)));
    sent.on('error', reject).end(body);
  });
}

it('refusals by permission are counted as those of REST', async () => {
  const client = await connected('mallory');
  await refusal(client, 'replay', { job_id: `job:${'0'.repeat(32)}` });
  await app.parts.platform.denials.close();
  expect((await app.stream('access-user_mallory')).map(({ type }) => type)).toContain('ACCESS_DENIED');
});

it('an answer that is too long is refused by its bytes, and says how to have less', async () => {
  const client = await connected('tuff');
  const key = 'user/profile/user_tuff/long';
  for (let i = 0; i < 20; i++) await done(client, 'remember', { key, value: `${i}${'x'.repeat(15_000)}` });
  expect(await refusal(client, 'history', { key })).toMatch(
    /^INVALID_INPUT: the answer has \d+ bytes, and at most 262144 are allowed here; ask for fewer items with limit/,
  );
  expect((await done(client, 'history', { key, limit: 2 }))['items']).toHaveLength(2);
});

it('a principal who asks too often is told when to come back, as over REST', async () => {
  const limited = await JobApp.open({}, { MACE_RATE_LIMIT: '60/60' });
  try {
    const authorization = `Bearer ${await limited.token('tuff')}`;
    const payload = JSON.stringify(recall());
    const headers = { authorization, 'content-type': 'application/json' };
    const { fastify } = limited.parts.app;
    const ask = () => fastify.inject({ method: 'POST', url: '/mcp', headers, payload });
    let answer = await ask();
    for (let i = 0; i < 200 && answer.statusCode === 200; i++) answer = await ask();
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]/)]);
    expect(answer.headers['signature']).toEqual(expect.any(String));
  } finally {
    await limited.dispose();
  }
});
