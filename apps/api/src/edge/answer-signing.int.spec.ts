import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';

import { Controller, Get, Module, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createVerifier, httpbis } from 'http-message-signatures';

import { fixtureKeyRing, responseKeys } from '#lib/access';
import { acceptSignature, verifyAnswer, type ReceivedAnswer, type Verdict } from '#lib/signatures';

import { DocsController } from './docs.controller.js';
import { Public, withEtag } from './index.js';
import { OpenApi } from './openapi.js';
import { startHost, type Host } from './testing/edge-host.js';

@Controller('shapes')
class ShapesController {
  @Get('object')
  @Public()
  object(): object {
    return { color: 'blau, grün' };
  }

  @Get('nothing')
  @Public()
  nothing(@Res() reply: FastifyReply): void {
    void reply.code(204).send();
  }

  @Get('empty')
  @Public()
  empty(@Res() reply: FastifyReply): void {
    void reply.send();
  }

  @Get('unchanged')
  @Public()
  unchanged(@Res() reply: FastifyReply): void {
    withEtag(reply, 4);
    void reply.code(304).send();
  }

  @Get('big')
  @Public()
  big(): object {
    return { text: 'ü'.repeat(1_000_000) };
  }

  @Get('stream')
  @Public()
  stream(@Res() reply: FastifyReply): void {
    void reply.type('text/plain; charset=utf-8').send(Readable.from(['one ', 'two']));
  }

  @Get('broken-stream')
  @Public()
  brokenStream(@Res() reply: FastifyReply): void {
    const broken = new Readable({ read: () => void broken.destroy(new Error('gone')) });
    void reply.type('text/plain; charset=utf-8').send(broken);
  }

  @Get('events')
  @Public()
  events(@Res() reply: FastifyReply): void {
    void reply.type('text/event-stream').send(Readable.from(['data: 1\n\n']));
  }

  @Post('refused')
  @Public()
  refused(): never {
    throw new Error('a fault');
  }
}

@Module({ controllers: [ShapesController, DocsController], providers: [OpenApi] })
class ShapesModule {}

const KEY = fixtureKeyRing().active('response-signature');
const KEYS = responseKeys(fixtureKeyRing());

describe('answers over HTTP', () => {
  let host: Host;
  let token: string;

  beforeAll(async () => {
    host = await startHost(ShapesModule);
    token = await host.token('tuff');
  });
  afterAll(() => host.close());

  /** As Node receives it, with nothing decoded, joined or followed. */
  async function call(method: string, path: string, headers: Record<string, string> = {}): Promise<ReceivedAnswer> {
    const url = new URL(host.url);
    const request = httpRequest({ host: url.hostname, port: url.port, method, path, headers });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const pairs = response.rawHeaders.flatMap((name, i, all) => (i % 2 ? [] : [[name, all[i + 1]!] as const]));
    return {
      status: response.statusCode!,
      headers: pairs,
      body: Buffer.concat(chunks),
      request: { method, target: path },
    };
  }

  const reasonOf = (verdict: Verdict): string => (verdict.verified ? 'verified' : verdict.reason);

  /** By ours, and by the library that shares no line with ours. */
  async function expectSigned(answer: ReceivedAnswer): Promise<void> {
    expect(reasonOf(verifyAnswer(answer, KEYS))).toBe('verified');
    const publicKey = createPublicKey(createPrivateKey({ key: KEY.secret, format: 'der', type: 'pkcs8' }));
    const verified = await httpbis.verifyMessage(
      {
        keyLookup: () =>
          Promise.resolve({ id: KEY.kid, algs: ['ed25519'], verify: createVerifier(publicKey, 'ed25519') }),
        requiredParams: ['created', 'keyid'],
        tolerance: 5,
      },
      {
        status: answer.status,
        headers: Object.fromEntries(answer.headers.map(([name, value]) => [name.toLowerCase(), value])),
      },
      { method: answer.request.method, url: host.url + answer.request.target, headers: {} },
    );
    expect(verified).toBe(true);
  }

  it.each([
    ['an object', 'GET', '/shapes/object', 200],
    ['a query', 'GET', '/docs?x=1', 400],
    ['the head of an object', 'HEAD', '/shapes/object', 200],
    ['no content', 'GET', '/shapes/empty', 200],
    ['what has not changed', 'GET', '/shapes/unchanged', 304],
    ['two megabytes', 'GET', '/shapes/big', 200],
    ['a stream', 'GET', '/shapes/stream', 200],
    ['the head of a stream', 'HEAD', '/shapes/stream', 200],
    ['a page', 'GET', '/docs', 200],
    ['a script of the documentation', 'GET', '/docs/swagger-ui-bundle.js', 200],
    ['an icon', 'GET', '/docs/favicon-32x32.png', 200],
    ['an unknown route', 'GET', '/nowhere', 404],
    ['the head of an unknown route', 'HEAD', '/nowhere', 404],
    ['a method that no route has', 'TRACE', '/shapes/object', 404],
    ['a fault', 'POST', '/shapes/refused', 500],
    ['a stream that breaks', 'GET', '/shapes/broken-stream', 500],
    ['a path that cannot be decoded', 'GET', '/shapes/%E0%A4%A', 400],
    ['a path with escapes', 'GET', '/shapes/%C3%A9%2F;a=(1),*', 404],
    ['a whole URI', 'GET', 'http://mace.example/shapes/object', 200],
    ['a whole URI with a query', 'GET', 'http://mace.example/shapes/object?x=1', 400],
  ])('%s: signed', async (_, method, path, status) => {
    const answer = await call(method, path, { authorization: `Bearer ${token}` });
    expect(answer.status).toBe(status);
    const target = path.replace('http://mace.example', '');
    await expectSigned({ ...answer, request: { method, target } });
  });

  it('a refusal as problem+json is signed with that type', async () => {
    const answer = await call('GET', '/nowhere', { accept: 'application/problem+json' });
    expect(new Map(answer.headers).get('content-type')).toBe('application/problem+json; charset=utf-8');
    await expectSigned(answer);
  });

  it('an answer without content, and a stream of events, carry no signature', async () => {
    for (const path of ['/shapes/nothing', '/shapes/events']) {
      const names = (await call('GET', path)).headers.map(([name]) => name.toLowerCase());
      expect(names.filter((name) => name.startsWith('signature') || name === 'content-digest')).toEqual([]);
    }
  });

  it('an answer stands for its own request only', async () => {
    const answer = await call('GET', '/shapes/object');
    const other = { ...answer, request: { method: 'GET', target: '/shapes/empty' } };
    expect(reasonOf(verifyAnswer(other, KEYS))).toMatch(/not of this answer to this request/);
  });

  it('a trace of the caller’s is under the signature', async () => {
    const answer = await call('GET', '/shapes/object', { 'x-trace-id': 'my-trace' });
    expect(new Map(answer.headers).get('x-trace-id')).toBe('my-trace');
    await expectSigned(answer);
  });

  it.each(['/shapes/object?x=1', '/nowhere', '/shapes/%E0%A4%A'])(
    'a nonce that %s asks for is signed',
    async (path) => {
      const answer = await call('GET', path, { 'accept-signature': acceptSignature('n-1') });
      await expectSigned(answer);
      const withNonce = (nonce: string): ReceivedAnswer => ({ ...answer, request: { ...answer.request, nonce } });
      expect(reasonOf(verifyAnswer(withNonce('n-1'), KEYS))).toBe('verified');
      expect(reasonOf(verifyAnswer(withNonce('n-2'), KEYS))).toMatch(/another nonce/);
    },
  );

  it('what cannot be read as a request is answered with a signature that speaks of no request', async () => {
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write('no HTTP at all\r\n\r\n');
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const headers = head
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const);
    const answer = { status: 400, headers, body: Buffer.from(body), request: { method: 'GET', target: '/' } };
    expect(reasonOf(verifyAnswer(answer, KEYS))).toBe('the signature does not cover "@method";req');
    const input = new Map(headers).get('signature-input');
    expect(input).toMatch(/^mace=\("@status" "content-type" "content-digest" "x-trace-id"\);created=/);
    const publicKey = createPublicKey(createPrivateKey({ key: KEY.secret, format: 'der', type: 'pkcs8' }));
    const key = { id: KEY.kid, verify: createVerifier(publicKey, 'ed25519') };
    const message = { status: 400, headers: Object.fromEntries(headers) };
    await expect(httpbis.verifyMessage({ keyLookup: () => Promise.resolve(key), tolerance: 5 }, message)).resolves.toBe(
      true,
    );
  });
});
