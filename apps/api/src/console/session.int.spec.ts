import { generateSync } from 'otplib';

import { fixtureKeyRing, type Role, signToken } from '#lib/access';

import { JobApp } from '../../../../test/support/job-app.js';
import { asLocal } from '../edge/local-requests.js';

/** The session of a browser, by what a browser sends and what a page of another origin could make it send. */

let app: JobApp;

interface Given {
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

async function call(method: string, url: string, { headers = {}, body }: Given = {}) {
  const given = { method: method as 'GET', url, headers, ...(body === undefined ? {} : { payload: body }) };
  const answer = await app.parts.app.fastify.inject(given);
  const isJson = String(answer.headers['content-type']).includes('json');
  const json = (isJson ? JSON.parse(answer.payload) : {}) as Record<string, unknown>;
  return { status: answer.statusCode, headers: answer.headers, json, text: answer.payload };
}

const local = (url: string, body: object) => asLocal(() => call('POST', url, { body }));
const names = { issuer: 'mace', audience: 'mace' };
const tokenOf = (userId: string, roles: readonly Role[] = ['user'], ttlSeconds = 3600) =>
  signToken(fixtureKeyRing(), { ...names, userId, roles, ttlSeconds, now: Date.now() });

const codeOf = async (token: string): Promise<string> =>
  (await local('/local/sign-in-links', { token })).json['code'] as string;

/** Name and value of each cookie that an answer sets; an empty one is taken away. */
function cookiesOf({ headers }: Awaited<ReturnType<typeof call>>): Record<string, string> {
  const set = [headers['set-cookie'] ?? []].flat();
  return Object.fromEntries(set.map((cookie) => cookie.split(';')[0]!.split('=') as [string, string]));
}

/** As the console's page sends it. */
const OWN = { 'x-mace-console': '1', 'sec-fetch-site': 'same-origin' };
const withCookies = (cookies: Record<string, string>, more: Record<string, string> = OWN) => ({
  ...more,
  cookie: Object.entries(cookies)
    .map((pair) => pair.join('='))
    .join('; '),
});

async function signedIn(user: string, roles: readonly Role[] = ['user']): Promise<Record<string, string>> {
  const code = await codeOf(await tokenOf(user, roles));
  return cookiesOf(await call('POST', '/console/session', { headers: OWN, body: { code } }));
}

const isOpen = async (headers: Record<string, string>) => (await call('GET', '/auth/session', { headers })).status;

describe('the session of the console', () => {
  beforeAll(async () => {
    app = await JobApp.open();
  });
  afterAll(() => app.dispose());

  it('begins by a link that works once, and is whoever the link was printed for', async () => {
    const code = await codeOf(await tokenOf('ann', ['auditor']));
    const first = await call('POST', '/console/session', { headers: OWN, body: { code } });
    expect([first.status, first.json]).toEqual([200, { expires_in: expect.closeTo(3600, -1) }]);
    const again = await call('POST', '/console/session', { headers: OWN, body: { code } });
    expect([again.status, again.json['error_code'], again.headers['set-cookie']]).toEqual([
      401,
      'UNAUTHENTICATED',
      undefined,
    ]);
    const session = await call('GET', '/auth/session', { headers: withCookies(cookiesOf(first)) });
    expect(session.json).toMatchObject({ user_id: 'user_ann', roles: ['auditor'], elevated: false });
  });

  it('is a cookie that no script reads, no other site sends, and that ends before its token', async () => {
    const code = await codeOf(await tokenOf('ann', ['user'], 600));
    const { headers } = await call('POST', '/console/session', { headers: OWN, body: { code } });
    const [cookie] = headers['set-cookie'] as string[];
    const attributes = cookie!.split('; ').slice(1);
    expect(attributes).toEqual(['Path=/', expect.stringMatching(/^Max-Age=59[0-5]$/), 'HttpOnly', 'SameSite=Strict']);
  });

  it.each([
    ['without the header that no form can send', { 'sec-fetch-site': 'same-origin' }],
    ['from another site', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['from another host of the same site', { ...OWN, 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { 'x-mace-console': '1', 'sec-fetch-site': 'none' }],
    ['from another origin, by a browser that says no more', { 'x-mace-console': '1', origin: 'https://evil.example' }],
  ])('counts for no request %s', async (_, sent) => {
    const cookies = await signedIn('ann');
    expect(await isOpen(withCookies(cookies))).toBe(200);
    expect(await isOpen(withCookies(cookies, sent as Record<string, string>))).toBe(401);
    const write = await call('POST', '/jobs', {
      headers: withCookies(cookies, sent),
      body: { query_text: '2 + 2' },
    });
    expect(write).toMatchObject({ status: 401, json: { error_code: 'UNAUTHENTICATED' } });
  });

  it('counts over plain HTTP too, where a browser sends no Sec-Fetch-Site', async () => {
    const cookies = await signedIn('ann');
    expect(await isOpen(withCookies(cookies, { 'x-mace-console': '1' }))).toBe(200);
    const own = { 'x-mace-console': '1', origin: 'http://localhost:3000', host: 'localhost:3000' };
    expect(await isOpen(withCookies(cookies, own))).toBe(200);
  });

  it('is elevated in place, by a cookie of its own, and no script gets the elevated token', async () => {
    const { secret } = (await local('/local/otp/enrol', { user_id: 'bea' })).json as { secret: string };
    const cookies = await signedIn('bea', ['admin']);
    const otp = generateSync({ secret });
    const refused = await call('POST', '/auth/step-up', { headers: withCookies(cookies), body: { otp } });
    expect([refused.status, refused.json['error_code']]).toEqual([403, 'PERMISSION_DENIED']);
    const steppedUp = await call('POST', '/console/session/step-up', { headers: withCookies(cookies), body: { otp } });
    expect(steppedUp.json).toEqual({ expires_in: 300 });
    expect(steppedUp.text).not.toContain('eyJ');
    const both = { ...cookies, ...cookiesOf(steppedUp) };
    const session = await call('GET', '/auth/session', { headers: withCookies(both) });
    expect(session.json).toMatchObject({ elevated: true, elevated_until: expect.any(String) });
    // What ends with it is the second factor alone.
    expect(await isOpen(withCookies(cookies))).toBe(200);
    const end = await call('DELETE', '/console/session', { headers: withCookies(both) });
    expect([end.status, cookiesOf(end)]).toEqual([200, { mace_session: '', mace_elevated: '' }]);
    expect([await isOpen(withCookies(both)), await isOpen(withCookies(cookies))]).toEqual([401, 401]);
  });

  it('is not that of another person whose elevated cookie another host of the site has set', async () => {
    const cookies = await signedIn('ann');
    const foreign = await signToken(fixtureKeyRing(), {
      ...{ ...names, userId: 'eve', roles: ['user'], ttlSeconds: 300, now: Date.now(), amr: ['otp'] },
    });
    const session = await call('GET', '/auth/session', {
      headers: withCookies({ ...cookies, mace_elevated: foreign }),
    });
    expect(session.json).toMatchObject({ user_id: 'user_ann', elevated: false });
  });

  it('is of whoever the page is shown to, where it says so, and of nobody who signed in since', async () => {
    const cookies = await signedIn('bob');
    const shownTo = (user: string) => withCookies(cookies, { ...OWN, 'x-mace-console': user });
    expect(await call('GET', '/me', { headers: shownTo('user_bob') })).toMatchObject({ status: 200 });
    for (const [method, url, body] of [
      ['GET', '/me', undefined],
      ['POST', '/jobs', { query_text: '2 + 2' }],
      ['DELETE', '/console/session', undefined],
    ] as const) {
      const refused = await call(method, url, { headers: shownTo('user_ann'), ...(body ? { body } : {}) });
      expect(refused).toMatchObject({ status: 401, json: { error_code: 'UNAUTHENTICATED' } });
    }
    const session = await call('GET', '/auth/session', { headers: shownTo('user_ann') });
    expect(session.json).toMatchObject({ user_id: 'user_bob' });
  });

  it('is refused for a token that no browser keeps', async () => {
    const code = await codeOf(await tokenOf('n'.repeat(2900)));
    const answer = await call('POST', '/console/session', { headers: OWN, body: { code } });
    expect(answer).toMatchObject({ status: 400, json: { error_code: 'INVALID_INPUT' } });
  });

  it('takes no code of another form, and prints links through the data folder only', async () => {
    const odd = await call('POST', '/console/session', { headers: OWN, body: { code: 'x' } });
    expect(odd).toMatchObject({ status: 400, json: { error_code: 'INVALID_INPUT' } });
    const token = await tokenOf('eve', ['superadmin']);
    const headers = { authorization: `Bearer ${token}` };
    expect(await call('POST', '/local/sign-in-links', { headers, body: { token } })).toMatchObject({ status: 403 });
  });
});

describe('the page of the console', () => {
  beforeAll(async () => {
    app = await JobApp.open({}, { MACE_PUBLIC_URL: 'https://example.com/mace' });
  });
  afterAll(() => app.dispose());

  it('is where a browser is sent, and a program is told where everything is', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const browser = await call('GET', '/', { headers: { accept } });
    expect([browser.status, browser.headers['location']]).toEqual([303, '/mace/console']);
    for (const asked of ['', '*/*', 'application/json']) {
      const program = await call('GET', '/', { headers: { accept: asked } });
      expect(program).toMatchObject({
        status: 200,
        json: { docs: '/docs', openapi: '/openapi.json', graphql: '/graphql' },
      });
    }
  });

  it('loads from this server alone, at every path of its screens, under the prefix of MACE_PUBLIC_URL', async () => {
    const page = await call('GET', '/console/jobs/job:1');
    expect(page.text).toContain('<base href="/mace/console/">');
    expect(page.text.replace("xmlns='http://www.w3.org/2000/svg'", '')).not.toMatch(/https?:/);
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none';/);
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe/);
    expect(page.headers['content-security-policy']).toMatch(/; frame-ancestors 'none'$/);
    const names = [...page.text.matchAll(/(?:src|href)="(files\/[^"]+)"/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) {
      const file = await call('GET', `/console/${name}`, { headers: { 'accept-encoding': 'gzip' } });
      expect([name, file.status, file.headers['content-encoding']]).toEqual([name, 200, 'gzip']);
      expect(file.headers['cache-control']).toContain('immutable');
    }
    expect(await call('GET', '/console/files/..%2fmanifest.json')).toMatchObject({ status: 404 });
  });

  it('says how somebody signs in, and sends nobody to an issuer where none is set', async () => {
    expect((await call('GET', '/console')).text).toContain('data-sign-in="link"');
    for (const way of ['start', 'callback?code=x']) {
      const { status, headers } = await call('GET', `/console/oidc/${way}`);
      expect([status, headers['location']]).toEqual([303, '..']);
      expect(decodeURIComponent(String(headers['set-cookie']))).toMatch(/NOT_FOUND.*MACE_OIDC_ISSUER names none/);
    }
  });

  it('keeps its cookie for TLS and for its own path', async () => {
    const code = await codeOf(await tokenOf('ann'));
    const { headers } = await call('POST', '/console/session', { headers: OWN, body: { code } });
    expect((headers['set-cookie'] as string[])[0]).toMatch(/; Path=\/mace\/; .*; Secure$/);
  });
});
