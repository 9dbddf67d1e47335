import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ERROR_CATALOGUE, errorEnvelope } from '#lib/kernel';

import { createClient } from './client.js';
import { ApiError, ForeignAnswerError, NoAnswerError } from './errors.js';
import type { MaceClient } from './interface.js';
import { targetOf } from './target.js';
import { unwrap } from './unwrap.js';

/** The client against a server that misbehaves in every way there is. */

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const META = { query_id: 'q-1', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace-1' };
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const error = (code: keyof typeof ERROR_CATALOGUE, headers: Record<string, string> = {}): Reply =>
  json(ERROR_CATALOGUE[code].status, errorEnvelope(code, 'why', META), headers);
const hangUp: Reply = (request) => void request.socket.destroy();
const silence: Reply = () => undefined;
const LIVE = json(200, { status: 'live' });

let server: Server;
let url: string;
let replies: Reply[];
let asked: IncomingMessage[];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    (replies.shift() ?? LIVE)(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  replies = [];
  asked = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const client = (options: object = {}): MaceClient => createClient({ server: url, token: 'secret', ...options });
const keys = (): unknown[] => asked.map(({ headers }) => headers['idempotency-key']);

it.each([undefined, '', 'localhost:3000', '127.0.0.1:3000', 'ftp://localhost'])(
  'a client of no address is refused where it is made, with the allowed form: %p',
  (address) => {
    expect(() => createClient({ server: address as string })).toThrow(
      new TypeError('server: an address such as http://127.0.0.1:3000, or a transport'),
    );
  },
);

describe('a call whose answer is lost', () => {
  it('is made again under the same key, also where it changes something', async () => {
    replies = [hangUp, hangUp, json(200, { job_id: 'job:1' })];
    const result = await client().call('POST /jobs', { body: { query_text: 'x' } });
    expect(result).toMatchObject({ ok: true, body: { job_id: 'job:1' } });
    expect(keys()).toEqual([result.idempotencyKey, result.idempotencyKey, result.idempotencyKey]);
    expect(result.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('ends with an error that names the key, once every try is used up', async () => {
    replies = [hangUp, hangUp];
    const call = client({ tries: 2 }).call('POST /jobs', { body: { query_text: 'x' }, idempotencyKey: 'mine' });
    await expect(call).rejects.toThrow(NoAnswerError);
    await expect(call).rejects.toMatchObject({ idempotencyKey: 'mine' });
    expect(keys()).toEqual(['mine', 'mine']);
  });

  it('is not made again where it holds a code of one use', async () => {
    replies = [hangUp];
    await expect(client().call('POST /auth/step-up', { body: { otp: '123456' } })).rejects.toThrow(NoAnswerError);
    expect(asked).toHaveLength(1);
  });

  it('draws another key for another call', async () => {
    await client().call('POST /jobs', { body: { query_text: 'x' } });
    await client().call('POST /jobs', { body: { query_text: 'x' } });
    expect(new Set(keys()).size).toBe(2);
  });
});

describe('an error', () => {
  it('that passes is waited out', async () => {
    replies = [error('DATA_UNAVAILABLE'), error('WAIT_TIMEOUT'), LIVE];
    expect(await client().call('GET /health/live')).toMatchObject({ ok: true });
    expect(asked).toHaveLength(3);
  });

  it('is waited out for as long as Retry-After says, and is the answer where that is beyond the time of the call', async () => {
    replies = [error('CONFLICT', { 'retry-after': '0' }), LIVE];
    expect(await client().call('GET /health/live')).toMatchObject({ ok: true });
    replies = [error('RATE_LIMITED', { 'retry-after': '3600' })];
    const late = await client().call('GET /health/live', { timeoutMs: 5_000 });
    expect(late).toMatchObject({
      ok: false,
      error: { error_code: 'RATE_LIMITED' },
      headers: { 'retry-after': '3600' },
    });
    expect(asked).toHaveLength(3);
  });

  it('that stays is a value, which unwrap throws', async () => {
    replies = [error('CONFLICT')];
    const result = await client().call('GET /jobs/{job_id}', { path: { job_id: 'x' } });
    expect(result).toMatchObject({ ok: false, status: 409, error: { error_code: 'CONFLICT' } });
    expect(() => unwrap(result)).toThrow(ApiError);
    expect(asked).toHaveLength(1);
  });

  it('is given as it is where the last try ends with it', async () => {
    replies = [error('DATA_UNAVAILABLE'), error('DATA_UNAVAILABLE')];
    const result = await client({ tries: 2 }).call('GET /jobs');
    expect(result).toMatchObject({ ok: false, error: { error_code: 'DATA_UNAVAILABLE' } });
  });

  it.each([
    ['of a proxy', (_: IncomingMessage, response: ServerResponse) => void response.writeHead(502).end('<html>')],
    ['that is no envelope', json(500, { message: 'oops' })],
    [
      'with broken JSON',
      (_: IncomingMessage, response: ServerResponse) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":['),
    ],
  ])('%s is no answer of this interface', async (_, reply) => {
    replies = [reply];
    await expect(client().call('GET /jobs')).rejects.toThrow(ForeignAnswerError);
  });
});

describe('a call', () => {
  it('ends at once with the reason of its own signal, and in time where nothing comes', async () => {
    replies = [silence, silence];
    const reason = new Error('the caller went');
    const stop = new AbortController();
    const call = client().call('GET /jobs', { signal: stop.signal });
    stop.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(client({ timeoutMs: 50 }).call('GET /jobs')).rejects.toThrow(NoAnswerError);
  });

  it('asks for its token at each try, and follows no redirect with it', async () => {
    let count = 0;
    replies = [hangUp, LIVE];
    await client({ token: () => `token-${++count}` }).call('GET /health/live');
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
    replies = [(_, response) => void response.writeHead(302, { location: `${url}/elsewhere` }).end()];
    await expect(client({ tries: 1 }).call('GET /health/live')).rejects.toThrow(NoAnswerError);
    expect(asked.map(({ url: target }) => target)).not.toContain('/elsewhere');
  });

  it('ends in time, or with its own signal, where whoever gives the token never does', async () => {
    const waiting = client({ token: () => new Promise<string>(() => undefined), timeoutMs: 50 });
    await expect(waiting.call('GET /jobs')).rejects.toThrow(NoAnswerError);
    const stop = new AbortController();
    const call = waiting.call('GET /jobs', { signal: stop.signal, timeoutMs: 60_000 });
    const reason = new Error('the caller went');
    setImmediate(() => stop.abort(reason));
    await expect(call).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  it('sends what was asked for, and nothing of a parameter that is undefined', async () => {
    await client().call('GET /jobs', { query: { limit: 5, cursor: undefined as never } });
    await client().call('PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}', {
      path: { scope: 'user', entity_type: 'a b', entity_id: 'c/d', attribute: '%2e' },
      body: { value: 1 },
      ifMatch: '"3"',
      traceId: 't-1',
    });
    expect(asked.map(({ method, url: target }) => `${method} ${target}`)).toEqual([
      'GET /jobs?limit=5',
      'PUT /sem/user/a%20b/c%2Fd/%252e',
    ]);
    expect(asked[1]!.headers).toMatchObject({ 'if-match': '"3"', 'x-trace-id': 't-1', authorization: 'Bearer secret' });
    expect(asked[0]!.headers).not.toHaveProperty('idempotency-key');
  });

  it.each(['', '.', '..'])('with the path part %j, which no URL carries, is not made', (part) => {
    expect(() => targetOf('/jobs/{job_id}', { job_id: part })).toThrow(/path, job_id/);
  });

  it('refuses to follow what is no list, and names what is one', async () => {
    for (const follow of ['items', 'pages'] as const) {
      replies = [json(200, { status: 'live' })];
      const first = client()
        [follow]('GET /health/live' as 'GET /jobs')
        .next();
      await expect(first).rejects.toThrow(
        'GET /health/live is no list: an operation whose answers have items, such as GET /jobs',
      );
    }
  });

  it('follows the pages of a list to their end', async () => {
    replies = [
      json(200, { items: [{ job_id: 'a' }, { job_id: 'b' }], next_cursor: 'two', position: '9' }),
      json(200, { items: [], next_cursor: 'three', position: '9' }),
      json(200, { items: [{ job_id: 'c' }], next_cursor: null, position: '9' }),
    ];
    const ids: string[] = [];
    for await (const job of client().items('GET /jobs', { query: { limit: 2 } })) ids.push(job.job_id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked.map(({ url: target }) => target)).toEqual([
      '/jobs?limit=2',
      '/jobs?limit=2&cursor=two',
      '/jobs?limit=2&cursor=three',
    ]);
  });
});
