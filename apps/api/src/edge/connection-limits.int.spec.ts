import { once } from 'node:events';
import { promisify } from 'node:util';
import { connect, type Socket } from 'node:net';

import { Body, Controller, Delete, Get, Module, Post } from '@nestjs/common';
import { IsString } from 'class-validator';

import { until } from '../../../../test/support/eventually.js';
import { LIMITS } from './http-options.js';
import { Permission, Public } from './index.js';
import { securityHeaders } from './security-headers.js';
import { startHost, type Host } from './testing/edge-host.js';

class Text {
  @IsString()
  text!: string;
}

@Controller('texts')
class TextsController {
  @Get('long')
  @Public()
  long(): object {
    return { text: 'x'.repeat(8_000_000) };
  }

  @Get('short')
  @Public()
  short(): object {
    return { text: 'x' };
  }

  @Get('guarded')
  @Permission('sem.read')
  guarded(): object {
    return {};
  }

  @Delete('guarded')
  @Permission('sem.delete')
  forbidden(): object {
    return {};
  }

  @Post('short')
  @Public()
  take(@Body() { text }: Text): object {
    return { text };
  }
}

@Module({ controllers: [TextsController] })
class TextsModule {}

const GET = 'GET /texts/short HTTP/1.1\r\nhost: x\r\n';
const POST = 'POST /texts/short HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

/** A second request that must never be taken for one: it would be answered with the text. */
const HIDDEN = `${GET}\r\n`;

let host: Host;

async function open(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(host.url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function exchange(text: string, localAddress?: string): Promise<string> {
  const socket = await open(localAddress);
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(text);
  await closed(socket);
  return answer;
}

/** However it came to be closed. */
const closed = (socket: Socket): Promise<void> => new Promise((done) => socket.once('close', () => done()));

/** Until the server knows it too. */
async function allLeft(held: readonly Socket[]): Promise<void> {
  await Promise.all(held.filter((socket) => !socket.closed).map(closed));
  const left = () => promisify(host.fastify.server.getConnections.bind(host.fastify.server))();
  await until(async () => (await left()) === 0);
}

const statusesOf = (answer: string): string[] =>
  [...answer.matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map(([, code]) => code!);

describe('what one connection may do', () => {
  beforeAll(async () => {
    host = await startHost(TextsModule, { limits: { ...LIMITS, connections: 20, connectionsOfAddress: 12 } });
  });
  afterAll(() => host.close());

  test.each([
    ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\nab${HIDDEN}`],
    ['one length twice', `${POST}content-length: 1\r\ncontent-length: 1\r\n\r\na${HIDDEN}`],
    ['a list of lengths', `${POST}content-length: 1, 1\r\n\r\na${HIDDEN}`],
    ['a length with a sign', `${POST}content-length: +1\r\n\r\na${HIDDEN}`],
    ['a negative length', `${POST}content-length: -1\r\n\r\na${HIDDEN}`],
    ['a length in hexadecimal', `${POST}content-length: 0x1\r\n\r\na${HIDDEN}`],
    ['a length and chunks', `${POST}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['chunks and a length', `${POST}transfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a coding after chunks', `${POST}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a space before the colon', `${POST}transfer-encoding : chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a tab in a name', `${POST}transfer-encoding\t: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a folded header', `${GET}x-a: b\r\n transfer-encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ['a bare carriage return in a header', `${GET}x-a: b\rtransfer-encoding: chunked\r\n\r\n${HIDDEN}`],
    ['a header without a colon', `${GET}nonsense\r\n\r\n${HIDDEN}`],
    ['a NUL in a header', `${GET}x-a: b\0c\r\n\r\n${HIDDEN}`],
    ['a chunk’s length that is no number', `${POST}transfer-encoding: chunked\r\n\r\nzz\r\na\r\n0\r\n\r\n${HIDDEN}`],
    ['a chunk longer than it says', `${POST}transfer-encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n${HIDDEN}`],
    ['another version of HTTP', `GET /texts/short HTTP/3.7\r\nhost: x\r\n\r\n${HIDDEN}`],
    ['a method in small letters', `get /texts/short HTTP/1.1\r\nhost: x\r\n\r\n${HIDDEN}`],
    ['a space in the target', `GET /texts/short extra HTTP/1.1\r\nhost: x\r\n\r\n${HIDDEN}`],
  ])('%s: refused, the connection is closed, and what follows is not read', async (_, text) => {
    const answer = await exchange(text);
    expect(statusesOf(answer)).toEqual(['400']);
    expect(answer).toContain('"error_code":"INVALID_INPUT"');
    expect(answer).toContain('\r\nsignature: mace=');
  });

  test('a request that does not say which server it is for, or says it twice, is refused with the envelope', async () => {
    for (const hosts of ['', 'host: x\r\nHOST: x\r\n']) {
      const answer = await exchange(`GET /texts/short HTTP/1.1\r\n${hosts}connection: close\r\n\r\n`);
      expect(statusesOf(answer)).toEqual(['400']);
      expect(answer).toContain('Host: the name of this server');
    }
    const others = 'host: x\r\naccept: a/b\r\naccept: host\r\n';
    expect(statusesOf(await exchange(`GET /texts/short HTTP/1.1\r\n${others}connection: close\r\n\r\n`))).toEqual([
      '200',
    ]);
    expect(statusesOf(await exchange('GET /texts/short HTTP/1.0\r\n\r\n'))).toEqual(['200']);
  });

  test.each([
    ['without a token', 'GET /texts/guarded HTTP/1.1', 401],
    ['of another role', 'DELETE /texts/guarded HTTP/1.1', 403],
    ['for what is not there', 'GET /nowhere HTTP/1.1', 404],
    ['with another method', 'PUT /texts/short HTTP/1.1', 404],
    ['with a bad query', 'GET /texts/short?x=1 HTTP/1.1', 400],
    ['with a path that cannot be decoded', 'GET /texts/%zz HTTP/1.1', 400],
    ['that is no request', 'nonsense', 400],
    ['for a tunnel', 'CONNECT x:1 HTTP/1.1', 400],
  ])(
    'a request %s is refused with the headers of every answer, and not before its Host is looked at',
    async (_, line, status) => {
      const authorization = `authorization: Bearer ${await host.token('tuff', ['user'])}`;
      const more = `${status === 403 ? `${authorization}\r\n` : ''}connection: close\r\n\r\n`;
      const answer = await exchange(`${line}\r\nhost: x\r\n${more}`);
      expect(statusesOf(answer)).toEqual([String(status)]);
      for (const [name, value] of Object.entries(securityHeaders())) expect(answer).toContain(`\r\n${name}: ${value}`);
      if (!line.startsWith('CONNECT') && line.includes(' ')) {
        for (const hosts of ['', 'host: x\r\nhost: y\r\n'])
          expect(await exchange(`${line}\r\n${hosts}${more}`)).toContain('Host: the name of this server');
        const coded = await exchange(`${line}\r\nhost: x\r\ntransfer-encoding: gzip, chunked\r\n${more}0\r\n\r\n`);
        expect(coded).toMatch(/^HTTP\/1\.1 400 /);
        expect(coded).toContain('Transfer-Encoding: chunked, or none');
      }
    },
  );

  test('an expectation that nobody knows is passed over, and the answer signed', async () => {
    const answer = await exchange(`${GET}expect: cake\r\nconnection: close\r\n\r\n`);
    expect(statusesOf(answer)).toEqual(['200']);
    expect(answer).toContain('\r\nsignature: mace=');
  });

  test('nobody is made a tunnel or another protocol', async () => {
    for (const target of ['mace.example:443', '/texts/short', 'x']) {
      const tunnel = await exchange(`CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n${HIDDEN}`);
      expect([target, statusesOf(tunnel)]).toEqual([target, ['400']]);
      expect(tunnel).toContain('"error_code":"INVALID_INPUT"');
      expect(tunnel).toContain('opens no tunnel');
      expect(tunnel).toContain('\r\nsignature: mace=');
    }
    const upgrade = await exchange(`${GET}connection: upgrade, close\r\nupgrade: h2c\r\n\r\n`);
    expect(statusesOf(upgrade)).toEqual(['200']);
  });

  test('a connection more than allowed takes the place of the oldest that asked nothing; who has asked stays', async () => {
    const held = await Promise.all(Array.from({ length: 20 }, (_, i) => open(`127.0.0.${1 + (i % 2)}`)));
    try {
      held[0]!.write(`${GET}\r\n`);
      const [answer] = (await once(held[0]!, 'data')) as [Buffer];
      expect(statusesOf(answer.toString())).toEqual(['200']);
      expect(statusesOf(await exchange(`${GET}connection: close\r\n\r\n`, '127.0.0.5'))).toEqual(['200']);
      await until(() => held.filter((socket) => socket.closed).length === 1);
      expect(held[0]!.closed).toBe(false);
    } finally {
      for (const socket of held) socket.destroy();
      await allLeft(held);
    }
  });

  test('where each has asked something, one more is closed unread', async () => {
    const held = await Promise.all(Array.from({ length: 20 }, (_, i) => open(`127.0.0.${1 + (i % 2)}`)));
    try {
      for (const socket of held) {
        socket.write(`${GET}\r\n`);
        await once(socket, 'data');
      }
      expect(await exchange(`${GET}connection: close\r\n\r\n`, '127.0.0.5')).toBe('');
    } finally {
      for (const socket of held) socket.destroy();
      await allLeft(held);
    }
  });

  test('more connections of one address than allowed are closed unread, and another address comes in', async () => {
    const [from, other] = ['127.0.0.3', '127.0.0.4'];
    const held = await Promise.all(Array.from({ length: 12 }, () => open(from)));
    try {
      expect(await exchange(`${GET}connection: close\r\n\r\n`, from)).toBe('');
      expect(statusesOf(await exchange(`${GET}connection: close\r\n\r\n`, other))).toEqual(['200']);
      held[0]!.destroy();
      await until(async () => (await exchange(`${GET}connection: close\r\n\r\n`, from)) !== '');
    } finally {
      for (const socket of held) socket.destroy();
      await allLeft(held);
    }
  });

  test('no answer, preflights included, opens the interface to pages of other origins', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
      const answer = await fetch(`${host.url}/texts/short`, { method, headers });
      expect(answer.status).toBe(method === 'GET' ? 200 : 404);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('how long one connection may take', () => {
  beforeAll(async () => {
    const limits = { ...LIMITS, headersMs: 600, requestMs: 900, stillMs: 700, checkMs: 100 };
    host = await startHost(TextsModule, { limits });
  });
  afterAll(() => host.close());

  test('who says nothing is disconnected', async () => {
    await closed((await open()).resume());
  });

  test('who sends headers too slowly is disconnected', async () => {
    const socket = await open();
    socket.write(GET);
    const drip = setInterval(() => socket.write('x-a: b\r\n'), 50);
    await closed(socket.resume());
    clearInterval(drip);
  });

  test('who sends a body too slowly is disconnected', async () => {
    const socket = await open();
    socket.write(`${POST}content-length: 200000\r\n\r\n`);
    const drip = setInterval(() => socket.write('x'), 50);
    await closed(socket.resume());
    clearInterval(drip);
  });

  test('who does not read the answer is disconnected', async () => {
    const count = (): Promise<number> =>
      new Promise((done, failed) => {
        host.fastify.server.getConnections((error, connections) => (error ? failed(error) : done(connections)));
      });
    await until(async () => (await count()) === 0);
    const socket = await open();
    socket.pause();
    socket.write('GET /texts/long HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(host.fastify.server, 'request');
    expect(await count()).toBe(1);
    await until(async () => (await count()) === 0);
    socket.destroy();
  });
});
