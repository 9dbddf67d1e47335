import { RateLimits } from '#lib/access';

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

  test('who holds the data folder is not counted', async () => {
    const answers = await asLocal(() =>
      Promise.all(Array.from({ length: 40 }, () => host.fastify.inject({ method: 'GET', url: '/things' }))),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });
});
