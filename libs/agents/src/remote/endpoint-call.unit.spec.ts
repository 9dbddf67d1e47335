import { lookup } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { Certificates } from '../../../../test/support/certificates.js';
import { AgentHosts } from './agent-hosts.js';
import { type CallFault, EndpointCaller, MAX_ANSWER_BYTES } from './endpoint-call.js';

/** Against a real server on this machine that behaves as badly as one can. */

/** More than an answer may be. */
const BOMB = Buffer.alloc(1024 * 1024);

let server: Server;
let caller: EndpointCaller;
let listener: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => listener(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  caller = new EndpointCaller(new AgentHosts(['localhost']));
});
afterAll(() => {
  caller.close();
  server.closeAllConnections();
  server.close();
});

const here = (host = '127.0.0.1'): string => `http://${host}:${(server.address() as AddressInfo).port}/turn`;

function call(url = here(), signal = new AbortController().signal, by = caller) {
  return by.call({
    url: new URL(url),
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{}'),
    signal,
  });
}

async function faultOf(call: Promise<unknown>): Promise<CallFault> {
  return (await call.then(
    () => 'it was answered',
    ({ fault }: { fault: CallFault }) => fault,
  )) as CallFault;
}

it('posts what it is given, and gives what comes back', async () => {
  let seen = '';
  listener = (request, response) => {
    seen = `${request.method} ${request.url} ${request.headers['content-length']} ${request.headers['accept-encoding']}`;
    response.writeHead(201).end('{"a":1}');
  };
  expect(await call(here('localhost'))).toMatchObject({ status: 201, bytes: Buffer.from('{"a":1}') });
  expect(seen).toBe('POST /turn 2 identity');
});

it.each<[CallFault, RequestListener]>([
  ['too large', (_, response) => response.writeHead(200, { 'content-length': MAX_ANSWER_BYTES + 1 }).end()],
  ['too large', (_, response) => void response.writeHead(200).end(Buffer.alloc(MAX_ANSWER_BYTES + 1))],
  ['encoded', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}'))],
  ['encoded', (_, response) => response.writeHead(200, { 'content-encoding': 'br, gzip' }).end(BOMB)],
  ['broken off', (_, response) => response.writeHead(200, { 'x-much': 'a'.repeat(64 * 1024) }).end('{}')],
  ['broken off', (request) => request.socket.destroy()],
  ['broken off', (request, response) => response.writeHead(200).write('{', () => request.socket.destroy())],
  ['broken off', (request) => request.socket.end('no HTTP at all\r\n\r\n')],
  ['broken off', ({ socket }) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n')],
])('says why nothing came of a call: %s', async (fault, behaviour) => {
  listener = behaviour;
  expect(await faultOf(call())).toBe(fault);
});

it('reads on no longer than an answer may be, where gigabytes come', async () => {
  const endless = (): Promise<number> =>
    new Promise((over) => {
      listener = (request, response) => {
        response.on('close', () => over(request.socket.bytesWritten));
        const more = (): void => {
          while (!response.destroyed && response.write(BOMB));
        };
        response.on('drain', more).writeHead(200);
        more();
      };
    });
  const written = endless();
  expect(await faultOf(call())).toBe('too large');
  // What the sockets of both sides hold is sent before the end of the connection is seen.
  expect(await written).toBeLessThan(16 * 1024 * 1024);
});

it('takes an answer that comes again for no other call', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n';
  const again = new Promise((done) => {
    listener = ({ socket }) => {
      socket.write(`${answer}\r\n1`);
      setTimeout(() => socket.write(`${answer}\r\n1`, () => setTimeout(done, 10)), 5);
    };
  });
  expect((await call()).bytes.toString()).toBe('1');
  await again;
  listener = ({ socket }) => socket.end(`${answer}connection: close\r\n\r\n2`);
  expect((await call()).bytes.toString()).toBe('2');
});

it.each(['', 'connection: upgrade\r\nupgrade: websocket\r\n'])(
  'speaks nothing else where it is asked to: %j',
  async (headers) => {
    const left = new Promise((closed) => {
      listener = ({ socket }) => {
        socket.on('close', closed).write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
      };
    });
    expect(await call()).toMatchObject({ status: 101, bytes: Buffer.alloc(0) });
    await left;
  },
);

it('follows no redirect', async () => {
  let asked = 0;
  listener = (_, response) => {
    asked++;
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  };
  expect((await call()).status).toBe(307);
  expect(asked).toBe(1);
});

it.each<[string, RequestListener]>([
  ['nothing comes after the headers', (_, response) => response.writeHead(200).flushHeaders()],
  [
    'one byte a second comes',
    (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    },
  ],
])('ends with its signal, also where %s', async (_, behaviour) => {
  listener = behaviour;
  const aborter = new AbortController();
  setTimeout(() => aborter.abort(), 60);
  expect(await faultOf(call(here(), aborter.signal))).toBe('called off');
});

it('tells at once whoever gives up, however many calls to the same host hang', async () => {
  const hung: (() => void)[] = [];
  listener = (_, response) => void hung.push(() => response.end());
  const long = new AbortController();
  const calls = Array.from({ length: 100 }, () => call(here(), long.signal));
  const began = performance.now();
  expect(await faultOf(call(here(), AbortSignal.timeout(50)))).toBe('called off');
  expect(performance.now() - began).toBeLessThan(2_000);
  long.abort();
  expect(await Promise.all(calls.map(faultOf))).toEqual(Array<string>(100).fill('called off'));
});

it('asks no host that is not listed, and goes to no address that is not public behind a name that is', async () => {
  // Calls of the test before, which were given up, may come in still.
  const asked: (string | undefined)[] = [];
  listener = ({ url }) => void asked.push(url);
  expect(await faultOf(call('http://elsewhere.example/'))).toBe('host not listed');
  const named = new EndpointCaller(new AgentHosts([`localhost:${(server.address() as AddressInfo).port}`]));
  expect(await faultOf(call(`${here('localhost')}/unlisted`, undefined, named))).toBe('address not allowed');
  expect(asked).not.toContain('/turn/unlisted');
  named.close();
});

it('goes to no other address that a name leads to the second time', async () => {
  const first = createServer((_, response) => response.writeHead(200, { connection: 'close' }).end('{}'));
  await new Promise<void>((done) => first.listen(0, '127.0.0.2', done));
  const answers = ['127.0.0.2', '127.0.0.1'];
  const resolve = ((_name: string, _options: object, found: (e: null, all: object[]) => void) =>
    found(null, [{ address: answers.shift(), family: 4 }])) as unknown as typeof lookup;
  const rebound = new EndpointCaller(new AgentHosts(['agents.example', '127.0.0.2']), resolve);
  const url = `http://agents.example:${(first.address() as AddressInfo).port}/`;
  expect((await call(url, undefined, rebound)).status).toBe(200);
  expect(await faultOf(call(url, undefined, rebound))).toBe('address not allowed');
  expect(answers).toEqual([]);
  rebound.close();
  first.close();
});

it('sends nothing to who shows a certificate of somebody else, or of an authority that nobody trusts', async () => {
  const certificates = new Certificates({ authority: ['agent'] });
  let asked = 0;
  const pair = { key: certificates.pem('agent.key'), cert: certificates.pem('agent.crt') };
  const tls = createTlsServer(pair, (_, response) => {
    asked++;
    response.end('{}');
  });
  await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done));
  const trusting = new EndpointCaller(new AgentHosts(['localhost']), lookup, certificates.pem('authority.crt'));
  const at = (host: string): string => `https://${host}:${(tls.address() as AddressInfo).port}/`;
  expect(await faultOf(call(at('127.0.0.1')))).toBe('certificate');
  expect(await faultOf(call(at('localhost'), undefined, trusting))).toBe('certificate');
  expect(asked).toBe(0);
  expect((await call(at('127.0.0.1'), undefined, trusting)).status).toBe(200);
  trusting.close();
  tls.close();
  certificates.remove();
});

it('leaves all that it calls at once when it is closed, and calls nobody any more', async () => {
  const asked = new Promise((told) => (listener = told));
  const never = (() => undefined) as unknown as typeof lookup;
  const closing = new EndpointCaller(new AgentHosts(['localhost', 'hangs.example']), never);
  const calls = [here(), 'http://hangs.example/'].map((url) => faultOf(call(url, undefined, closing)));
  await asked;
  closing.close();
  expect(await Promise.all(calls)).toEqual(['broken off', 'broken off']);
  expect(await faultOf(call(here(), undefined, closing))).toBe('called off');
});

it('has places left for a module whose calls are few, where those of others take all that they get', async () => {
  const never = (() => undefined) as unknown as typeof lookup;
  const crowded = new EndpointCaller(new AgentHosts(['localhost', 'hangs.example']), never, undefined, 64);
  const over = new AbortController();
  const asking = (url: string, of: object) =>
    crowded.call({ url: new URL(url), headers: {}, signal: over.signal, of }).then(
      ({ status }) => status,
      ({ fault }: { fault: CallFault }) => fault,
    );
  const hanging = (calls: number, of: object) =>
    Array.from({ length: calls }, () => asking('http://hangs.example/', of));
  const of = {};
  const hung = [...hanging(64, {}), ...hanging(64, {}), ...hanging(64, {}), ...hanging(7, of)];
  listener = (_, response) => response.end('{}');
  expect(await asking(here(), of)).toBe(200);
  const last = hanging(1, of);
  expect(await asking(here(), of)).toBe('busy');
  over.abort();
  const told = await Promise.all([...hung, ...last]);
  expect(told.filter((fault) => fault === 'called off')).toHaveLength(32 + 8 + 8 + 8);
  crowded.close();
});

it('says that nobody is there', async () => {
  expect(await faultOf(call('http://127.0.0.1:1/'))).toBe('not reached');
});
