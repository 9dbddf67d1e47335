import { Authenticator, RateLimits, TrustedProxies } from '#lib/access';

import { startHost, type Host } from '../edge/testing/edge-host.js';
import { asLocal } from '../edge/local-requests.js';

describe('the limit of rates over HTTP', () => {
  let host: Host;

  beforeEach(async () => {
    host = await startHost(undefined, { rateLimits: new RateLimits({ requests: 30, seconds: 3600 }) });
  });
  afterEach(() => host.close());

  async function ask(path: string, token?: string) {
    const response = await fetch(
      host.url + path,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
    const body = (await response.json()) as { error_code?: string };
    return { status: response.status, code: body.error_code, retryAfter: response.headers.get('retry-after') };
  }
  const statuses = async (count: number, path: string, token?: string): Promise<number[]> => {
    const answers: number[] = [];
    for (let i = 0; i < count; i++) answers.push((await ask(path, token)).status);
    return answers;
  };

  test('a principal has so many requests, with whichever tokens; then 429 with Retry-After', async () => {
    const [token, another] = [await host.token('tuff'), await host.token('tuff')];
    expect(new Set(await statuses(15, '/things', token))).toEqual(new Set([200]));
    expect(new Set(await statuses(15, '/things', another))).toEqual(new Set([200]));
    for (const one of [token, another]) {
      expect(await ask('/things', one)).toEqual({
        status: 429,
        code: 'RATE_LIMITED',
        // One comes back in 120 s; some of them may have passed.
        retryAfter: expect.stringMatching(/^(?:[1-9]\d?|1[01]\d|120)$/),
      });
    }
    expect((await ask('/things', await host.token('eve'))).status).toBe(200);
  });

  test('refused requests count too, so that nobody guesses without end', async () => {
    const token = await host.token('tuff');
    const answers = await Promise.all(
      Array.from({ length: 31 }, () =>
        fetch(`${host.url}/things/x`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
  });

  test.each([
    ['no token', '/things', undefined, 401],
    ['a bad token', '/things', 'a.b.c', 401],
    ['no route', '/nowhere', undefined, 404],
    ['a route for everybody', '/things/open', undefined, 200],
  ])('an address with %s has a tenth', async (_, path, token, status) => {
    expect(await statuses(4, path, token)).toEqual([status, status, status, 429]);
  });

  test('an address that was refused for a while still shows good tokens, and these have their own', async () => {
    await statuses(5, '/things', 'a.b.c');
    expect((await ask('/things', 'a.b.c')).status).toBe(429);
    const token = await host.token('tuff');
    expect(await statuses(5, '/things', token)).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(5, '/things/open', token)).toEqual([200, 200, 200, 200, 200]);
  });

  test('strangers without a token keep nobody out who shows a good one, seen before or not', async () => {
    expect(await statuses(4, '/things/open')).toEqual([200, 200, 200, 429]);
    const token = await host.token('new');
    expect(await statuses(5, '/things', token)).toEqual([200, 200, 200, 200, 200]);
  });

  test('bad tokens are counted before they are looked at', async () => {
    const looked = jest.spyOn(Authenticator.prototype, 'authenticate');
    try {
      const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => ask('/things', `a.b.${i}`)));
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
      expect(answers.filter(({ status, code }) => status === 429 && code === 'RATE_LIMITED')).toHaveLength(87);
      expect(looked.mock.calls.length).toBeLessThanOrEqual(30);
    } finally {
      looked.mockRestore();
    }
  });

  test('good tokens that nobody knew cost their address nothing', async () => {
    for (let i = 0; i < 40; i++) expect((await ask('/things', await host.token(`user${i}`))).status).toBe(200);
  });

  test('who holds the data folder is not counted', async () => {
    const answers = await asLocal(() =>
      Promise.all(Array.from({ length: 40 }, () => host.fastify.inject({ method: 'GET', url: '/things' }))),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});

describe('behind a proxy', () => {
  const RATE = { requests: 30, seconds: 3600 };
  const asked = async (host: Host, client: string): Promise<number> =>
    (await fetch(`${host.url}/things/open`, { headers: { 'x-forwarded-for': client } })).status;

  test('that is trusted strangers count by the address that it names', async () => {
    const proxies = TrustedProxies.of('127.0.0.0/8');
    const host = await startHost(undefined, { rateLimits: new RateLimits(RATE), proxies });
    for (let i = 0; i < 3; i++) expect(await asked(host, '198.51.100.1')).toBe(200);
    expect(await asked(host, '198.51.100.1')).toBe(429);
    expect(await asked(host, '198.51.100.2')).toBe(200);
    // What the client itself wrote stands before what the proxy adds.
    expect(await asked(host, '198.51.100.9, 198.51.100.1')).toBe(429);
    await host.close();
  });

  test('that nobody trusts they count by its own, whatever it says', async () => {
    const host = await startHost(undefined, { rateLimits: new RateLimits(RATE) });
    for (let i = 0; i < 3; i++) expect(await asked(host, `198.51.100.${i}`)).toBe(200);
    expect(await asked(host, '198.51.100.7')).toBe(429);
    await host.close();
  });
});
