import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Controller, Get, Module } from '@nestjs/common';

import { LIMITS } from './http-options.js';
import { localSocketOf } from './local-address.js';
import { listenLocally } from './local-socket.js';
import { asLocal } from './local-requests.js';
import { startHost, type Host } from './testing/edge-host.js';

@Controller('bare')
class Undeclared {
  @Get()
  nothing(): void {
    // Never reached: the start is refused.
  }
}

@Module({ controllers: [Undeclared] })
class UndeclaredModule {}

describe('the start', () => {
  test('a route without a declared permission stops it and is named', async () => {
    await expect(startHost(UndeclaredModule)).rejects.toThrow('route GET /bare declares no permission');
  });
});

describe('connections', () => {
  let host: Host;
  let token: string;

  beforeAll(async () => {
    host = await startHost(undefined, { limits: { ...LIMITS, headersMs: 2500, requestMs: 3000, checkMs: 200 } });
    token = await host.token('tuff');
  });
  afterAll(() => host.close());

  const port = (): number => Number(new URL(host.url).port);

  async function open(text: string): Promise<Socket> {
    const socket = connect({ port: port(), host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  async function exchange(text: string): Promise<string> {
    const socket = await open(text);
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    await once(socket, 'close');
    return answer;
  }

  test('a thousand clients that never finish their request leave the others undisturbed', async () => {
    const slow = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        open(
          i % 2
            ? 'GET /things/a HTTP/1.1\r\nhost: x\r\nx-slow: '
            : `PUT /things/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
        ),
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${host.url}/things/a`, { headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    // Each is disconnected by the limits on headers and requests, not by us.
    await Promise.all(slow.filter(({ closed }) => !closed).map((socket) => once(socket.resume(), 'close')));
  });

  test.each([
    ['what is no HTTP', 'hello\r\n\r\n'],
    ['a header without end', `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['two lengths', 'POST /things/a HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /things/a HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\na',
    ],
    ['a header name with a space', 'GET /things/a HTTP/1.1\r\nhost: x\r\nbad header: 1\r\n\r\n'],
  ])('%s is answered with the envelope', async (_, text) => {
    const answer = await exchange(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"error_code":"INVALID_INPUT"');
  });

  test('two tokens in one request are refused, not one of them taken', async () => {
    const answer = await exchange(
      `GET /things/a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    );
    expect(answer).toContain('authorization: given twice');
  });

  test.each(['idempotency-key', 'if-none-match'])(
    '%s given twice is told as that, not as of a wrong form',
    async (name) => {
      const answer = await exchange(
        `POST /things/a/touch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${name}: a\r\n${name}: b\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toContain(`${name}: given twice`);
    },
  );

  test('a body without a length is cut off at the limit', async () => {
    const status = await new Promise<number>((done, failed) => {
      const request = httpRequest(`${host.url}/things/a`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
      });
      request.on('response', (response) => done(response.resume().statusCode ?? 0));
      request.on('error', failed);
      for (let i = 0; i < 40; i++) request.write('x'.repeat(16 * 1024));
      request.end();
    });
    expect(status).toBe(400);
  });
});

describe('the data folder’s socket', () => {
  let host: Host;
  let folder: string;

  beforeEach(async () => {
    host = await startHost();
    folder = mkdtempSync(join(tmpdir(), 'mace-socket-'));
  });
  afterEach(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(socketPath: string, method: string, path: string, headers: Record<string, string> = {}) {
    const request = httpRequest({ socketPath, method, path, headers: { host: 'mace', ...headers } });
    request.end();
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, body: JSON.parse(text) as Record<string, unknown> };
  }

  test('without a token one is the holder of the folder; with one its owner', async () => {
    const socket = await listenLocally(host.fastify, folder);
    expect(localSocketOf(folder)).toBe(socket.path);
    expect(statSync(socket.path).mode & 0o777).toBe(0o600);
    const local = { id: 'local', roles: ['superadmin'], elevated: true };
    expect(await call(socket.path, 'POST', '/things/local')).toEqual({ status: 201, body: local });
    const bearer = { authorization: `Bearer ${await host.token('tuff')}` };
    expect((await call(socket.path, 'GET', '/things/a', bearer)).body['principal']).toMatchObject({ id: 'user_tuff' });
    expect((await call(socket.path, 'POST', '/things/local', bearer)).status).toBe(403);
    expect((await call(socket.path, 'GET', '/things/a', { authorization: 'Bearer junk' })).status).toBe(401);
    await socket.close();
    expect(localSocketOf(folder)).toBeNull();
  });

  test('a folder whose path is too long for a socket has its address elsewhere', async () => {
    const deep = mkdtempSync(join(folder, 'x'.repeat(120)));
    const socket = await listenLocally(host.fastify, deep);
    expect(Buffer.byteLength(socket.path)).toBeLessThan(100);
    expect(readFileSync(join(deep, 'mace.sock.address'), 'utf8').trim()).toBe(socket.path);
    expect(localSocketOf(deep)).toBe(socket.path);
    expect((await call(socket.path, 'POST', '/things/local')).status).toBe(201);
    await socket.close();
    expect(localSocketOf(deep)).toBeNull();
  });

  test('what a killed process left of a socket does not stop the next', async () => {
    const first = await listenLocally(host.fastify, folder);
    const second = await listenLocally(host.fastify, folder);
    expect((await call(second.path, 'POST', '/things/local')).status).toBe(201);
    await Promise.all([first.close(), second.close()]);
  });

  test('a call of the process itself is the holder’s too, and only that call', async () => {
    const [inside, outside] = await Promise.all([
      asLocal(async () => host.fastify.inject({ method: 'POST', url: '/things/local' })),
      host.fastify.inject({ method: 'POST', url: '/things/local' }),
    ]);
    expect([inside.statusCode, outside.statusCode]).toEqual([201, 401]);
  });
});

describe('closing', () => {
  test('requests in hand are finished, idle connections closed', async () => {
    const host = await startHost();
    const authorization = `Bearer ${await host.token('tuff')}`;
    const inHand = fetch(`${host.url}/things/slow`, { method: 'POST', headers: { authorization } });
    await once(host.fastify.server, 'request');
    await host.close();
    expect((await inHand).status).toBe(201);
    await expect(fetch(`${host.url}/things/open`)).rejects.toThrow();
  });
});
