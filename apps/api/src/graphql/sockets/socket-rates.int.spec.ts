import type { AddressInfo } from 'node:net';

import { WebSocket } from 'ws';

import { type Role, signToken } from '#lib/access';

import { until } from '../../../../../test/support/eventually.js';
import { JobApp } from '../../../../../test/support/job-app.js';
import { Graphql } from '../graphql.js';
import { GraphqlSocket } from '../testing/socket.js';
import { SOCKET_LIMITS } from './socket-limits.js';

/** Sockets where rates are limited: strangers without a token keep nobody out. */

let app: JobApp;
let url: string;
const opened: WebSocket[] = [];

beforeAll(async () => {
  app = await JobApp.open({}, { MACE_RATE_LIMIT: '40/3600', MACE_TRUST_PROXY: '127.0.0.0/8' });
  await app.parts.app.fastify.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(app.parts.app.fastify.server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const socket of opened.splice(0)) socket.terminate();
});
afterAll(() => app.dispose());

function token(userId: string, roles: readonly Role[] = ['user']): Promise<string> {
  const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now() };
  return signToken(app.parts.platform.ring, order);
}

interface Opening {
  readonly status: number;
  readonly body: { readonly error_code?: string };
  readonly headers: Readonly<Record<string, unknown>>;
}

/** How the upgrade is answered. */
function opening(client: string, headers: Record<string, string> = {}): Promise<Opening> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'], {
    headers: { 'x-forwarded-for': client, ...headers },
  });
  opened.push(socket);
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.on('open', () => resolve({ status: 101, body: {}, headers: {} }));
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          body: JSON.parse(text) as Opening['body'],
          headers: response.headers,
        }),
      );
    });
  });
}

async function isLetIn(client: string, withHeader: boolean, userId: string): Promise<boolean> {
  const authorization = `Bearer ${await token(userId)}`;
  const headers = { 'x-forwarded-for': client, ...(withHeader ? { authorization } : {}) };
  const socket = await GraphqlSocket.open(url, headers);
  opened.push(socket.socket);
  if (socket.closed) return false;
  socket.say({ type: 'connection_init', payload: withHeader ? {} : { authorization } });
  await until(() => socket.has('connection_ack') || socket.closed !== undefined);
  return socket.has('connection_ack');
}

test('an address whose strangers ask too often opens sockets for good tokens, in the header or in the first message', async () => {
  const client = '198.51.100.1';
  const stranger = async (): Promise<number> =>
    (await fetch(`${url}/openapi.json`, { headers: { 'x-forwarded-for': client } })).status;
  for (let i = 0; i < 4; i++) expect(await stranger()).toBe(200);
  expect(await stranger()).toBe(429);
  for (let i = 0; i < 8; i++) {
    expect(await isLetIn(client, true, `header${i}`)).toBe(true);
    expect(await isLetIn(client, false, `message${i}`)).toBe(true);
  }
});

test('who opens sockets and says nothing is refused with 429 in the end, and another address is not', async () => {
  const client = '198.51.100.2';
  for (let i = 0; i < 40; i++) expect((await opening(client)).status).toBe(101);
  const refused = await opening(client);
  expect(refused).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMITED' } });
  expect(refused.headers['retry-after']).toMatch(/^[1-9][0-9]*$/);
  expect(await isLetIn(client, true, 'neighbour')).toBe(true);
  expect(await isLetIn('198.51.100.3', false, 'other')).toBe(true);
});

test('who opens sockets with tokens that are not taken is refused with 429 in the end', async () => {
  const client = '198.51.100.6';
  const authorization = 'Bearer a.b.c';
  for (let i = 0; i < 40; i++) expect((await opening(client, { authorization })).status).toBe(101);
  expect(await opening(client, { authorization })).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMITED' } });
});

test('a socket that shows a token in its first message counts as a look at it', async () => {
  const client = '198.51.100.7';
  for (let i = 0; i < 40; i++) {
    const socket = await GraphqlSocket.open(url, { 'x-forwarded-for': client });
    opened.push(socket.socket);
    socket.say({ type: 'connection_init', payload: { authorization: `Bearer a.b.${i}` } });
    await until(() => socket.closed !== undefined);
  }
  expect(await opening(client, { authorization: 'Bearer a.b.c' })).toMatchObject({ status: 429 });
});

test('each socket of a known token costs its principal', async () => {
  const authorization = `Bearer ${await token('many')}`;
  const headers = { authorization, 'x-forwarded-for': '198.51.100.9' };
  expect((await fetch(`${url}/incidents`, { headers })).status).toBe(403);
  let opens = 0;
  const wayIn = (): string => `198.51.101.${opens}`;
  while (opens < 60 && (await opening(wayIn(), { authorization })).status === 101) opens += 1;
  expect(opens).toBe(39);
});

test('where there are as many sockets as may be, the oldest that nobody was let in over makes room', async () => {
  const limits = { ...SOCKET_LIMITS, inAll: 3, initMs: 60_000 };
  const graphql = app.parts.app.nest.get(Graphql);
  Object.assign((graphql as unknown as { held: object }).held, { limits });
  expect(await isLetIn('198.51.100.4', true, 'first')).toBe(true);
  for (let i = 0; i < 2; i++) expect((await opening('198.51.100.5')).status).toBe(101);
  const [, stranger] = opened;
  const ended = new Promise((resolve) => stranger!.once('close', resolve));
  expect(await isLetIn('198.51.100.4', true, 'second')).toBe(true);
  await ended;
  expect(opened[0]!.readyState).toBe(WebSocket.OPEN);
});
