import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { Client, credentials, type MethodDefinition, status } from '@grpc/grpc-js';

import { type Authenticator, RateLimits, type RefusedRequest, TrustedProxies } from '#lib/access';
import { MaceError } from '#lib/kernel';
import type { Critics, Negotiations } from '#lib/negotiation';

import { until } from '../../../test/support/eventually.js';
import { withoutPersonal } from '../../api/src/edge/answer-failure.js';
import { failureOf } from '../../api/src/edge/failure.js';
import type { AdmissionParts } from './admission.js';
import { type GrpcServer, serveGrpc } from './grpc-server.js';
import { GRPC_LIMITS, type GrpcLimits } from './limits.js';
import { loadDefinitions } from './proto/definitions.js';
import type { FinishedCall } from './refusals.js';

/** What somebody takes of the process who calls by HTTP/2 itself, and what others get meanwhile. */

const ROOM = '/sw4rm.negotiation_room.NegotiationRoomService';
const SUBMIT = `${ROOM}/SubmitProposal`;
const READ = `${ROOM}/GetVotes`;
const CHECK = '/grpc.health.v1.Health/Check';
const WATCH = '/grpc.health.v1.Health/Watch';
const MIB = 1024 * 1024;
const UNREAD = GRPC_LIMITS.callBytes + GRPC_LIMITS.windowBytes;

const finished: FinishedCall[] = [];
const refusals: RefusedRequest[] = [];
let verifying: Promise<void> = Promise.resolve();
const authenticator = {
  seen: (token: string) => (token === 'new' ? undefined : { id: `user_${token}`, roles: ['agent'], elevated: false }),
  authenticate: async () => {
    await verifying;
    throw new MaceError('UNAUTHENTICATED', 'token: not taken');
  },
  claimsOf: (token: string) => Promise.resolve({ userId: token }),
} as unknown as Authenticator;

let server: GrpcServer;
const open = async (limits: Partial<GrpcLimits> = {}, parts: Partial<AdmissionParts> = {}): Promise<void> => {
  const missing = () => Promise.reject(new MaceError('NOT_FOUND', 'no artifact'));
  server = await serveGrpc(
    {
      authenticator,
      denials: { count: () => undefined } as never,
      refusals: { count: (refused) => void refusals.push(refused) },
      rateLimits: undefined,
      proxies: TrustedProxies.of('off'),
      isPersonal: () => false,
      failureOf,
      wordsOf: ({ developerMessage }) => withoutPersonal(developerMessage),
      onFault: (thrown) => {
        throw thrown;
      },
      onCall: (call) => finished.push(call),
      negotiations: { view: missing, propose: missing } as unknown as Negotiations,
      critics: {} as Critics,
      isReady: () => Promise.resolve(true),
      ...parts,
    },
    { host: '127.0.0.1', port: 0, tls: undefined },
    { ...GRPC_LIMITS, ...limits },
  );
};

const sessions: ClientHttp2Session[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
  finished.length = 0;
  refusals.length = 0;
  await server.close(100);
});

/** A connection, from another address of this machine where one is named. */
function session(localAddress = '127.0.0.1'): ClientHttp2Session {
  const made = connect(`http://127.0.0.1:${server.port}`, {
    // What waits to be sent counts, and whoever holds too much reads no answer.
    maxSessionMemory: 4_000,
    createConnection: () => connectTcp({ port: server.port, host: '127.0.0.1', localAddress }),
  });
  made.on('error', () => undefined);
  sessions.push(made);
  return made;
}

async function silent(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connectTcp({ port: server.port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket.resume();
}

interface Told {
  readonly status: string;
  readonly code: string;
  readonly message: string;
}

class Call {
  readonly told: Promise<Told>;
  readonly stream: ClientHttp2Stream;

  constructor(on: ClientHttp2Session, path: string, token?: string, more: Record<string, string> = {}) {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    this.stream = on.request({ ...headers, ...authorization, ...more });
    this.told = new Promise((resolve) => {
      let told: Record<string, unknown> = {};
      this.stream.on('response', (got) => (told = { ...told, ...got }));
      this.stream.on('trailers', (got: object) => (told = { ...told, ...got }));
      this.stream.on('error', () => undefined);
      const tell = (): void =>
        resolve({
          status: status[Number(told['grpc-status'] ?? -1)] ?? 'none',
          code: String(told['mace-error-code']),
          message: decodeURI(String(told['grpc-message'])),
        });
      // Whoever is answered before everything was sent has an end of the answer, and no close.
      this.stream
        .on('end', () => setImmediate(tell))
        .on('close', tell)
        .resume();
    });
  }

  /** The beginning of a message, so long as said, with so many bytes of it. */
  send(length: number, bytes: number, isCompressed = false): this {
    this.stream.write(framed(length, Buffer.alloc(bytes, 0x22), isCompressed));
    return this;
  }

  /** The HTTP status of the answer's beginning; a refusal's has the status of gRPC beside it, and is none here. */
  async firstAnswer(): Promise<number | undefined> {
    this.stream.end(framed(0, Buffer.alloc(0)));
    const [headers] = (await once(this.stream, 'response')) as [Record<string, unknown>];
    return headers['grpc-status'] === undefined ? (headers[':status'] as number) : undefined;
  }

  end(bytes: Buffer = Buffer.alloc(0)): Promise<Told> {
    this.stream.end(framed(bytes.length, bytes));
    return this.told;
  }
}

function framed(length: number, bytes: Buffer, isCompressed = false): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = isCompressed ? 1 : 0;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, bytes]);
}

const getVotes = loadDefinitions().room['GetVotes'] as MethodDefinition<object, object>;
const vote = (): Buffer => getVotes.requestSerialize({ artifact_id: 'x' });

describe('a message without a token', () => {
  it('is not received: its caller is refused and has sent less than the window of one connection', async () => {
    await open();
    const on = session();
    const calls = Array.from({ length: 64 }, () => new Call(on, SUBMIT).send(16 * MIB, MIB / 4));
    const told = await Promise.all(calls.map((call) => call.told));
    expect(new Set(told.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['UNAUTHENTICATED UNAUTHENTICATED']),
    );
    expect(on.socket.bytesWritten).toBeLessThan(MIB);
    expect(finished).toHaveLength(64);
    expect(finished[0]).toMatchObject({ method: 'SubmitProposal', status: 'UNAUTHENTICATED' });
    const route = SUBMIT.slice(1);
    expect(refusals[0]).toMatchObject({ code: 'UNAUTHENTICATED', who: { address: '127.0.0.1' }, route });
  });

  it('is refused with its status to a client of the library too, which goes on', async () => {
    await open();
    const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
    const same = (buffer: Buffer): Buffer => buffer;
    const called = (): Promise<unknown> =>
      new Promise((resolve) => client.makeUnaryRequest(SUBMIT, same, same, Buffer.alloc(4 * MIB, 0x22), resolve));
    for (let i = 0; i < 3; i++) expect(await called()).toMatchObject({ code: status.UNAUTHENTICATED });
    client.close();
  });

  it('is not received while its token is being looked at either, and few are looked at at once for one address', async () => {
    await open({ unverified: { inAll: 4 * UNREAD, each: 2 * UNREAD } });
    let verified!: () => void;
    verifying = new Promise((resolve) => (verified = resolve));
    const on = session();
    const [first, second] = [0, 1].map(() => new Call(on, SUBMIT, 'new').send(16 * MIB, 4 * MIB));
    const third = await new Call(on, SUBMIT, 'new').told;
    expect(third).toMatchObject({ status: 'RESOURCE_EXHAUSTED', code: 'RATE_LIMITED' });
    expect(await new Call(session(), READ, 'ann').end(vote())).toMatchObject({ status: 'NOT_FOUND' });
    expect(refusals.at(-1)).toMatchObject({ code: 'NOT_FOUND', who: { principal: 'user_ann' }, route: READ.slice(1) });
    expect(on.socket.bytesWritten).toBeLessThan(MIB);
    verified();
    expect((await first!.told).status).toBe('UNAUTHENTICATED');
    expect((await second!.told).status).toBe('UNAUTHENTICATED');
  });

  it('is small where no token is asked for, packed or not', async () => {
    await open();
    const on = session();
    expect(await new Call(on, CHECK).send(MIB, MIB).told).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      code: 'RATE_LIMITED',
      message: expect.stringContaining('at most 65536 bytes') as string,
    });
    const packed = gzipSync(Buffer.alloc(8 * MIB));
    const call = new Call(on, CHECK, undefined, { 'grpc-encoding': 'gzip' });
    call.stream.end(framed(packed.length, packed, true));
    expect((await call.told).status).toBe('RESOURCE_EXHAUSTED');
    expect((await new Call(on, CHECK).end()).status).toBe('OK');
  });
});

describe('calls without a token', () => {
  it('are so many at once for an address, and others keep theirs', async () => {
    await open({ open: { inAll: 16 * MIB, each: 8 * GRPC_LIMITS.callBytes } });
    const on = session();
    const watching = Array.from({ length: 7 }, () => new Call(on, WATCH));
    for (const call of watching) call.stream.end(framed(0, Buffer.alloc(0)));
    await Promise.all(watching.map(({ stream }) => once(stream, 'response')));
    expect(await new Call(on, WATCH).end()).toMatchObject({ status: 'RESOURCE_EXHAUSTED', code: 'RATE_LIMITED' });
    expect(await new Call(session('127.0.0.2'), WATCH).firstAnswer()).toBe(200);
    watching[0]!.stream.close();
    watching[1]!.stream.close();
    await until(async () => (await new Call(on, WATCH).firstAnswer()) === 200);
  });

  it('that watch keep no health check out', async () => {
    await open({ open: { inAll: 2 * GRPC_LIMITS.callBytes, each: 2 * GRPC_LIMITS.callBytes } });
    const on = session();
    expect(await new Call(on, WATCH).firstAnswer()).toBe(200);
    expect((await new Call(on, WATCH).end()).status).toBe('RESOURCE_EXHAUSTED');
    expect((await new Call(on, CHECK).end()).status).toBe('OK');
  });
});

describe('callers behind a proxy', () => {
  it('that is trusted count by the address that it names', async () => {
    const rateLimits = new RateLimits({ requests: 30, seconds: 3600 });
    await open({}, { rateLimits, proxies: TrustedProxies.of('127.0.0.1') });
    const asked = async (client: string, token?: string): Promise<string> =>
      (await new Call(session(), READ, token, { 'x-forwarded-for': client }).end(vote())).status;
    for (let i = 0; i < 3; i++) expect(await asked('198.51.100.1')).toBe('UNAUTHENTICATED');
    expect(await asked('198.51.100.1')).toBe('RESOURCE_EXHAUSTED');
    expect(await asked('198.51.100.2')).toBe('UNAUTHENTICATED');
    expect(await asked('198.51.100.1', 'ann')).toBe('NOT_FOUND');
  });
});

describe('messages of principals', () => {
  it('are so many bytes at once of each, and when they are gone there is room again', async () => {
    await open({ known: { inAll: 24 * MIB, each: 8 * MIB } });
    const on = session();
    const first = new Call(on, SUBMIT, 'ann').send(16 * MIB, 6 * MIB);
    const second = new Call(on, SUBMIT, 'ann').send(16 * MIB, 6 * MIB);
    const refused = await Promise.race([first.told, second.told]);
    expect(refused).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      code: 'RATE_LIMITED',
      message: expect.stringContaining('of one caller') as string,
    });
    expect((await new Call(session(), READ, 'ben').end(vote())).status).toBe('NOT_FOUND');
    for (const { stream } of [first, second]) stream.close();
    await until(async () => (await new Call(on, READ, 'ann').end(vote())).status === 'NOT_FOUND');
    const again = new Call(on, SUBMIT, 'ann');
    again.stream.end(framed(6 * MIB, Buffer.alloc(6 * MIB)));
    expect((await again.told).status).not.toBe('RESOURCE_EXHAUSTED');
  });

  it('are counted as what they unpack to', async () => {
    await open({ known: { inAll: 24 * MIB, each: 8 * MIB } });
    const packed = gzipSync(Buffer.alloc(12 * MIB));
    const call = new Call(session(), SUBMIT, 'ann', { 'grpc-encoding': 'gzip' });
    call.stream.end(framed(packed.length, packed, true));
    expect(await call.told).toMatchObject({ status: 'RESOURCE_EXHAUSTED', code: 'RATE_LIMITED' });
    const small = gzipSync(vote());
    const read = new Call(session(), READ, 'ann', { 'grpc-encoding': 'gzip' });
    read.stream.end(framed(small.length, small, true));
    expect((await read.told).status).toBe('NOT_FOUND');
  });

  it('that do not end in time end their call', async () => {
    await open({ messageMs: 300 });
    expect(await new Call(session(), READ, 'ann').send(100, 10).told).toMatchObject({
      status: 'DEADLINE_EXCEEDED',
      code: 'WAIT_TIMEOUT',
      message: 'a message within 0.3 s',
    });
  });
});

describe('connections', () => {
  it('that say nothing are closed, and so are those that call nothing', async () => {
    await open({ firstCallMs: 300 });
    const [socket, on] = [await silent(), session()];
    await Promise.all([once(socket, 'close'), once(on, 'close')]);
  });

  it('that called and call no more are closed when they have lain still for long', async () => {
    await open({ firstCallMs: 200, idleMs: 600 });
    const on = session();
    expect((await new Call(on, CHECK).end()).status).toBe('OK');
    const begun = performance.now();
    await once(on, 'close');
    expect(performance.now() - begun).toBeGreaterThan(500);
  });

  it('are so many of one address, and others come in', async () => {
    await open({ connectionsOfAddress: 4 });
    for (let i = 0; i < 4; i++) await silent();
    await once(await silent(), 'close');
    expect((await new Call(session('127.0.0.2'), CHECK).end()).status).toBe('OK');
  });

  it('are so many in all, and the oldest that has shown no good token makes room', async () => {
    await open({ connections: 4 });
    const ann = session();
    expect((await new Call(ann, READ, 'ann').end(vote())).status).toBe('NOT_FOUND');
    const strangers = [await silent(), await silent(), await silent()];
    const ben = session();
    expect((await new Call(ben, READ, 'ben').end(vote())).status).toBe('NOT_FOUND');
    expect(strangers.map(({ closed }) => closed)).toEqual([true, false, false]);
    expect((await new Call(ann, READ, 'ann').end(vote())).status).toBe('NOT_FOUND');
  });

  it('are so many of one principal, whatever addresses they come from', async () => {
    await open({ connectionsOfPrincipal: 2 });
    const called = async (address: string, token: string): Promise<Told> =>
      await new Call(session(address), READ, token).end(vote());
    expect((await called('127.0.0.1', 'ann')).status).toBe('NOT_FOUND');
    expect((await called('127.0.0.2', 'ann')).status).toBe('NOT_FOUND');
    expect(await called('127.0.0.3', 'ann')).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('connections of one principal: at most 2') as string,
    });
    expect((await called('127.0.0.3', 'ben')).status).toBe('NOT_FOUND');
    sessions[0]!.destroy();
    await until(async () => (await called('127.0.0.3', 'ann')).status === 'NOT_FOUND');
  });

  it('take so many calls at once', async () => {
    await open({ streams: 5 });
    const on = session();
    await once(on, 'remoteSettings');
    expect(on.remoteSettings.maxConcurrentStreams).toBe(5);
  });
});
