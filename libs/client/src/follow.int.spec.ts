import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ERROR_CATALOGUE, errorEnvelope } from '#lib/kernel';

import type { MaceClient } from './interface.js';
import { createClient } from './client.js';
import { ApiError, ForeignAnswerError, NoAnswerError } from './errors.js';
import { followed, type FollowedEvent } from './follow.js';
import { socketStream } from './socket-transport.js';
import { fetchStream, type StreamTransport } from './transport.js';
import type { FollowState } from './types.js';

/** Streams that break off in every way there is. */

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const META = { query_id: 'q-1', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace-1' };
const OPERATION = 'GET /events/tail';

let servers: readonly Server[];
let url: string;
let folder: string;
let streams: Readonly<Record<'fetch' | 'socket', StreamTransport>>;
let replies: Reply[];
let asked: IncomingMessage[];

beforeAll(async () => {
  const listener: RequestListener = (request, response) => {
    asked.push(request);
    (replies.shift() ?? ended('up_to_date'))(request, response);
  };
  folder = mkdtempSync(join(tmpdir(), 'follow-'));
  const socketPath = join(folder, 'socket');
  const [overTcp, overSocket] = [createServer(listener), createServer(listener)];
  servers = [overTcp, overSocket];
  await once(overTcp.listen(0, '127.0.0.1'), 'listening');
  await once(overSocket.listen(socketPath), 'listening');
  url = `http://127.0.0.1:${(overTcp.address() as AddressInfo).port}`;
  streams = { fetch: fetchStream(url), socket: socketStream(socketPath) };
});
beforeEach(() => {
  replies = [];
  asked = [];
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
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
/** Of a proxy. */
const page =
  (status: number): Reply =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');

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

it('tells of each connection, and of each wait with why it came to it', async () => {
  replies = [cut(event(1)), page(502), sent(event(2), last('up_to_date'))];
  const states: FollowState[] = [];
  await all(client().follow(OPERATION, { onState: (state) => states.push(state) }));
  expect(states).toEqual([
    { state: 'open' },
    { state: 'waiting', reason: expect.any(String), pauseMs: expect.any(Number) },
    { state: 'waiting', reason: expect.any(String), pauseMs: expect.any(Number) },
    { state: 'open' },
  ]);
});

it('begins where the server says that the log ends, and misses nothing that comes while it is away', async () => {
  replies = [cut('id: 7-abc\n\n'), sent(event(8))];
  const told: string[] = [];
  expect(await all(client().follow(OPERATION, { onId: (id) => told.push(id) }))).toEqual(['8-abc', CLOSED]);
  expect([told, heads()]).toEqual([['7-abc'], [undefined, '7-abc', '8-abc']]);
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
  replies = [page(404)];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
  replies = [sent('data: {"n"\n\n')];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
});

it('comes again to a proxy whose server is away, until every try is used up', async () => {
  replies = [page(502), page(503), page(504)];
  expect(await all(client().follow(OPERATION, {}))).toEqual([CLOSED]);
  replies = [page(502), page(502), page(502)];
  asked = [];
  await expect(all(client({ tries: 2 }).follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
  expect(asked).toHaveLength(2);
});

it.each(['a\nb', 'a\u0000', '1-é', '1-😀'])('does not ask after %j, which no header can carry', async (id) => {
  const stream = client().follow(OPERATION, { after: id });
  await expect(all(stream)).rejects.toThrow(`${OPERATION}: ${JSON.stringify(id)} is no id of an event`);
  expect(asked).toEqual([]);
  replies = [sent(`id: ${id.replace('\n', '\r')}\ndata: {}\n\n`)];
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
});

it('of a server that stays away ends once every try is used up', async () => {
  replies = [1, 2, 3].map(() => (request: IncomingMessage) => void request.socket.destroy());
  await expect(all(client({ tries: 2 }).follow(OPERATION, {}))).rejects.toThrow(NoAnswerError);
  expect(asked).toHaveLength(2);
});

/** What comes of a stream of which so much is bound. */
function allOver(way: 'fetch' | 'socket', bounds: { readonly tries: number; readonly idleMs: number }) {
  const open = (after: string | undefined, signal: AbortSignal) => {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
    return streams[way]({ method: 'GET', target: '/events/tail', headers, body: undefined, signal });
  };
  const { signal } = new AbortController();
  return all(followed(open, { operation: OPERATION, after: undefined, signal, ...bounds }));
}

it.each(['fetch', 'socket'] as const)('gives up a connection on which nothing comes any more, over %s', async (way) => {
  const unfinished = (status: number, part: string): Reply => {
    return (_, response) => void response.writeHead(status, { 'content-type': 'text/event-stream' }).write(part);
  };
  const silences = [() => undefined, unfinished(403, '{'), unfinished(503, '<html>'), unfinished(200, event(1))];
  for (const silence of silences) {
    asked = [];
    replies = [silence];
    // What comes after it may come late too.
    const found = await allOver(way, { tries: 100, idleMs: 50 });
    expect(found).toEqual(silence === silences[3] ? ['1-abc', CLOSED] : [CLOSED]);
    expect(asked.length).toBeGreaterThan(1);
  }
});

it('does not gather an error without end', async () => {
  let left = 1_000;
  const more = (response: ServerResponse): void => {
    left -= 1;
    if (left === 0) response.end();
    // From Node 24 on writes to a connection that is gone are answered at once, with an error.
    else response.write('x'.repeat(100_000), (error) => error ?? more(response));
  };
  const gone = new Promise<void>((resolve) => {
    replies = [(_, response) => more(response.on('close', resolve).writeHead(400))];
  });
  await expect(all(client().follow(OPERATION, {}))).rejects.toThrow(ForeignAnswerError);
  await gone;
  expect(left).toBeGreaterThan(0);
});

it('of a log that cannot be read ends once every try is used up, and says why', async () => {
  const closed = last('the_log_cannot_be_read', 'DATA_UNAVAILABLE');
  replies = [sent(event(1), closed), ...Array.from({ length: 9 }, () => sent('id: 1-abc\n\n', closed))];
  const stream = client({ tries: 3 }).follow(OPERATION, {});
  await expect(all(stream)).rejects.toThrow(/does not come back \(the_log_cannot_be_read\)/);
  expect(asked).toHaveLength(3);
});

it('of a server that stands still after each opening ends once every try is used up', async () => {
  replies = Array.from({ length: 9 }, (): Reply => (_, response) => void begun(response).write('retry: 1\n\n'));
  await expect(allOver('fetch', { tries: 3, idleMs: 50 })).rejects.toThrow(NoAnswerError);
});

it('of a quiet log goes on however often its connection is cut, signs of life having come', async () => {
  const quiet = (part: string): Reply[] => [1, 2, 3].map(() => cut(part));
  replies = [...quiet(': still here\n\n'), ...quiet('id: 7-abc\n\n'), sent(event(8))];
  expect(await all(client({ tries: 2 }).follow(OPERATION, {}))).toEqual(['8-abc', CLOSED]);
});

it('that held goes on however often its server is stopped', async () => {
  jest.useFakeTimers({ now: 0, advanceTimers: true, doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  let opened = 0;
  const held = async function* () {
    const parts = [
      'retry: 1\n\n',
      ': still here\n\n',
      opened < 4 ? last('server_stopping', 'DATA_UNAVAILABLE') : last('ended'),
    ];
    for (const part of parts) {
      yield await Promise.resolve(Buffer.from(part));
      jest.advanceTimersByTime(600);
    }
  };
  const open = () => Promise.resolve({ status: 200, headers: {}, body: ((opened += 1), held()) });
  const { signal } = new AbortController();
  const bounds = { operation: OPERATION, after: undefined, signal, tries: 2, idleMs: 1_000 };
  try {
    expect(await all(followed(open, bounds))).toMatchObject([['closed', { reason: 'ended' }]]);
  } finally {
    jest.useRealTimers();
  }
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
