import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ERROR_CATALOGUE, errorEnvelope } from '#lib/kernel';

import { createClient, type MaceClient } from './client.js';
import { ApiError, ForeignAnswerError, NoAnswerError } from './errors.js';
import { followed, type FollowedEvent } from './follow.js';
import { sseMessages } from './sse.js';
import { fetchStream } from './transport.js';

/** Streams that break off in every way there is. */

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const META = { query_id: 'q-1', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace-1' };
const OPERATION = 'GET /events/tail';

let server: Server;
let url: string;
let replies: Reply[];
let asked: IncomingMessage[];

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request);
    (replies.shift() ?? ended('up_to_date'))(request, response);
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

const event = (n: number, name = ''): string => `${name}id: ${n}-abc\ndata: {"n":${n}}\n\n`;
const last = (reason: string, error_code?: string): string =>
  `event: closed\ndata: ${JSON.stringify({ reason, error_code, resume_after: '9-abc' })}\n\n`;
const begun = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
const sent =
  (...parts: string[]): Reply =>
  (_, response) => {
    begun(response);
    for (const part of parts) response.write(`retry: 1\n\n${part}`);
    response.end();
  };
const ended = (reason: string, error_code?: string): Reply => sent(last(reason, error_code));
/** After what was sent had gone out. */
const cut =
  (part: string): Reply =>
  (request, response) =>
    void begun(response).write(`retry: 1\n\n${part}`, () => setImmediate(() => request.socket.destroy()));
const refused =
  (code: keyof typeof ERROR_CATALOGUE, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    void response
      .writeHead(ERROR_CATALOGUE[code].status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(errorEnvelope(code, 'why', META)));

const client = (options: object = {}): MaceClient => createClient({ server: url, token: 'secret', ...options });
const heads = (): unknown[] => asked.map(({ headers }) => headers['last-event-id']);

async function all(stream: AsyncIterable<FollowedEvent>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { event: name, id, data } of stream) found.push(name === 'message' ? id : [name, data]);
  return found;
}

const CLOSED = ['closed', { reason: 'up_to_date', resume_after: '9-abc' }];

it('goes on after the last whole event wherever the connection broke, none twice and none left out', async () => {
  replies = [
    cut(event(1) + event(2) + event(3).slice(0, -1)),
    cut(event(3)),
    sent(event(4), last('server_stopping', 'DATA_UNAVAILABLE')),
    sent(event(5, 'event: unverified\n'), 'event: dropped\ndata: {"reason":"slow_reader"}\n\n'),
    (request) => void request.socket.destroy(),
    sent(': still here\nid: 8-abc\n\n'),
    refused('DATA_UNAVAILABLE'),
  ];
  const found = await all(client().follow(OPERATION, { query: { types: 'A,B' }, after: '0' }));
  expect(found).toEqual(['1-abc', '2-abc', '3-abc', '4-abc', ['unverified', { n: 5 }], CLOSED]);
  expect(heads()).toEqual(['0', '2-abc', '3-abc', '4-abc', '5-abc', '5-abc', '8-abc', '8-abc']);
  expect(asked[0]).toMatchObject({ url: '/events/tail?types=A%2CB', headers: { authorization: 'Bearer secret' } });
});

it('begins where the server says that the log ends, and misses nothing that comes while it is away', async () => {
  replies = [cut('id: 7-abc\n\n'), sent(event(8))];
  expect(await all(client().follow(OPERATION, {}))).toEqual(['8-abc', CLOSED]);
  expect(heads()).toEqual([undefined, '7-abc', '8-abc']);
});

it('ends with what ended it where coming again would change nothing', async () => {
  replies = [sent(event(1), last('token_expired', 'UNAUTHENTICATED'))];
  expect(await all(client().follow(OPERATION, {}))).toMatchObject([
    '1-abc',
    ['closed', { error_code: 'UNAUTHENTICATED' }],
  ]);
  expect(asked).toHaveLength(1);
});

it('that is refused says why, and comes again where it is told when', async () => {
  replies = [refused('PERMISSION_DENIED')];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ApiError);
  replies = [refused('RATE_LIMITED', { 'retry-after': '0' })];
  expect(await all(client().follow(OPERATION, {}))).toEqual([CLOSED]);
  replies = [(_, response) => void response.writeHead(502).end('<html>')];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
  replies = [sent('data: {"n"\n\n')];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
});

it('of a server that stays away ends once every try is used up', async () => {
  replies = [1, 2, 3].map(() => (request: IncomingMessage) => void request.socket.destroy());
  await expect(all(client({ tries: 2 }).follow(OPERATION, {}))).rejects.toThrow(NoAnswerError);
  expect(asked).toHaveLength(2);
});

it('gives up a connection on which nothing comes, and none whose reader is busy', async () => {
  replies = [(_, response) => void begun(response).write(event(1)), sent(event(2))];
  const stream = fetchStream(url);
  const open = (after: string | undefined, signal: AbortSignal) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
    return stream({ method: 'GET', target: '/events/tail', headers, body: undefined, signal });
  };
  const { signal } = new AbortController();
  const bounds = { operation: OPERATION, after: undefined, signal, tries: 3, idleMs: 50 };
  expect(await all(followed(open, bounds))).toEqual(['1-abc', '2-abc', CLOSED]);
});

it('ends with the signal that ends it, and leaves no connection behind', async () => {
  const gone = new Promise<void>((resolve) => {
    replies = [(request, response) => (begun(response).write(event(1)), void request.socket.on('close', resolve))];
  });
  const stop = new AbortController();
  const found: string[] = [];
  const following = (async () => {
    for await (const { id } of client().follow(OPERATION, { signal: stop.signal })) {
      found.push(id);
      stop.abort(new Error('enough'));
    }
  })();
  await expect(following).rejects.toThrow('enough');
  await gone;
  expect(found).toEqual(['1-abc']);
});

it('whose reader stops reading is given up', async () => {
  const gone = new Promise<void>((resolve) => {
    replies = [(request, response) => (begun(response).write(event(1)), void request.socket.on('close', resolve))];
  });
  for await (const { id } of client().follow(OPERATION, {})) {
    expect(id).toBe('1-abc');
    break;
  }
  await gone;
});

it('is read as WHATWG writes it, however it is cut: comments, both line ends, lines of data, letters of several bytes', async () => {
  const text =
    ': hello\r\nid: 1\r\n\r\nevent: progress\ndata: {"a":\ndata:"é😀"}\nid:2\nretry: 7\nodd\n\n\n\ndata\n\ndata: cut off';
  const whole = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, whole.length]) {
    const parts = async function* () {
      for (let at = 0; at < whole.length; at += size) yield await Promise.resolve(whole.subarray(at, at + size));
    };
    const found = [];
    for await (const message of sseMessages(parts())) found.push(message);
    expect(found).toEqual([
      { event: 'message', id: '1', data: undefined, retryMs: undefined },
      { event: 'progress', id: '2', data: '{"a":\n"é😀"}', retryMs: 7 },
      { event: 'message', id: undefined, data: '', retryMs: undefined },
    ]);
  }
});
