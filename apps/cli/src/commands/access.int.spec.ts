import { generateSync } from 'otplib';
import { mace as runMace } from '../testing/mace.js';
import { ServedFolder } from '../testing/served-folder.js';

let served: ServedFolder;
beforeAll(async () => {
  served = await ServedFolder.open('access');
});
afterAll(() => served.close());

const mace = (...args: string[]) => runMace('--data', served.path, ...args);

const token = (user: string, ...more: string[]) => mace('token', '--user', user, '--role', 'admin,user', ...more);

interface Asked {
  readonly bearer: string;
  readonly url: string;
  readonly put?: object;
}

/** Statuses of requests. */
async function statuses(...asked: readonly Asked[]): Promise<number[]> {
  const found: number[] = [];
  for (const { bearer, url, put } of asked) {
    const headers = { authorization: `Bearer ${bearer}` };
    const request = {
      method: put ? ('PUT' as const) : ('GET' as const),
      url,
      headers,
      ...(put ? { payload: put } : {}),
    };
    found.push((await served.fastify.inject(request)).statusCode);
  }
  return found;
}

const PUT_WORLD = { url: '/sem/world/fact/pi/value', put: { value: 3 } };

/** Enrols a person, and makes codes of what is shown. */
async function enrolled(user: string): Promise<(steps?: number) => string> {
  const { code, out } = await mace('otp', 'enrol', '--user', user, '--json');
  expect(code).toBe(0);
  const { secret, uri } = JSON.parse(out) as Record<string, string>;
  expect(uri).toBe(`otpauth://totp/MACE:user_${user}?secret=${secret}&issuer=MACE`);
  return (steps = 0) => generateSync({ secret: secret!, epoch: Math.floor(Date.now() / 1000) + 30 * steps });
}

describe('tokens and one-time codes on the command line', () => {
  afterEach(() => {
    delete process.env['MACE_MODE'];
    delete process.env['MACE_KEYS_FILE'];
    delete process.env['MACE_JWKS_URL'];
  });

  it('a token with a code is elevated, one without is not, and a code makes one token', async () => {
    const code = (await enrolled('alice'))();
    const plain = await token('alice');
    const elevated = await token('alice', '--otp', code);
    const puts = [plain, elevated].map(({ out }) => ({ bearer: out, ...PUT_WORLD }));
    expect(await statuses(...puts)).toEqual([401, 200]);
    const again = await token('alice', '--otp', code);
    expect([again.code, again.out]).toEqual([77, '']);
    expect(again.err).toContain('UNAUTHENTICATED');
  });

  it('five wrong codes lock, and the sixth is told when to come again', async () => {
    const right = await enrolled('bob');
    const wrong = ['111111', '222222', '333333', '444444'].find(
      (code) => ![-1, 0, 1].map((n) => right(n)).includes(code),
    )!;
    for (let i = 0; i < 5; i++) expect((await token('bob', '--otp', wrong)).code).toBe(77);
    const locked = await token('bob', '--otp', right());
    expect(locked.out).toBe('');
    expect(locked.err).toMatch(/RATE_LIMITED: otp: too many wrong codes.*again in (?:8\d\d|900) s/);
  });

  it('a token is revoked by itself, by its jti, or with all that its holder has', async () => {
    const [first, second, third] = [(await token('carol')).out, (await token('carol')).out, (await token('carol')).out];
    const { jti } = JSON.parse(Buffer.from(second.split('.')[1]!, 'base64url').toString()) as { jti: string };
    const look = () => statuses(...[first, second, third].map((bearer) => ({ bearer, url: '/jobs' })));
    expect((await mace('token', 'revoke', first)).out).toBe('revoked');
    expect(await look()).toEqual([401, 200, 200]);
    expect((await mace('token', 'revoke', jti, '--json')).out).toContain('"revoked": true');
    expect(await look()).toEqual([401, 401, 200]);
    expect(await mace('token', 'revoke', '--user', 'carol')).toMatchObject({
      code: 0,
      out: 'every token that user_carol has by now is revoked',
    });
    expect(await look()).toEqual([401, 401, 401]);
  });

  it('a rehearsal shows neither a token nor a code', async () => {
    const { out } = await token('dave');
    expect((await mace('token', 'revoke', out, '--dry-run')).out).toBe(
      'would send POST /auth/revoke {"token":"(the token)"}',
    );
    expect((await token('dave', '--otp', '123456', '--dry-run')).out).not.toContain('123456');
    expect((await mace('otp', 'enrol', '--user', 'dave', '--dry-run')).out).toBe(
      'would send POST /local/otp/enrol {"user_id":"dave"}',
    );
  });

  it.each([
    ['no person', ['token', '--role', 'user'], '--user'],
    ['no role', ['token', '--user', 'x'], '--role'],
    ['a code that is none', ['token', '--user', 'x', '--role', 'user', '--otp', '12a456'], '--otp: six digits'],
    ['nothing to revoke', ['token', 'revoke'], 'name a token'],
    ['two things to revoke', ['token', 'revoke', 'abc', '--user', 'x'], 'name a token'],
  ])('%s is a usage error', async (_, args, message) => {
    const { code, out, err } = await mace(...args);
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(message);
  });

  it.each([
    ['in production', { MACE_MODE: 'production', MACE_KEYS_FILE: 'ring.json' }],
    ['where an issuer is named', { MACE_JWKS_URL: 'https://issuer.test/keys' }],
  ])('%s no tokens and no secrets are made', async (_, env) => {
    Object.assign(process.env, env);
    expect(await mace('console')).toMatchObject({
      code: 77,
      out: '',
      err: expect.stringContaining('people sign in by the issuer that MACE_OIDC_ISSUER names'),
    });
    for (const args of [
      ['token', '--user', 'x', '--role', 'user'],
      ['otp', 'enrol', '--user', 'x'],
    ]) {
      const { code, out, err } = await mace(...args);
      expect([code, out]).toEqual([77, '']);
      expect(err).toContain('come from it');
    }
  });
});
