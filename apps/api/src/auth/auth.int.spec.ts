import { generateSync } from 'otplib';

import { fixtureKeyRing, signToken, type Role } from '#lib/access';
import { sha256Hex } from '#lib/kernel';

import { JobApp } from '../../../../test/support/job-app.js';
import { asLocal } from '../edge/local-requests.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown> & { error_code?: string; developer_message?: string };
}

let app: JobApp;
let users = 0;

async function call(
  token: string | undefined,
  method: string,
  url: string,
  body?: unknown,
  more = {},
): Promise<Answer> {
  const { statusCode, headers, payload } = await app.parts.app.fastify.inject({
    method: method as 'GET',
    url,
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more },
    ...(body === undefined ? {} : { payload: body as object }),
  });
  return { status: statusCode, headers, body: JSON.parse(payload) as Answer['body'] };
}

/** As the command line on the folder. */
const local = (url: string, body: unknown): Promise<Answer> => asLocal(() => call(undefined, 'POST', url, body));

function tokenOf(
  userId: string,
  roles: readonly Role[] = ['user'],
  more: { amr?: string[]; ttlSeconds?: number; now?: number } = {},
) {
  return signToken(fixtureKeyRing(), {
    userId,
    roles,
    ttlSeconds: 3600,
    now: Date.now(),
    issuer: 'mace',
    audience: 'mace',
    ...more,
  });
}

const jtiOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { jti: string }).jti;

const isTaken = async (token: string): Promise<boolean> => (await call(token, 'GET', '/jobs')).status === 200;
const stepUp = (token: string, otp: string, headers = {}) => call(token, 'POST', '/auth/step-up', { otp }, headers);

/** A code of the time step `steps` away from now. */
const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
const wrongCode = (secret: string): string => {
  const right = [-2, -1, 0, 1, 2].map((step) => codeAt(secret, step));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code))!;
};

async function enrolled(roles: readonly Role[] = ['user']) {
  const user = `person${++users}`;
  const { body } = await local('/local/otp/enrol', { user_id: user });
  return {
    user,
    id: `user_${user}`,
    token: await tokenOf(user, roles),
    secret: body['secret'] as string,
    uri: body['uri'],
  };
}

describe('tokens and second factors over HTTP', () => {
  beforeAll(async () => {
    app = await JobApp.open();
  });
  afterAll(() => app.dispose());

  describe('revocation', () => {
    test('one’s own token is revoked at once, although it was seen before, and stays so over a restart', async () => {
      const [token, other] = [await tokenOf('ann'), await tokenOf('ann')];
      expect([await isTaken(token), await isTaken(other)]).toEqual([true, true]);
      expect(await call(other, 'POST', '/auth/revoke', { token })).toMatchObject({
        status: 200,
        body: { revoked: true },
      });
      expect([await isTaken(token), await isTaken(other)]).toEqual([false, true]);
      await app.whileClosed(() => undefined);
      expect([await isTaken(token), await isTaken(other)]).toEqual([false, true]);
      expect((await call(token, 'GET', '/jobs')).body).toMatchObject({
        error_code: 'UNAUTHENTICATED',
        developer_message: 'the bearer token is refused: it was revoked',
      });
    });

    test('a token revokes itself by its jti; again is refused as any revoked token is', async () => {
      const token = await tokenOf('ann');
      expect((await call(token, 'POST', '/auth/revoke', { jti: jtiOf(token) })).status).toBe(200);
      expect((await call(token, 'POST', '/auth/revoke', { jti: jtiOf(token) })).status).toBe(401);
    });

    test('a user’s jti reaches the user’s own tokens only', async () => {
      const [own, eves, anns] = [await tokenOf('ann'), await tokenOf('eve'), await tokenOf('ann')];
      expect((await call(own, 'POST', '/auth/revoke', { jti: jtiOf(eves) })).status).toBe(200);
      expect((await call(own, 'POST', '/auth/revoke', { jti: jtiOf(anns) })).status).toBe(200);
      expect([await isTaken(eves), await isTaken(anns), await isTaken(own)]).toEqual([true, false, true]);
    });

    test('another’s token needs an elevated admin, shown or named', async () => {
      const [ann, eve] = [await tokenOf('ann'), await tokenOf('eve')];
      const [admin, elevated] = [await tokenOf('ada', ['admin']), await tokenOf('ada', ['admin'], { amr: ['otp'] })];
      expect((await call(eve, 'POST', '/auth/revoke', { token: ann })).status).toBe(403);
      for (const body of [{ token: ann }, { jti: jtiOf(ann) }]) {
        const { status, headers } = await call(admin, 'POST', '/auth/revoke', body);
        expect([status, headers['www-authenticate']]).toEqual([
          401,
          'Bearer error="insufficient_user_authentication", max_age=300',
        ]);
      }
      expect(await isTaken(ann)).toBe(true);
      expect((await call(elevated, 'POST', '/auth/revoke', { jti: jtiOf(ann) })).status).toBe(200);
      expect(await isTaken(ann)).toBe(false);
      expect((await call(elevated, 'POST', '/auth/revoke', { token: eve })).status).toBe(200);
      expect(await isTaken(eve)).toBe(false);
    });

    test('the log holds the hash of a jti, and neither it nor the token', async () => {
      const token = await tokenOf('ann');
      await call(token, 'POST', '/auth/revoke', { token });
      const texts = (await app.texts()).join('\n');
      expect(texts).not.toContain(jtiOf(token));
      expect(texts).not.toContain(token.split('.')[2]);
    });

    test.each([[{}], [{ token: 'x', jti: 'y' }], [{ token: 'a.b.c' }], [{ jti: 7 }]])(
      '%j is no order to revoke anything',
      async (body) => {
        const { status, body: answer } = await call(await tokenOf('ann'), 'POST', '/auth/revoke', body);
        expect([status, answer.error_code]).toEqual([400, 'INVALID_INPUT']);
      },
    );

    test('a jti that holds personal data is none, and its hash reaches no event', async () => {
      const jti = 'quentin.roe@pennyfarthing-cycles.org';
      const { status, body } = await call(await tokenOf('ann'), 'POST', '/auth/revoke', { jti });
      expect([status, body.error_code]).toEqual([403, 'PRIVACY_BLOCKED']);
      expect((await app.texts()).join('\n')).not.toContain(sha256Hex(jti));
    });

    test('a removed person’s tokens are void, those seen before too; a later one brings the person back', async () => {
      const earlier = await tokenOf('gone', ['user'], { now: Date.now() - 2000 });
      expect(await isTaken(earlier)).toBe(true);
      expect((await local('/local/principals/remove', { user_id: 'gone' })).status).toBe(200);
      expect(await isTaken(earlier)).toBe(false);
      await app.whileClosed(() => undefined);
      expect(await isTaken(earlier)).toBe(false);
      expect(await isTaken(await tokenOf('gone', ['user'], { now: Date.now() + 1500 }))).toBe(true);
    });

    test('nobody removes a person or enrols another over the network', async () => {
      const token = await tokenOf('root', ['superadmin'], { amr: ['otp'] });
      for (const path of ['/local/principals/remove', '/local/otp/enrol']) {
        expect((await call(token, 'POST', path, { user_id: 'ann' })).status).toBe(403);
      }
    });
  });

  describe('one-time codes', () => {
    afterEach(() => void jest.restoreAllMocks());
    /** However long the machine takes, the code of a step stays that. */
    const clockStands = (): void => void jest.spyOn(Date, 'now').mockReturnValue(Date.now());

    test('an enrolment is a secret of 160 bits in Base32 and the URI for an authenticator', async () => {
      const { secret, uri, id } = await enrolled();
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(uri).toBe(`otpauth://totp/MACE:${id}?secret=${secret}&issuer=MACE`);
    });

    test('a code trades a token for an elevated one that does what needs a second factor', async () => {
      const { token, secret } = await enrolled(['admin']);
      const put = (by: string) => call(by, 'PUT', '/sem/world/fact/pi/value', { value: 3 });
      expect(await put(token)).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer error="insufficient_user_authentication", max_age=300' },
      });
      const { status, body } = await stepUp(token, codeAt(secret));
      expect([status, body]).toEqual([200, { access_token: expect.any(String), expires_in: 300 }]);
      expect((await put(body['access_token'] as string)).status).toBe(200);
    });

    test('an elevated token does not outlive the one it was traded for, and is revoked with it', async () => {
      const { user, secret } = await enrolled();
      const token = await tokenOf(user, ['user'], { ttlSeconds: 100 });
      const { body } = await stepUp(token, codeAt(secret));
      expect(body['expires_in']).toBeLessThanOrEqual(100);
      const elevated = body['access_token'] as string;
      expect(await isTaken(elevated)).toBe(true);
      expect((await call(token, 'POST', '/auth/revoke', { token })).status).toBe(200);
      expect(await isTaken(elevated)).toBe(false);
    });

    test('a code works once: not twice in a row, not twice at once, not after a restart, not under one Idempotency-Key', async () => {
      const { token, secret } = await enrolled();
      const code = codeAt(secret);
      const keyed = { 'idempotency-key': 'once' };
      const race = await Promise.all(Array.from({ length: 5 }, () => stepUp(token, code, keyed)));
      expect(race.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
      await app.whileClosed(() => undefined);
      expect((await stepUp(token, code)).status).toBe(401);
      expect((await stepUp(token, code, keyed)).status).toBe(401);
    });

    test('codes of the step before and after are taken, of two steps away not', async () => {
      clockStands();
      for (const [steps, status] of [
        [-1, 200],
        [1, 200],
        [-3, 401],
        [3, 401],
      ] as const) {
        const { token, secret } = await enrolled();
        expect([steps, (await stepUp(token, codeAt(secret, steps))).status]).toEqual([steps, status]);
      }
    });

    test('wrong, used and not enrolled are one answer', async () => {
      const { token, secret } = await enrolled();
      const code = codeAt(secret);
      await stepUp(token, code);
      const answers = [
        await stepUp(token, code),
        await stepUp(token, wrongCode(secret)),
        await stepUp(await tokenOf('nobody'), code),
      ].map(({ status, body }) => [status, body.error_code, body.developer_message]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]![0]).toBe(401);
    });

    test('five wrong codes, those given to the command line included, lock for fifteen minutes, over a restart', async () => {
      clockStands();
      const { user, id, token, secret } = await enrolled();
      const keyed = { 'idempotency-key': 'guess' };
      for (let i = 0; i < 3; i++) expect((await stepUp(token, wrongCode(secret), keyed)).status).toBe(401);
      for (let i = 0; i < 2; i++) {
        expect((await local('/local/otp/verify', { user_id: user, otp: wrongCode(secret) })).status).toBe(401);
      }
      await app.whileClosed(() => undefined);
      for (const answer of [
        await stepUp(token, codeAt(secret)),
        await local('/local/otp/verify', { user_id: user, otp: codeAt(secret) }),
      ]) {
        expect([answer.status, answer.body.error_code]).toEqual([429, 'RATE_LIMITED']);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(880);
        expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900);
      }
      const types = (await app.stream(`principal-${id}`)).map(({ type }) => type);
      expect(types.filter((type) => type === 'OTP_REFUSED')).toHaveLength(5);
      expect(types.at(-1)).toBe('OTP_LOCKED');
      expect(await isTaken(token)).toBe(true);
    });

    test('enrolment anew over the network needs an elevated token, and voids the codes of the secret before', async () => {
      const { user, token, secret } = await enrolled();
      expect(await call(token, 'POST', '/auth/otp/enrol', {})).toMatchObject({
        status: 401,
        body: { developer_message: expect.stringContaining('the first time `invitation`') as string },
      });
      const elevated = await tokenOf(user, ['user'], { amr: ['otp'] });
      const { status, body } = await call(elevated, 'POST', '/auth/otp/enrol');
      expect(status).toBe(200);
      expect((await stepUp(token, codeAt(secret))).status).toBe(401);
      expect((await stepUp(token, codeAt(body['secret'] as string))).status).toBe(200);
    });

    test('who has none enrols by an admin’s invitation, once and with their own token; only its hash is on record', async () => {
      const user = `invited${++users}`;
      const [token, other] = [await tokenOf(user), await tokenOf(`invited${++users}`)];
      const admin = await tokenOf('ada', ['admin'], { amr: ['otp'] });
      const invite = (by: string) => call(by, 'POST', '/auth/otp/invite', { user_id: user });
      const enrol = (by: string, invitation: string) => call(by, 'POST', '/auth/otp/enrol', { invitation });
      expect((await invite(token)).status).toBe(403);
      expect((await invite(await tokenOf('ada', ['admin']))).status).toBe(401);
      const voided = (await invite(admin)).body['invitation'] as string;
      const { status, body } = await invite(admin);
      const invitation = body['invitation'] as string;
      expect([status, body]).toEqual([200, { user_id: `user_${user}`, invitation, expires_at: expect.any(String) }]);
      expect(Date.parse(body['expires_at'] as string) - Date.now()).toBeLessThanOrEqual(900_000);
      expect((await app.texts()).join('')).not.toContain(invitation);

      expect((await enrol(token, 'guessed')).body.error_code).toBe('INVALID_INPUT');
      for (const [by, code] of [
        [token, voided],
        [other, invitation],
      ] as const) {
        expect((await enrol(by, code)).body.error_code).toBe('UNAUTHENTICATED');
      }
      const enrolled = await enrol(token, invitation);
      expect(enrolled.status).toBe(200);
      expect((await enrol(token, invitation)).body.error_code).toBe('UNAUTHENTICATED');
      expect((await stepUp(token, codeAt(enrolled.body['secret'] as string))).status).toBe(200);
      expect((await invite(admin)).body.error_code).toBe('CONFLICT');
    });

    test('five wrong invitation codes lock, and nothing is looked at then', async () => {
      const user = `invited${++users}`;
      const token = await tokenOf(user);
      const admin = await tokenOf('ada', ['admin'], { amr: ['otp'] });
      const { body } = await call(admin, 'POST', '/auth/otp/invite', { user_id: user });
      const wrong = '0'.repeat(32).match(/.{8}/g)!.join('-');
      const enrol = (invitation: unknown) => call(token, 'POST', '/auth/otp/enrol', { invitation });
      for (let i = 0; i < 5; i++) expect((await enrol(wrong)).status).toBe(401);
      expect((await enrol(body['invitation'])).status).toBe(429);
      const types = (await app.stream(`principal-user_${user}`)).map(({ type }) => type);
      expect(types.filter((type) => type === 'OTP_REFUSED')).toHaveLength(5);
      expect(types.at(-1)).toBe('OTP_LOCKED');
    });

    test('a secret stands in no event but encrypted under its person’s key, and the codes nowhere', async () => {
      const { token, secret } = await enrolled();
      const code = codeAt(secret);
      await stepUp(token, code);
      const texts = await app.texts();
      expect(texts.join('\n')).not.toContain(secret);
      const enrolments = texts.filter((text) => text.includes('"type":"OTP_ENROLLED"'));
      expect(enrolments.length).toBeGreaterThan(0);
      for (const text of enrolments) expect(text).toContain('"secret":{"$enc"');
    });

    test.each(['12345', '1234567', 'abcdef', '１２３４５６', ' 12345'])(
      '"%s" is no code, and counts for nothing',
      async (otp) => {
        const { token, id } = await enrolled();
        expect((await stepUp(token, otp)).status).toBe(400);
        expect((await app.stream(`principal-${id}`)).map(({ type }) => type)).not.toContain('OTP_REFUSED');
      },
    );
  });
});
