import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';

import { MaceError } from '#lib/kernel';

import { fixtureKeyRing } from './fixture-keys.js';
import { IssuerKeys, ISSUER_KEYS_MS } from './issuer-keys.js';
import { isElevated, signToken, TokenVerifier } from './tokens.js';

const NAMES = { issuer: 'https://issuer.test', audience: 'mace' };

interface IssuerKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function drawKey(kid: string, alg: string): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** An OIDC issuer on a real port: gives its keys, rotates them, and misbehaves on demand. */
class Issuer {
  asked = 0;
  keys: IssuerKey[] = [];
  /** What it does instead of giving its keys. */
  fault: ((response: ServerResponse) => void) | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Issuer> {
    const server = createServer((_, response) => issuer.answer(response));
    const issuer = new Issuer(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return issuer;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.server.address() as AddressInfo).port}/keys`);
  }

  async rotate(kid: string, alg = 'ES256'): Promise<void> {
    this.keys = [await drawKey(kid, alg)];
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((done) => void this.server.close(() => done()));
  }

  private answer(response: ServerResponse): void {
    this.asked += 1;
    if (this.fault) return this.fault(response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: this.keys.map(({ jwk }) => jwk) }));
  }
}

function sign(
  key: IssuerKey,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1000);
  return new SignJWT({ roles: ['user'], jti: `j-${iat}`, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .setSubject('tuff')
    .setIssuer((claims['iss'] as string | undefined) ?? NAMES.issuer)
    .setAudience((claims['aud'] as string | undefined) ?? NAMES.audience)
    .setIssuedAt((claims['iat'] as number | undefined) ?? iat)
    .setExpirationTime((claims['exp'] as number | undefined) ?? iat + 60)
    .sign(key.privateKey);
}

describe('tokens of an issuer', () => {
  let issuer: Issuer;
  let clock: number;
  let verifier: TokenVerifier;

  beforeEach(async () => {
    issuer = await Issuer.start();
    await issuer.rotate('k1');
    clock = 0;
    verifier = new TokenVerifier(fixtureKeyRing(), NAMES, new IssuerKeys(issuer.url, () => clock));
  });
  afterEach(() => issuer.stop());

  async function outcome(token: string, now = Date.now()): Promise<string> {
    try {
      return (await verifier.verify(token, now)).userId;
    } catch (error) {
      if (error instanceof MaceError) return `${error.code}: ${error.developerMessage}`;
      throw error;
    }
  }

  test.each(['ES256', 'RS256', 'PS256', 'EdDSA'])(
    'signed with %s by its key are taken, and its keys are asked for once',
    async (alg) => {
      await issuer.rotate('k1', alg);
      for (let i = 0; i < 5; i++) expect(await outcome(await sign(issuer.keys[0]!, { jti: `${i}` }))).toBe('tuff');
      expect(issuer.asked).toBe(1);
    },
  );

  test('of a key that was rotated in are taken at once, of one rotated out no more', async () => {
    const old = issuer.keys[0]!;
    expect(await outcome(await sign(old))).toBe('tuff');
    await issuer.rotate('k2');
    expect(await outcome(await sign(issuer.keys[0]!))).toBe('tuff');
    expect(await outcome(await sign(old))).toMatch(/^UNAUTHENTICATED: .*its key is not one of the issuer’s/);
  });

  test('with invented keys make the issuer be asked three times, and then once in ten seconds', async () => {
    await outcome(await sign(issuer.keys[0]!));
    const stranger = await drawKey('invented', 'ES256');
    for (let i = 0; i < 20; i++)
      expect(await outcome(await sign({ ...stranger, kid: `k-${i}` }))).toMatch(/^UNAUTHENTICATED/);
    expect(issuer.asked).toBe(3);
    clock += 10_000;
    for (let i = 0; i < 20; i++) await outcome(await sign(stranger));
    expect(issuer.asked).toBe(4);
    expect(await outcome(await sign(issuer.keys[0]!))).toBe('tuff');
  });

  test('signed by others are refused: another key under its kid, a secret made of its public key, none at all', async () => {
    const [own] = issuer.keys;
    const other = await drawKey('k1', 'ES256');
    expect(await outcome(await sign(other))).toMatch(/UNAUTHENTICATED: .*signature does not verify/);
    const secret = new TextEncoder().encode(JSON.stringify(own!.jwk));
    const confused = await new SignJWT({ roles: ['superadmin'] })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(secret);
    expect(await outcome(confused)).toMatch(/UNAUTHENTICATED: .*its algorithm is not RS256/);
    const [, body] = (await sign(own!)).split('.');
    const none = `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${body}.`;
    expect(await outcome(none)).toMatch(/^UNAUTHENTICATED/);
  });

  test('are held to issuer, audience, times, jti and roles', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const claims of [
      { iss: 'https://other.test' },
      { aud: 'other' },
      { iat: now - 100, exp: now - 3 },
      { iat: now + 10, exp: now + 60 },
      { nbf: now + 10 },
      { exp: 1e13 },
      { exp: 1e300 },
      { jti: undefined },
      { roles: undefined },
      { roles: ['root'] },
    ]) {
      expect([
        claims,
        await outcome(await sign(issuer.keys[0]!, { iat: now, exp: now + 60, ...claims }), now * 1000),
      ]).toEqual([claims, expect.stringMatching(/^UNAUTHENTICATED/)]);
    }
    expect(await outcome(await sign(issuer.keys[0]!, { iat: now - 100, exp: now - 1 }), now * 1000)).toBe('tuff');
  });

  test.each([
    ['otp', 10, true],
    ['mfa', 10, true],
    ['hwk', 299, true],
    ['otp', 310, false],
    ['pwd', 10, false],
  ])('that name %s %d s ago: elevated is %s', async (method, age, elevated) => {
    const now = Date.now();
    const claims = { amr: ['pwd', method], auth_time: Math.floor(now / 1000) - age };
    expect(isElevated(await verifier.verify(await sign(issuer.keys[0]!, claims), now), now)).toBe(elevated);
  });

  test('are the only ones: of ours none but what a step-up traded for one of them, whose claim of that counts from nobody else', async () => {
    const order = { userId: 'tuff', roles: ['user'] as const, ttlSeconds: 60, now: Date.now(), ...NAMES };
    expect(await outcome(await signToken(fixtureKeyRing(), order))).toMatch(/tokens come from the issuer/);
    const source = { jti: 'theirs', issuedAt: order.now };
    expect(await outcome(await signToken(fixtureKeyRing(), { ...order, source }))).toBe('tuff');
    const iat = Math.floor(Date.now() / 1000);
    const claims = { source_jti: 'x', source_iat: iat + 100, iat };
    const claimed = await verifier.verify(await sign(issuer.keys[0]!, claims), Date.now());
    expect(claimed.sourceJti).toBeUndefined();
    // Its clock may be ahead of ours by as much as is borne with.
    expect(claimed.issuedAt).toBe((iat - 2) * 1000);
  });

  test('are remembered no longer than the issuer’s keys are believed', async () => {
    const token = await sign(issuer.keys[0]!, { exp: Math.floor(Date.now() / 1000) + 7200 });
    const now = Date.now();
    verifier.remember(token, await verifier.verify(token, now), now);
    expect(verifier.seen(token, now + ISSUER_KEYS_MS - 1)).toBeDefined();
    expect(verifier.seen(token, now + ISSUER_KEYS_MS)).toBeUndefined();
  });

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['answers with an error', (response) => void response.writeHead(500).end('secret text'), /status 500/],
    [
      'sends one elsewhere',
      (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      /status 302/,
    ],
    ['answers with a page', (response) => void response.end('<html>secret text</html>'), /no key set/],
    ['answers with something else', (response) => void response.end('{"keys":"secret text"}'), /no key set/],
    ['answers without end', (response) => void response.end('x'.repeat(300_000)), /over 262144 bytes/],
    ['hangs up', (response) => void response.socket?.destroy(), /MACE_JWKS_URL/],
    ['says nothing', () => undefined, /no answer within 3000 ms/],
    ['stops in the middle', (response) => void response.write('{"keys":['), /no answer within 3000 ms/],
  ])('are refused clearly while the issuer %s, and taken when it is back', async (_, fault, reason) => {
    const token = await sign(issuer.keys[0]!);
    issuer.fault = fault;
    const refusal = await outcome(token);
    expect(refusal).toMatch(/^DATA_UNAVAILABLE: the issuer does not give its keys/);
    expect(refusal).toMatch(reason);
    expect(refusal).not.toContain('secret text');
    issuer.fault = undefined;
    expect(await outcome(token)).toBe('tuff');
  });

  test('are refused clearly while nobody listens, at the cost of three looks in ten seconds', async () => {
    const token = await sign(issuer.keys[0]!);
    issuer.fault = (response) => void response.socket?.destroy();
    for (let i = 0; i < 10; i++) expect(await outcome(token)).toMatch(/^DATA_UNAVAILABLE/);
    expect(issuer.asked).toBe(3);
    await issuer.stop();
    clock += 10_000;
    expect(await outcome(token)).toMatch(/^DATA_UNAVAILABLE: .*ECONNREFUSED/);
  });

  test('whose key is known are taken although the issuer is down', async () => {
    expect(await outcome(await sign(issuer.keys[0]!, { jti: '1' }))).toBe('tuff');
    issuer.fault = (response) => void response.writeHead(503).end();
    expect(await outcome(await sign(issuer.keys[0]!, { jti: '2' }))).toBe('tuff');
  });
});
