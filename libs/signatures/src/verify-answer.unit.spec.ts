import { createPrivateKey, createPublicKey } from 'node:crypto';

import { createVerifier, httpbis } from 'http-message-signatures';

import { fixtureKeyRing, responseKeys } from '#lib/access';

import { acceptSignature, nonceAskedFor } from './accept-signature.js';
import { ResponseSigner, type UnsignedAnswer } from './response-signer.js';
import { CLOCK_SKEW_S, type Verdict } from './signed-message.js';
import { verifyAnswer, type ReceivedAnswer } from './verify-answer.js';

const NOW = Date.parse('2026-01-01T12:00:00.500Z');
const KEY = fixtureKeyRing().active('response-signature');
const KEYS = responseKeys(fixtureKeyRing());
const PLAIN: UnsignedAnswer = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"hello": "world"}\n',
  traceId: 'trace-1',
  request: { method: 'GET', target: '/sem/user/profile/user_tuff/favorite_color?as_of=7' },
};

/** What came in answer to `answer.request`, signed at `now`. */
function received(answer: UnsignedAnswer = PLAIN, now = NOW): ReceivedAnswer {
  const typed = answer.contentType === undefined ? [] : ([['Content-Type', answer.contentType]] as const);
  const signed = Object.entries(new ResponseSigner(KEY).headersFor(answer, now));
  return {
    status: answer.status,
    headers: [...typed, ['X-Trace-Id', answer.traceId], ...signed],
    body: Buffer.from(answer.body),
    request: answer.request ?? { method: 'GET', target: '/' },
  };
}

const withHeader = (
  answer: ReceivedAnswer,
  name: string,
  value: (old: string) => string | undefined,
): ReceivedAnswer => ({
  ...answer,
  headers: answer.headers.flatMap(([found, old]) => {
    const changed = found.toLowerCase() === name ? value(old) : old;
    return changed === undefined ? [] : ([[found, changed]] as const);
  }),
});
const PATH = '/sem/user/profile/user_tuff/favorite_color';
const asked = (answer: ReceivedAnswer, request: Partial<ReceivedAnswer['request']>): ReceivedAnswer => ({
  ...answer,
  request: { ...answer.request, ...request },
});
const reasonOf = (verdict: Verdict): string => (verdict.verified ? 'verified' : verdict.reason);

describe('a signed answer', () => {
  it('verifies, and says by which key it was signed and when', () => {
    expect(verifyAnswer(received(), KEYS)).toEqual({
      verified: true,
      kid: 'response-signature.fixture',
      created: Math.floor(NOW / 1000),
    });
  });

  it('carries the digest that RFC 9530 gives for its example, and covers exactly what the specification lists', () => {
    const headers = new ResponseSigner(KEY).headersFor(PLAIN, NOW);
    expect(headers).toMatchObject({
      'content-digest': 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
      'signature-input':
        'mace=("@status" "content-type" "content-digest" "x-trace-id" "@method";req "@path";req "@query";req);created=1767268800;keyid="response-signature.fixture";alg="ed25519"',
    });
  });

  it.each<[string, UnsignedAnswer]>([
    ['JSON', PLAIN],
    ['an error', { ...PLAIN, status: 400, contentType: 'application/problem+json; charset=utf-8' }],
    ['no content and no type', { ...PLAIN, status: 304, contentType: undefined, body: '' }],
    ['many bytes', { ...PLAIN, body: Buffer.alloc(2_000_000, 'é') }],
    ['no query', { ...PLAIN, request: { method: 'GET', target: '/sem' } }],
    ['a query with escapes', { ...PLAIN, request: { method: 'GET', target: '/sem?prefix=a%2Fb&x=(1)?' } }],
    ['a nonce', { ...PLAIN, nonce: 'n-1' }],
    ['a path with escapes', { ...PLAIN, request: { method: 'PUT', target: '/sem/a%2Fb/%C3%A9;x=1,(2)' } }],
  ])('verifies with the library that stands for all others: %s', async (_, answer) => {
    const { status, headers, request } = received(answer);
    const publicKey = createPublicKey(createPrivateKey({ key: KEY.secret, format: 'der', type: 'pkcs8' }));
    const verdict = await httpbis.verifyMessage(
      {
        keyLookup: ({ keyid }) =>
          Promise.resolve(
            keyid === KEY.kid ? { id: keyid, algs: ['ed25519'], verify: createVerifier(publicKey, 'ed25519') } : null,
          ),
        requiredFields: ['@status', 'content-digest', 'x-trace-id'],
        requiredParams: ['created', 'keyid'],
        notAfter: new Date(NOW + 1000),
      },
      { status, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) },
      { method: request.method, url: `http://mace.example${request.target}`, headers: {} },
    );
    expect(verdict).toBe(true);
    expect(reasonOf(verifyAnswer(received(answer), KEYS))).toBe('verified');
  });

  const CHANGES: readonly [string, (answer: ReceivedAnswer) => ReceivedAnswer, RegExp][] = [
    ['another status', (a) => ({ ...a, status: 201 }), /not of this answer/],
    ['another content', (a) => ({ ...a, body: Buffer.from('{"hello": "World"}\n') }), /Content-Digest/],
    ['content cut off', (a) => ({ ...a, body: a.body.subarray(1) }), /Content-Digest/],
    ['another type', (a) => withHeader(a, 'content-type', () => 'text/html'), /not of this answer/],
    ['no type', (a) => withHeader(a, 'content-type', () => undefined), /covers content-type, which is not there/],
    ['a second type', (a) => ({ ...a, headers: [...a.headers, ['content-type', 'text/html']] }), /not of this answer/],
    ['another trace', (a) => withHeader(a, 'x-trace-id', () => 'trace-2'), /not of this answer/],
    ['another method', (a) => asked(a, { method: 'PUT' }), /not of this answer/],
    ['another path', (a) => asked(a, { target: '/sem?as_of=7' }), /not of this answer/],
    ['another query', (a) => asked(a, { target: `${PATH}?as_of=8` }), /not of this answer/],
    ['no query', (a) => asked(a, { target: PATH }), /covers @query, which is not there/],
    [
      'another time',
      (a) => withHeader(a, 'signature-input', (v) => v.replace('1767268800', '1767268801')),
      /not of this/,
    ],
    ['another signature', (a) => withHeader(a, 'signature', (v) => v.replace(/:..../, ':AAAA')), /not of/],
    ['no signature', (a) => withHeader(a, 'signature', () => undefined), /not signed: it has no signature/],
    ['no input', (a) => withHeader(a, 'signature-input', () => undefined), /not signed: it has no signature-input/],
    ['another label', (a) => withHeader(a, 'signature', (v) => v.replace('mace', 'them')), /not signed by MACE/],
    ['nonsense', (a) => withHeader(a, 'signature-input', () => 'mace=(('), /not a structured field/],
    ['another algorithm', (a) => withHeader(a, 'signature-input', (v) => v.replace('ed25519', 'hmac')), /alg is not/],
    ['a list that is none', (a) => withHeader(a, 'signature-input', () => 'mace=1'), /lists no components/],
    [
      'less covered',
      (a) => withHeader(a, 'signature-input', (v) => v.replace(' "@path";req', '')),
      /cover "@path";req/,
    ],
    [
      'the query not covered',
      (a) => withHeader(a, 'signature-input', (v) => v.replace(' "@query";req', '')),
      /cover "@query";req/,
    ],
    [
      'a part twice',
      (a) => withHeader(a, 'signature-input', (v) => v.replace('"@status"', '"@status" "@status"')),
      /twice/,
    ],
    [
      'an unknown part',
      (a) => withHeader(a, 'signature-input', (v) => v.replace('"@status"', '"@target-uri"')),
      /@target-uri/,
    ],
    [
      'a part’s key',
      (a) => withHeader(a, 'signature-input', (v) => v.replace('"@status"', '"@status";sf')),
      /cannot be checked/,
    ],
  ];
  it.each(CHANGES)('does not verify with %s', (_, change, reason) => {
    expect(reasonOf(verifyAnswer(change(received()), KEYS))).toMatch(reason);
  });

  it('does not verify where a type was added to what had none', () => {
    const bare = received({ ...PLAIN, contentType: undefined });
    const typed = { ...bare, headers: [...bare.headers, ['content-type', 'text/html']] as const };
    expect(reasonOf(verifyAnswer(typed, KEYS))).toBe('the signature does not cover "content-type"');
  });

  it('does not verify for any request where it was signed for none', () => {
    const answer = received({ ...PLAIN, request: undefined });
    expect(reasonOf(verifyAnswer(answer, KEYS))).toBe('the signature does not cover "@method";req');
  });

  it('that a release before 0.2 gave to a request with a query verifies for its path alone', () => {
    const old = received({ ...PLAIN, request: { method: 'GET', target: PATH } });
    expect(reasonOf(verifyAnswer(old, KEYS))).toBe('verified');
    expect(reasonOf(verifyAnswer(asked(old, { target: `${PATH}?as_of=7` }), KEYS))).toBe(
      'the signature does not cover "@query";req',
    );
  });

  it('verifies beside the signatures of others', () => {
    const answer = withHeader(
      withHeader(received(), 'signature', (v) => `proxy=:AQID:, ${v}`),
      'signature-input',
      (v) => `${v}, proxy=("via");keyid="p"`,
    );
    expect(reasonOf(verifyAnswer(answer, KEYS))).toBe('verified');
  });
});

describe('a signed answer that is given again', () => {
  const nonce = nonceAskedFor(acceptSignature('n-1'))!;
  const put: UnsignedAnswer = { ...PLAIN, nonce, request: { method: 'PUT', target: PATH }, body: '{"success":true}' };
  const captured = received(put);
  const again = (request: Partial<ReceivedAnswer['request']>): string =>
    reasonOf(verifyAnswer(asked(captured, request), KEYS));

  it('is one to the request that it was given to', () => {
    expect(again({ nonce: 'n-1', traceId: 'trace-1' })).toBe('verified');
  });

  it.each<[string, Partial<ReceivedAnswer['request']>, RegExp]>([
    ['another request of this method and target', { nonce: 'n-2' }, /another nonce: it answers another request/],
    ['a request of another trace', { nonce: 'n-1', traceId: 'trace-2' }, /X-Trace-Id is not the one that was sent/],
    ['a request of another method', { nonce: 'n-1', method: 'DELETE' }, /not of this answer/],
    ['a request with a query', { nonce: 'n-1', target: `${PATH}?x=1` }, /does not cover "@query";req/],
  ])('is none to %s', (_, request, reason) => expect(again(request)).toMatch(reason));

  it('is none where it was signed without a nonce, or the nonce was put there afterwards', () => {
    const bare = asked(received({ ...put, nonce: undefined }), { nonce: 'n-1' });
    expect(reasonOf(verifyAnswer(bare, KEYS))).toMatch(/carries no nonce/);
    const forged = withHeader(bare, 'signature-input', (v) => `${v};nonce="n-1"`);
    expect(reasonOf(verifyAnswer(forged, KEYS))).toMatch(/not of this answer/);
  });

  it.each([
    ['too old', 61, 'it is 61 s old, 60 s are allowed'],
    ['as old as may be', 60, 'verified'],
    ['signed as far ahead as clocks may be apart', -CLOCK_SKEW_S, 'verified'],
    ['signed later than that', -CLOCK_SKEW_S - 1, 'it was signed 301 s from now: clocks may be 300 s apart'],
  ])('where it is %s: told by its age', (_, ageS, reason) => {
    const now = Math.floor(NOW / 1000) + ageS;
    expect(reasonOf(verifyAnswer(captured, KEYS, { now, maxAgeS: 60 }))).toBe(reason);
  });

  it('is refused for a key that is not known, not yet valid, valid no more, or without a time', () => {
    const [key] = KEYS as readonly [(typeof KEYS)[number]];
    const created = Math.floor(NOW / 1000);
    const by = (change: object): string => reasonOf(verifyAnswer(captured, [{ ...key, ...change }]));
    expect(verifyAnswer(captured, [])).toEqual({
      verified: false,
      reason: 'its key is not among those given',
      unknownKey: true,
    });
    expect(by({ exp: created })).toBe('verified');
    for (const change of [{ nbf: created + 3 }, { exp: created - 3 }, { nbf: undefined }])
      expect(by(change)).toMatch(/outside the time/);
  });
});

describe('the nonce that a request asks for', () => {
  it.each<[string, string | undefined]>([
    ['mace=();nonce="abc"', 'abc'],
    ['other=("@status");nonce="x", mace=("@status");created;nonce="abc"', 'abc'],
    ['mace=("@status")', undefined],
    ['other=();nonce="x"', undefined],
    ['mace=();nonce=7', undefined],
    ['mace=();nonce=""', undefined],
    ['mace=();nonce="a b"', undefined],
    [`mace=();nonce="${'a'.repeat(129)}"`, undefined],
    [`mace=();nonce="abc"${' '.repeat(1_024)}`, undefined],
    ['mace=((', undefined],
    ['', undefined],
  ])('is taken from %j where it has the allowed form, and else passed over', (header, nonce) => {
    expect(nonceAskedFor(header)).toBe(nonce);
  });
});
