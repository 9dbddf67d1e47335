import { createPrivateKey, generateKeyPairSync, sign as cryptoSign } from 'node:crypto';

import { KeyRing, MaceError, type RingKey } from '#lib/kernel';

import { fixtureKeyRing, fixtureKeys } from './fixture-keys.js';
import { isElevated, MAX_TTL_S, signToken, TokenVerifier, type TokenOrder } from './tokens.js';

const NOW = Date.UTC(2026, 0, 1);
const NAMES = { issuer: 'mace', audience: 'mace' };
const ring = fixtureKeyRing();

const order = (more: Partial<TokenOrder> = {}): TokenOrder => ({
  userId: 'tuff',
  roles: ['user'],
  ttlSeconds: 60,
  now: NOW,
  ...NAMES,
  ...more,
});
const verifier = () => new TokenVerifier(ring, NAMES);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function refusal(token: string, now = NOW): Promise<string> {
  try {
    await verifier().verify(token, now);
    return 'accepted';
  } catch (error) {
    return error instanceof MaceError ? `${error.code}: ${error.developerMessage}` : String(error);
  }
}

/** A token of any header and claims, signed with any key. */
function forged(header: object, claims: object, key = generateKeyPairSync('ed25519').privateKey): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${cryptoSign(null, Buffer.from(text), key).toString('base64url')}`;
}

const CLAIMS = {
  sub: 'tuff',
  roles: ['superadmin'],
  iss: 'mace',
  aud: 'mace',
  jti: 'j',
  iat: NOW / 1000,
  exp: NOW / 1000 + 60,
};
const KID = 'token-signature.fixture';

describe('access tokens', () => {
  test('a signed token says who, in which roles, until when', async () => {
    const claims = await verifier().verify(await signToken(ring, order({ roles: ['user', 'auditor'] })), NOW);
    expect(claims).toMatchObject({ userId: 'tuff', roles: ['user', 'auditor'], expiresAt: NOW / 1000 + 60 });
    expect(isElevated(claims, NOW)).toBe(false);
  });

  test('a second factor counts for 300 seconds', async () => {
    const claims = await verifier().verify(await signToken(ring, order({ amr: ['otp'], ttlSeconds: 3600 })), NOW);
    expect(isElevated(claims, NOW + 300_000)).toBe(true);
    expect(isElevated(claims, NOW + 301_000)).toBe(false);
  });

  test('what is in a token does not decide how it is verified', async () => {
    const unsigned = `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`;
    expect(await refusal(unsigned)).toMatch(/^UNAUTHENTICATED/);
    expect(await refusal(forged({ alg: 'none', kid: KID }, CLAIMS))).toMatch(/algorithm is not EdDSA/);
    expect(await refusal(forged({ alg: 'HS256', kid: KID }, CLAIMS))).toMatch(/algorithm is not EdDSA/);
  });

  test('another key, even under the kid of ours, is refused', async () => {
    expect(await refusal(forged({ alg: 'EdDSA', kid: KID }, CLAIMS))).toMatch(/signature does not verify/);
    expect(await refusal(forged({ alg: 'EdDSA', kid: 'mine' }, CLAIMS))).toMatch(/not one of ours/);
    expect(await refusal(forged({ alg: 'EdDSA' }, CLAIMS))).toMatch(/not one of ours/);
    expect(await refusal(forged({ alg: 'EdDSA', kid: 'event-hmac.fixture' }, CLAIMS))).toMatch(/not one of ours/);
  });

  test('it is valid from its beginning to its end, two seconds of a wrong clock included', async () => {
    const token = await signToken(ring, order());
    expect(await refusal(token, NOW + 61_000)).toBe('accepted');
    expect(await refusal(token, NOW + 63_000)).toMatch(/it has expired/);
    expect(await refusal(token, NOW - 1_000)).toBe('accepted');
    expect(await refusal(token, NOW - 3_000)).toMatch(/"nbf" is not acceptable/);
  });

  test('a token seen before is not taken after its end', async () => {
    const known = verifier();
    const token = await signToken(ring, order());
    expect(known.seen(token, NOW)).toBeUndefined();
    const claims = await known.verify(token, NOW);
    expect(known.seen(token, NOW)).toBeUndefined();
    known.remember(token, claims, NOW);
    expect(known.seen(token, NOW + 61_000)).toBe(claims);
    expect(known.seen(token, NOW + 62_000)).toBeUndefined();
    known.forgetAll();
    expect(known.seen(token, NOW)).toBeUndefined();
  });

  test('where tokens come from an issuer, one of ours is refused, but for what a step-up traded', async () => {
    const strict = new TokenVerifier(ring, NAMES, undefined, false);
    await expect(strict.verify(await signToken(ring, order()), NOW)).rejects.toThrow(/tokens come from the issuer/);
    const source = { jti: 'theirs', issuedAt: NOW - 30_000 };
    const traded = await strict.verify(await signToken(ring, order({ source })), NOW);
    expect(traded).toMatchObject({ userId: 'tuff', sourceJti: 'theirs', issuedAt: NOW - 30_000 });
  });

  describe('with a key that was rotated away', () => {
    const END = NOW - 60_000;
    /** The fixtures, but that token's key signed up to END. */
    const rotated = new KeyRing(
      fixtureKeys().map((key): RingKey =>
        key.purpose === 'token-signature'
          ? { ...key, state: 'verify-only', notAfter: new Date(END).toISOString() }
          : key,
      ),
    );
    const verdictOf = async (token: string, takesOwn = true): Promise<string> =>
      new TokenVerifier(rotated, NAMES, undefined, takesOwn).verify(token, NOW).then(
        () => 'accepted',
        (error: MaceError) => error.developerMessage,
      );
    const KEY = fixtureKeys().find(({ kid }) => kid === KID)!;
    const made = (claims: object): string =>
      forged(
        { alg: 'EdDSA', kid: KID },
        { ...CLAIMS, ...claims },
        createPrivateKey({ key: KEY.secret, format: 'der', type: 'pkcs8' }),
      );

    test('what was issued in its time is taken to its end', async () => {
      expect(await verdictOf(await signToken(ring, order({ now: END - 1_000, ttlSeconds: 600 })))).toBe('accepted');
      expect(await verdictOf(await signToken(ring, order({ now: END + 2_000, ttlSeconds: 600 })))).toBe('accepted');
    });

    test('no token is made that is newer, or shows a newer second factor, or does not end', async () => {
      const [iat, exp] = [END / 1000 - 1, NOW / 1000 + 60];
      expect(await verdictOf(await signToken(ring, order()))).toMatch(/signs no more since before it was issued/);
      expect(await verdictOf(made({ iat, exp }))).toBe('accepted');
      expect(await verdictOf(made({ iat, exp, amr: ['otp'], auth_time: NOW / 1000 }))).toMatch(/signs no more/);
      expect(await verdictOf(made({ iat, exp: iat + MAX_TTL_S + 1 }))).toMatch(/lasts longer than/);
    });

    test.each([
      ['absent', undefined],
      ['unreadable', 'some day'],
    ])('nothing that it signed is taken where its end is %s', async (_, notAfter) => {
      const endless = new KeyRing(
        fixtureKeys().map((key): RingKey => {
          if (key.purpose !== 'token-signature') return key;
          const { notAfter: __, ...rest } = key;
          return { ...rest, state: 'verify-only', ...(notAfter === undefined ? {} : { notAfter }) };
        }),
      );
      const token = await signToken(ring, order());
      const verified = new TokenVerifier(endless, NAMES).verify(token, NOW);
      await expect(verified).rejects.toThrow(/signs no more since before it was issued/);
    });

    test('nor is one that says it was traded for one of an issuer', async () => {
      const traded = { source: { jti: 'theirs', issuedAt: END - 1_000 }, amr: ['otp'] };
      expect(await verdictOf(await signToken(ring, order({ ...traded })), false)).toMatch(/signs no more/);
      const lasting = order({ ...traded, now: END - 1_000, ttlSeconds: 301 });
      expect(await verdictOf(await signToken(ring, lasting), false)).toMatch(/lasts longer than 300 seconds/);
    });
  });

  test.each([
    ['issuer', { issuer: 'other' }, /"iss"/],
    ['audience', { audience: 'other' }, /"aud"/],
  ])('another %s is refused', async (_, more, reason) => {
    expect(await refusal(await signToken(ring, order(more)))).toMatch(reason);
  });

  test.each([
    ['an unknown role', { roles: ['root' as never] }],
    ['no role', { roles: [] }],
    ['no person', { userId: '' }],
  ])('%s is refused', async (_, more) => {
    expect(await refusal(await signToken(ring, order(more)))).toMatch(/^UNAUTHENTICATED/);
  });

  test.each(['', 'x', 'a.b.c', `${'x'.repeat(5000)}.y.z`])(
    'what is no token is refused without repeating it',
    async (text) => {
      const answer = await refusal(text);
      expect(answer).toMatch(/^UNAUTHENTICATED/);
      if (text.length > 3) expect(answer).not.toContain(text);
    },
  );
});
