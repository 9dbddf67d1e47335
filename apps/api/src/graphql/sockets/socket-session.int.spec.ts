import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type WebSocket, WebSocketServer } from 'ws';

import { until } from '../../../../../test/support/eventually.js';
import type { SseRefusal } from '../../live/sse-session.js';
import type { Engine } from '../engine.js';
import { Followed, type LiveItem, type LiveSource } from '../followed.js';
import { SUBSCRIPTIONS } from '../rooms/index.js';
import { GraphqlSocket } from '../testing/socket.js';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.js';
import { SocketSession } from './socket-session.js';

const LARGE = 'x'.repeat(1024 * 1024);

/** A source that always has more, or as much as a test says. */
class Endless implements LiveSource {
  asked = 0;
  mustEnd = false;
  isClosed = false;
  private wake: () => void = () => undefined;

  constructor(private readonly most = Infinity) {}

  get mark(): string {
    return String(this.asked);
  }

  async next(): Promise<LiveItem> {
    if (this.asked >= this.most && !this.isClosed) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.isClosed || this.mustEnd) return { kind: 'ended', data: { reason: 'slow_reader' } };
    this.asked += 1;
    const position = String(this.asked);
    return { kind: 'frames', things: [{ kind: 'event', position, value: { position, data: LARGE } }] };
  }

  close(): void {
    this.isClosed = true;
    this.wake();
  }
}

let server: Server;
let session: SocketSession;
let accepted: WebSocket;
let refusal: SseRefusal | undefined;

async function serve(source: Endless, limits: Partial<SocketLimits> = {}): Promise<GraphqlSocket> {
  refusal = undefined;
  const followed = new Followed(SUBSCRIPTIONS[0]!, source, () => ({ reason: 'it failed' }));
  const engine = {
    subscribe: async () => ({
      followed,
      render: async ({ value }: { value: object }) => ({ data: { eventTail: value } }),
      access: 'events.tail',
      denied: [],
    }),
  } as unknown as Engine;
  const admitted = { request: async () => ({}) as never, refusal: () => refusal, denied: () => undefined };
  const sockets = new WebSocketServer({ noServer: true });
  server = createServer();
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => {
      accepted = opened;
      session = new SocketSession(opened, {
        limits: { ...SOCKET_LIMITS, ...limits },
        engine: async () => engine,
        admit: async () => admitted,
        isPersonal: () => false,
        closingOf: () => 'fault',
      });
    }),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const client = await GraphqlSocket.of(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'any');
  client.subscribe('1', 'subscription');
  return client;
}

afterEach(async () => {
  accepted.terminate();
  await new Promise<void>((done) => server.close(() => done()));
});

async function standstill(source: Endless): Promise<void> {
  let seen = -1;
  await until(() => {
    const isStill = seen === source.asked && accepted.bufferedAmount > 0;
    seen = source.asked;
    return isStill;
  }, 'a standstill');
}

it('waits for its reader: what is not taken yet is bounded, however much there is', async () => {
  const source = new Endless();
  const client = await serve(source);
  client.socket.pause();
  await standstill(source);
  // What the system holds for a connection is its own.
  expect(accepted.bufferedAmount).toBeLessThan(SOCKET_LIMITS.waitingBytes + 2 * LARGE.length);
  const before = source.asked;
  client.socket.resume();
  await until(() => source.asked > before + 3, 'more');
  client.say({ type: 'complete', id: '1' });
  await until(() => source.isClosed, 'the end of the source');
  expect(client.closed).toBeUndefined();
});

it('drops a reader who takes nothing, and says so and where to go on to one who reads on in time', async () => {
  const source = new Endless();
  const client = await serve(source, { stallMs: 20, lookMs: 5, farewellMs: 60_000 });
  client.socket.pause();
  await until(() => source.isClosed, 'the end of the source');
  client.socket.resume();
  expect(await client.end()).toEqual({ code: 1008, reason: 'slow_reader' });
  const told = client.told('1');
  const last = told.at(-1)!;
  expect(last).toMatchObject({ __typename: 'LiveEnded', error_code: 'WAIT_TIMEOUT', reason: 'slow_reader' });
  expect(last['resume_after']).toBe(told.at(-2)!['position']);
});

it('cuts off a reader who does not take the last messages either', async () => {
  const source = new Endless();
  const client = await serve(source, { stallMs: 5, lookMs: 5, farewellMs: 20 });
  client.socket.pause();
  await until(() => source.isClosed && accepted.readyState === accepted.CLOSED, 'the end of the socket');
  client.close();
});

it('ends a subscription whose next events are held no more, and leaves the socket open', async () => {
  const source = new Endless();
  const client = await serve(source, { lookMs: 5 });
  client.socket.pause();
  await standstill(source);
  source.mustEnd = true;
  await until(() => source.isClosed, 'the end of the source');
  client.socket.resume();
  const told = await client.whole('1');
  expect(told.at(-1)).toMatchObject({ reason: 'slow_reader', resume_after: told.at(-2)!['position'] });
  expect(client.closed).toBeUndefined();
});

it('ends a socket that answers no sign of life', async () => {
  const client = await serve(new Endless(1), { beatMs: 5 });
  client.socket.pause();
  await until(() => accepted.readyState === accepted.CLOSED, 'the end of the socket');
  client.close();
});

it('looks at every sign of life whether its holder still may', async () => {
  const source = new Endless(1);
  const client = await serve(source, { beatMs: 5 });
  await until(() => client.told('1').length === 1, 'an event');
  refusal = { error_code: 'UNAUTHENTICATED', reason: 'it has expired' };
  expect((await client.end()).code).toBe(4401);
  expect(client.told('1').at(-1)).toMatchObject({ ...refusal, resume_after: '1' });
});

it('ends where its source fails, with a word', async () => {
  const source = new Endless();
  source.next = () => Promise.reject(new Error('the store is away'));
  const client = await serve(source);
  expect(await client.whole('1')).toMatchObject([{ __typename: 'LiveEnded', reason: 'it failed' }]);
  await session.refuse({ error_code: 'DATA_UNAVAILABLE', reason: 'server_stopping' }, 'stopping');
  expect((await client.end()).code).toBe(1001);
});
