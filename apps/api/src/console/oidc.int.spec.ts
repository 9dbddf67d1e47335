import { decodeJwt } from 'jose';

import type { ErrorEnvelope } from '#lib/kernel';

import { JobApp } from '../../../../test/support/job-app.js';
import { CLIENT, OidcIssuer, type Person, PUBLIC_CLIENT } from '../../../../test/support/oidc-issuer.js';

import type { Oidc } from '../settings/services.js';
import { IssuerSignIn } from './issuer-sign-in.js';

/** Signing in by a real issuer, as a browser goes: from the console to the issuer, and back. */

const HERE = 'https://example.com/mace/';
const AUDIENCE = 'https://example.com/mace/api';
const ADA: Person = { accountId: 'ada', roles: ['auditor'] };

let issuer: OidcIssuer;
let app: JobApp;

const openIssuer = () => OidcIssuer.open({ redirectUri: `${HERE}console/oidc/callback`, resource: AUDIENCE });

const settings = () => ({
  MACE_PUBLIC_URL: HERE,
  MACE_JWKS_URL: `${issuer.url}/jwks`,
  MACE_JWT_ISSUER: issuer.url,
  MACE_JWT_AUDIENCE: AUDIENCE,
  MACE_OIDC_ISSUER: issuer.url,
  MACE_OIDC_CLIENT_ID: CLIENT.id,
  MACE_OIDC_CLIENT_SECRET: CLIENT.secret,
});

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await app.parts.app.fastify.inject({ method: 'GET', url: path, headers });
  const set = [answer.headers['set-cookie'] ?? []].flat();
  const cookies = new Map(set.map((cookie) => /^([^=]+)=([^;]*)/.exec(cookie)!.slice(1) as [string, string]));
  const failure = cookies.get('mace_failure');
  return {
    status: answer.statusCode,
    to: String(answer.headers['location']),
    set,
    cookies,
    text: answer.payload,
    /** What the console tells. */
    told: failure === undefined ? undefined : (JSON.parse(decodeURIComponent(failure)) as ErrorEnvelope),
  };
}
type Got = Awaited<ReturnType<typeof get>>;

/** The path here of an address under which a browser finds it. */
const here = (url: string): string => {
  expect(url.slice(0, HERE.length)).toBe(HERE);
  return `/${url.slice(HERE.length)}`;
};

/** As far as the issuer sends the browser back: where to, with which cookie. */
async function begun(to = '/', person = ADA): Promise<{ back: string; headers: Record<string, string> }> {
  issuer.person = person;
  const start = await get(`/console/oidc/start?to=${encodeURIComponent(to)}`);
  expect(start).toMatchObject({ status: 303, told: undefined });
  const headers = { cookie: `mace_oidc=${start.cookies.get('mace_oidc')}` };
  return { back: here(await issuer.visit(start.to)), headers };
}

async function signedIn(to?: string, person?: Person): Promise<Got> {
  const { back, headers } = await begun(to, person);
  return get(back, headers);
}

const sessionOf = async ({ cookies }: Got) => {
  const headers = { 'x-mace-console': '1', cookie: `mace_session=${cookies.get('mace_session')}` };
  const { status, text } = await get('/auth/session', headers);
  return { status, ...(JSON.parse(text) as Record<string, unknown>) };
};

/** A failure leads to the console, which tells it; nobody is signed in. */
function expectTold(got: Got, code: string, why: RegExp): void {
  expect([got.status, got.to, got.told?.error_code]).toEqual([303, '..', code]);
  expect(got.told?.developer_message).toMatch(why);
  expect(got.cookies.has('mace_session')).toBe(false);
  expect(JSON.stringify(got.told)).not.toMatch(/eyJ/);
}

describe('signing in by an issuer', () => {
  beforeAll(async () => {
    issuer = await openIssuer();
    app = await JobApp.open({}, settings());
  });
  afterAll(async () => {
    await app.dispose();
    await issuer.close();
  });

  it('makes the access token the session, of whoever signed in, at the screen that was asked for', async () => {
    const got = await signedIn('/jobs?status=failed');
    expect([got.status, got.to, got.told]).toEqual([303, '/mace/console/jobs?status=failed', undefined]);
    expect(await sessionOf(got)).toMatchObject({ status: 200, user_id: 'user_ada', roles: ['auditor'] });
  });

  it('keeps what a browser needs on its way in a cookie for that way alone, and the session as ever', async () => {
    const start = await get('/console/oidc/start');
    expect(start.set).toEqual([
      expect.stringMatching(
        /^mace_oidc=[\w-]+; Path=\/mace\/console\/oidc\/callback; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const asked = Object.fromEntries(new URL(start.to).searchParams);
    expect(asked).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', resource: AUDIENCE });
    const got = await signedIn();
    expect(got.cookies.get('mace_oidc')).toBe('');
    expect(got.set.find((cookie) => cookie.startsWith('mace_session='))).toMatch(
      /; Path=\/mace\/; Max-Age=8\d\d; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(got.to).toBe('/mace/console/');
  });

  it.each([
    ['an address', 'https://evil.example/'],
    ['a host', '//evil.example'],
    ['a host behind backslashes', '\\\\evil.example'],
    ['a path outside the console', '/../../evil'],
    ['the same, encoded', '/%2e%2e/%2e%2e/evil'],
    ['the end of a host', '.evil.example/'],
    ['more than a cookie holds', `/${'ü'.repeat(400)}`],
  ])('leads to no place but a screen of the console: %s', async (_, to) => {
    const start = await get(`/console/oidc/start?to=${encodeURIComponent(to)}`);
    if (start.told) return expectTold(start, 'INVALID_INPUT', /^to: a path of the console/);
    const kept = start.cookies.get('mace_oidc');
    const got = await get(here(await issuer.visit(start.to)), { cookie: `mace_oidc=${kept}` });
    expect(new URL(got.to, HERE).href).toMatch(/^https:\/\/example\.com\/mace\/console\//);
  });

  it('leads to no other place where the cookie was changed', async () => {
    const { back, headers } = await begun();
    const kept = JSON.parse(Buffer.from(headers['cookie']!.slice(10), 'base64url').toString()) as object;
    const changed = Buffer.from(JSON.stringify({ ...kept, to: 'https://evil.example/mace/console/' })).toString(
      'base64url',
    );
    expectTold(await get(back, { cookie: `mace_oidc=${changed}` }), 'INVALID_INPUT', /^to: a path of the console/);
  });

  it('takes no answer to a sign-in that this browser did not begin', async () => {
    const { back, headers } = await begun();
    const unasked = /^state: of the sign-in that this browser began last.*sign in again$/;
    expectTold(await get(back), 'UNAUTHENTICATED', unasked);
    expectTold(await get(back, { cookie: 'mace_oidc=%00nonsense' }), 'UNAUTHENTICATED', unasked);
    expectTold(await get(back.replace(/state=[^&]+/, 'state=x'), headers), 'UNAUTHENTICATED', unasked);
    expectTold(await get(back, (await begun()).headers), 'UNAUTHENTICATED', unasked);
  });

  it('takes a code once', async () => {
    const { back, headers } = await begun();
    expect((await get(back, headers)).told).toBeUndefined();
    expectTold(await get(back, headers), 'UNAUTHENTICATED', /invalid_grant.*a code counts once/);
  });

  it('tells of a refusal in the issuer’s words, with nobody’s address in them', async () => {
    const got = await signedIn('/', { accountId: 'eve', denied: 'eve@firm.com is not assigned to this' });
    expectTold(
      got,
      'PERMISSION_DENIED',
      /\(MACE_OIDC_ISSUER\) lets you not in: access_denied \(.*not assigned to this\)/,
    );
    expect(got.told?.developer_message).not.toContain('eve@firm.com');
  });

  it.each<[string, Partial<Person>, string]>([
    ['no roles', {}, 'its claim "roles" is not acceptable'],
    ['other roles', { roles: ['editor'] }, 'its roles are not among user, '],
    ['another audience', { roles: ['user'], audience: 'https://other.example' }, 'its claim "aud" is not acceptable'],
  ])('names what is wrong with a token with %s, and what it should be', async (_, person, why) => {
    const got = await signedIn('/', { accountId: 'bob', ...person });
    expectTold(
      got,
      'UNAUTHENTICATED',
      /Allowed as the issuer’s access token: a signed JWT with iss http.* aud https.*user, /,
    );
    expect(got.told?.developer_message).toContain(why);
  });

  it('revokes the token when somebody signs out', async () => {
    const got = await signedIn();
    const headers = { 'x-mace-console': '1', cookie: `mace_session=${got.cookies.get('mace_session')}` };
    await app.parts.app.fastify.inject({ method: 'DELETE', url: '/console/session', headers });
    expect((await sessionOf(got)).status).toBe(401);
  });

  it('is offered on the page', async () => {
    expect((await get('/console')).text).toContain('data-sign-in="issuer"');
  });
});

describe('the settings of the issuer', () => {
  const flow = (more: Partial<Oidc>, audience = AUDIENCE) => {
    const oidc = { issuer: new URL(issuer.url), clientId: CLIENT.id, clientSecret: CLIENT.secret, scope: 'openid' };
    return new IssuerSignIn({ ...oidc, ...more }, new URL(HERE), audience);
  };
  const ended = async (signIn: IssuerSignIn) => {
    const { url, kept } = await signIn.begin('/', Date.now());
    const { search } = new URL(await issuer.visit(url.href));
    return signIn.end(search, kept, Date.now());
  };
  beforeAll(async () => {
    issuer = await openIssuer();
  });
  afterAll(() => issuer.close());

  it('may name a public client, and an audience that is no address', async () => {
    const { token } = await ended(flow({ clientId: PUBLIC_CLIENT, clientSecret: undefined }, 'mace'));
    expect(decodeJwt(token)).toMatchObject({ sub: 'ada', roles: ['auditor'] });
  });

  it.each<[string, () => Partial<Oidc>, RegExp]>([
    [
      'another secret',
      () => ({ clientSecret: 'another' }),
      /invalid_client.*MACE_OIDC_CLIENT_SECRET.* are to be as the issuer has them$/,
    ],
    ['nobody at that address', () => ({ issuer: new URL('http://127.0.0.1:2') }), /: ECONNREFUSED$/],
    [
      'an issuer of another name',
      () => ({ issuer: new URL(issuer.url.replace('127.0.0.1', 'localhost')) }),
      /: its answer is not one of OpenID Connect: discovered metadata issuer does not match/,
    ],
    ['no issuer there', () => ({ issuer: new URL(`${issuer.url}/other`) }), /is not one of OpenID Connect/],
  ])('are told of where they name %s', async (_, wrong, why) => {
    await expect(ended(flow(wrong()))).rejects.toThrow(why);
  });

  it('cannot mend clocks that are apart', async () => {
    issuer.behindMs = 3_600_000;
    await expect(ended(flow({}))).rejects.toThrow(/: the clocks of the issuer and of this machine/);
    issuer.behindMs = 0;
  });
});
