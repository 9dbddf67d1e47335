import { createPrivateKey, createPublicKey } from 'node:crypto';

import { createVerifier, httpbis } from 'http-message-signatures';

import { KeyRing, type RingKey } from '#lib/kernel';

import { fixtureKeyRing, fixtureKeys } from '../fixture-keys.js';
import { drawKeys } from '../key-file.js';
import { responseKeys } from './response-keys.js';
import { ResponseSigner, type UnsignedAnswer } from './response-signer.js';
import { verifyAnswer, type ReceivedAnswer, type Verdict } from './verify-answer.js';

const NOW = Date.parse('2026-01-01T12:00:00.500Z');
const RING = fixtureKeyRing();
const KEYS = responseKeys(RING);
const PLAIN: UnsignedAnswer = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: '{"hello": "world"}\n',
  traceId: 'trace-1',
  request: { method: 'GET', path: '/sem/user/profile/user_tuff/favorite_color' },
};

function received(answer: UnsignedAnswer = PLAIN, now = NOW, ring = RING): ReceivedAnswer {
  const typed = answer.contentType === undefined ? [] : ([['Content-Type', answer.contentType]] as const);
  const signed = Object.entries(new ResponseSigner(ring).headersFor(answer, now));
  return {
    status: answer.status,
    headers: [...typed, ['X-Trace-Id', answer.traceId], ...signed],
    body: Buffer.from(answer.body),
    request: answer.request ?? { method: 'GET', path: '/' },
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
    const headers = new ResponseSigner(RING).headersFor(PLAIN, NOW);
    expect(headers).toMatchObject({
      'content-digest': 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
      'signature-input':
        'mace=("@status" "content-type" "content-digest" "x-trace-id" "@method";req "@path";req);created=1767268800;keyid="response-signature.fixture";alg="ed25519"',
    });
  });

  it.each<[string, UnsignedAnswer]>([
    ['JSON', PLAIN],
    ['an error', { ...PLAIN, status: 400, contentType: 'application/problem+json; charset=utf-8' }],
    ['no content and no type', { ...PLAIN, status: 304, contentType: undefined, body: '' }],
    ['many bytes', { ...PLAIN, body: Buffer.alloc(2_000_000, 'é') }],
    ['a path with escapes', { ...PLAIN, request: { method: 'PUT', path: '/sem/a%2Fb/%C3%A9;x=1,(2)' } }],
  ])('verifies with the library that stands for all others: %s', async (_, answer) => {
    const { status, headers, request } = received(answer);
    const key = RING.active('response-signature');
    const publicKey = createPublicKey(createPrivateKey({ key: key.secret, format: 'der', type: 'pkcs8' }));
    const verdict = await httpbis.verifyMessage(
      {
        keyLookup: ({ keyid }) =>
          Promise.resolve(
            keyid === key.kid ? { id: keyid, algs: ['ed25519'], verify: createVerifier(publicKey, 'ed25519') } : null,
          ),
        requiredFields: ['@status', 'content-digest', 'x-trace-id'],
        requiredParams: ['created', 'keyid'],
        notAfter: new Date(NOW + 1000),
      },
      { status, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) },
      { method: request.method, url: `http://mace.example${request.path}`, headers: {} },
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
    ['another method', (a) => ({ ...a, request: { ...a.request, method: 'PUT' } }), /not of this answer/],
    ['another path', (a) => ({ ...a, request: { ...a.request, path: '/sem' } }), /not of this answer/],
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

  it('verifies beside the signatures of others', () => {
    const answer = withHeader(
      withHeader(received(), 'signature', (v) => `proxy=:AQID:, ${v}`),
      'signature-input',
      (v) => `${v}, proxy=("via");keyid="p"`,
    );
    expect(reasonOf(verifyAnswer(answer, KEYS))).toBe('verified');
  });
});

describe('the keys of answers', () => {
  const SECOND = '2026-06-01T00:00:00.000Z';
  const [old] = fixtureKeys().filter(({ purpose }) => purpose === 'response-signature') as [RingKey];
  const next = drawKeys(Date.parse(SECOND)).find(({ purpose }) => purpose === 'response-signature')!;
  const rotated = new KeyRing([{ ...old, state: 'verify-only', notAfter: SECOND }, next]);

  it('are published without secrets, the retired one with the end of its time', () => {
    const keys = responseKeys(rotated);
    expect(keys.map(({ kid, nbf, exp }) => [kid, nbf, exp])).toEqual([
      [old.kid, 1735689600, 1780272000],
      [next.kid, 1780272000, undefined],
    ]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
    for (const key of keys)
      expect(createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyType).toBe('ed25519');
  });

  it('are those of answers only, and no revoked ones', () => {
    const ring = new KeyRing(fixtureKeys().map((key) => ({ ...key, state: 'revoked' as const })));
    expect(responseKeys(ring)).toEqual([]);
    expect(KEYS.map(({ kid }) => kid)).toEqual(['response-signature.fixture']);
  });

  it('verify after a rotation what was signed before it, and nothing that the old key signed later', () => {
    const keys = responseKeys(rotated);
    expect(verifyAnswer(received(), keys)).toMatchObject({ verified: true, kid: old.kid });
    const july = Date.parse('2026-07-01T00:00:00Z');
    expect(verifyAnswer(received(PLAIN, july, rotated), keys)).toMatchObject({ verified: true, kid: next.kid });
    expect(reasonOf(verifyAnswer(received(PLAIN, july), keys))).toMatch(/outside the time/);
    expect(reasonOf(verifyAnswer(received(PLAIN, NOW, rotated), keys))).toMatch(/outside the time/);
    expect(reasonOf(verifyAnswer(received(PLAIN, july, rotated), KEYS))).toBe('its key is not among those given');
  });
});
