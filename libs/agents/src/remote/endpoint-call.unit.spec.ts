import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { AgentHosts } from './agent-hosts.js';
import { type CallFault, EndpointCaller, MAX_ANSWER_BYTES } from './endpoint-call.js';

/** Against a real server on this machine that behaves as badly as one can. */

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
  ['broken off', (request) => request.socket.destroy()],
  ['broken off', (request, response) => response.writeHead(200).write('{', () => request.socket.destroy())],
  ['broken off', (request) => request.socket.end('no HTTP at all\r\n\r\n')],
])('says why nothing came of a call: %s', async (fault, behaviour) => {
  listener = behaviour;
  expect(await faultOf(call())).toBe(fault);
});

it('follows no redirect', async () => {
  let asked = 0;
  listener = (_, response) => {
    asked++;
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end();
  };
  expect((await call()).status).toBe(307);
  expect(asked).toBe(1);
});

it('ends with its signal, also where one byte a second comes', async () => {
  listener = (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(drip));
  };
  const aborter = new AbortController();
  setTimeout(() => aborter.abort(), 60);
  expect(await faultOf(call(here(), aborter.signal))).toBe('called off');
});

it('asks no host that is not listed, and goes to no address that is not public behind a name that is', async () => {
  listener = () => {
    throw new Error('asked');
  };
  expect(await faultOf(call('http://elsewhere.example/'))).toBe('host not listed');
  const named = new EndpointCaller(new AgentHosts([`localhost:${(server.address() as AddressInfo).port}`]));
  expect(await faultOf(call(here('localhost'), undefined, named))).toBe('address not allowed');
  named.close();
});

it('says that nobody is there', async () => {
  expect(await faultOf(call('http://127.0.0.1:1/'))).toBe('not reached');
});
