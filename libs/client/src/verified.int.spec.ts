import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { nonceAskedFor, ResponseSigner, type ResponseKey, type UnsignedAnswer } from '#lib/signatures';

import type { ClientOptions, MaceClient } from './interface.js';
import { createClient } from './client.js';
import { NoAnswerError, UnverifiedAnswerError } from './errors.js';
import { publishedKeys } from './published-keys.js';

/** The client against a server over HTTP that signs as MACE does, and against one in between. */

const KEY = 'PUT /sem/{scope}/{entity_type}/{entity_id}/{attribute}';
const path = { scope: 'user', entity_type: 'profile', entity_id: 'user_tuff', attribute: 'color' };
const MINUTE_MS = 60_000;

interface Pair {
  readonly key: ResponseKey;
  readonly signer: ResponseSigner;
}

function pair(kid: string, nbf = 0): Pair {
  const { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { key: { kty: 'OKP', crv: 'Ed25519', x, kid, nbf }, signer: new ResponseSigner({ kid, secret }) };
}

const FIRST = pair('first');
let server: Server;
let url: string;
let signedBy: Pair;
let published: readonly ResponseKey[] | undefined;
/** What is told in place of the truth. */
let lie: Partial<UnsignedAnswer> & { readonly late?: number; readonly unsigned?: true };
let asked: string[];
let replayed: Record<string, string> | undefined;
let captured: Record<string, string>;

function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.method} ${request.url}`);
  const isKeys = request.url === '/.well-known/jwks.json';
  const body = JSON.stringify(isKeys ? { keys: published } : { success: true, items: [], next_cursor: null });
  const trace = request.headers['x-trace-id'];
  const traceId = typeof trace === 'string' ? trace : 'drawn';
  const told = { method: request.method!, target: request.url! };
  const nonce = nonceAskedFor(request.headers['accept-signature']);
  const contentType = 'application/json';
  const truth: UnsignedAnswer = { status: 200, contentType, body, traceId, request: told, nonce };
  const signed = signedBy.signer.headersFor({ ...truth, ...lie }, Date.now() - (lie.late ?? 0));
  captured = { 'content-type': contentType, 'x-trace-id': lie.traceId ?? traceId, ...(lie.unsigned ? {} : signed) };
  response.writeHead(lie.status ?? 200, replayed ?? captured).end(lie.status === 204 ? undefined : body);
}

beforeAll(async () => {
  server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  signedBy = FIRST;
  published = [FIRST.key];
  lie = {};
  asked = [];
  replayed = undefined;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const client = (verify: ClientOptions['verify'] = [FIRST.key]): MaceClient => createClient({ server: url, verify });
const put = (traceId?: string) =>
  client().call(KEY, { path, body: { value: 'navy' }, ...(traceId === undefined ? {} : { traceId }) });

describe('an answer that the server gave to this very request', () => {
  it.each(['/jobs?limit=5', "/jobs?cursor=it's%20é", '/sem?', '/a/../jobs', '/jobs#here'])(
    'is taken, whatever stands in its target: %s',
    async (target) => {
      expect(await client().send({ method: 'GET', target })).toMatchObject({ status: 200 });
    },
  );

  it('is taken with the trace that was sent', async () => {
    expect(await put('mine')).toMatchObject({ ok: true, traceId: 'mine' });
  });

  it('is taken with the trace that the server drew in place of one that is not of its form', async () => {
    lie = { traceId: 'drawn' };
    expect(await put('not of/its form')).toMatchObject({ ok: true, traceId: 'drawn' });
  });

  it('is taken where the clocks differ by less than five minutes', async () => {
    for (const late of [4 * MINUTE_MS, -4 * MINUTE_MS]) {
      lie = { late };
      expect(await put()).toMatchObject({ ok: true });
    }
  });
});

describe('an answer that was captured and is given again', () => {
  it('is no answer to the same write, sent again under the same trace', async () => {
    await put('mine');
    replayed = captured;
    await expect(put('mine')).rejects.toThrow(/another nonce: it answers another request/);
  });

  it.each([
    ['another method', 'DELETE', '/sem/a?x=1', /not of this answer/],
    ['another path', 'GET', '/sem/b?x=1', /not of this answer/],
    ['another query', 'GET', '/sem/a?x=2', /not of this answer/],
    ['a query where there was none', 'GET', '/sem/a?x=1&y=2', /not of this answer/],
    ['no query', 'GET', '/sem/a', /@query/],
  ])('is none to a request of %s', async (_, method, target, reason) => {
    await client().send({ method: 'GET', target: '/sem/a?x=1' });
    replayed = captured;
    await expect(client().send({ method, target })).rejects.toThrow(reason);
  });
});

describe('an answer', () => {
  it.each<[string, typeof lie, RegExp]>([
    ['without a nonce', { nonce: undefined }, /carries no nonce/],
    ['that was signed six minutes ago', { late: 6 * MINUTE_MS }, /it is 36\d s old/],
    ['that was signed six minutes from now', { late: -6 * MINUTE_MS }, /from now: clocks may be 300 s apart/],
    ['that speaks of no request', { request: undefined }, /does not cover "@method";req/],
    ['without a signature', { unsigned: true }, /not signed/],
    ['without content, which nothing signs', { status: 204, unsigned: true }, /not signed/],
  ])('%s is refused, and asked for once', async (_, told, reason) => {
    lie = told;
    const call = put('mine');
    await expect(call).rejects.toThrow(UnverifiedAnswerError);
    await expect(call).rejects.toThrow(reason);
    expect(asked).toHaveLength(1);
  });
});

describe('keys', () => {
  it('that were given stay what they are: another one is refused, and none is asked for', async () => {
    signedBy = pair('second');
    await expect(put()).rejects.toThrow(/its key is not among those given/);
    expect(asked).toHaveLength(1);
  });

  it('that are not valid when an answer is signed are refused', async () => {
    const now = Date.now() / 1000;
    for (const change of [{ nbf: now + 60 }, { exp: now - 60 }])
      await expect(client([{ ...FIRST.key, ...change }]).call('GET /jobs')).rejects.toThrow(/outside the time/);
  });

  it('that the server publishes are asked for once, and again where it has rotated', async () => {
    const mace = client(publishedKeys(url));
    await Promise.all([mace.call('GET /jobs'), mace.call('GET /jobs')]);
    const second = pair('second', Math.floor(Date.now() / 1000));
    signedBy = second;
    published = [{ ...FIRST.key, exp: Math.floor(Date.now() / 1000) }, second.key];
    expect(await mace.call('GET /jobs')).toMatchObject({ ok: true });
    expect(asked.filter((target) => target.endsWith('jwks.json'))).toHaveLength(2);
  });

  it('that the server does not publish are refused, once it was asked', async () => {
    const mace = client(publishedKeys(url));
    signedBy = pair('stranger');
    await expect(mace.call('GET /jobs')).rejects.toThrow(/its key is not among those given/);
    await expect(mace.call('GET /jobs')).rejects.toThrow(/its key is not among those given/);
    const keys = 'GET /.well-known/jwks.json';
    expect(asked).toEqual(['GET /jobs', keys, 'GET /jobs', keys]);
  });

  it('that a server took back are trusted for ten minutes at most', async () => {
    const mace = client(publishedKeys(url));
    await mace.call('GET /jobs');
    published = [pair('second').key];
    await mace.call('GET /jobs');
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 11 * MINUTE_MS);
    try {
      await expect(mace.call('GET /jobs')).rejects.toThrow(/its key is not among those given/);
    } finally {
      clock.mockRestore();
    }
  });

  it('that cannot be had leave the answer unverified, and are asked for again', async () => {
    const mace = client(publishedKeys(url));
    published = undefined;
    await expect(mace.call('GET /jobs')).rejects.toThrow(/keys to check it with cannot be had/);
    published = [FIRST.key];
    expect(await mace.call('GET /jobs')).toMatchObject({ ok: true });
  });

  it('that never come end the call in time', async () => {
    const mace = client(() => new Promise(() => undefined));
    await expect(mace.call('GET /jobs', { timeoutMs: 50 })).rejects.toThrow(NoAnswerError);
  });
});
