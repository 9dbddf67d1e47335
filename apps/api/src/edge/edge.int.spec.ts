import { START } from '#lib/event-store';

import { startHost, type Host } from './testing/edge-host.js';

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & {
    error_code?: string;
    developer_message?: string;
    meta?: Record<string, unknown>;
  };
}

describe('the edge over HTTP', () => {
  let host: Host;
  let token: string;

  beforeAll(async () => {
    host = await startHost();
    token = await host.token('tuff');
  });
  afterAll(() => host.close());

  async function call(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string>; raw?: string | Buffer } = {},
  ): Promise<Answer> {
    const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(host.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
    };
  }

  const refusal = async (answer: Promise<Answer>): Promise<string> => {
    const { status, body } = await answer;
    return `${status} ${body.error_code ?? ''}: ${body.developer_message ?? ''}`;
  };

  test('a sound request reaches its handler with who asks, under which seed, when', async () => {
    const { status, headers, body } = await call('PUT', '/things/a', {
      body: { value: { n: 1 } },
      headers: { 'idempotency-key': 'k1', 'x-trace-id': 'my-trace' },
    });
    expect(status).toBe(200);
    expect(headers.get('etag')).toBe('"4"');
    expect(headers.get('x-trace-id')).toBe('my-trace');
    expect(body['thing']).toEqual({ value: { n: 1 } });
    expect(body['ctx']).toMatchObject({
      principal: { id: 'user_tuff', roles: ['user'], elevated: false },
      actor: { id: 'user_tuff', role: 'user' },
      keyed: true,
      traceId: 'my-trace',
      seed: expect.stringMatching(/^cmd:[0-9a-f]{32}$/),
      requestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test('the same key, path and body give the same seed and digest; another body is refused, and has another', async () => {
    const put = (value: number, key = 'k2') =>
      call('PUT', '/things/a', { body: { value }, headers: { 'idempotency-key': key } });
    const ctx = async (value: number, key?: string) =>
      (await put(value, key)).body['ctx'] as { seed: string; requestDigest: string };
    const [first, again, other] = [await ctx(1), await ctx(1), await ctx(2, 'k2-other')];
    expect(again).toMatchObject({ seed: first.seed, requestDigest: first.requestDigest });
    expect(other.requestDigest).not.toBe(first.requestDigest);
    expect(await put(2)).toMatchObject({ status: 422, body: { error_code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  test('another spelling of the same path gives the same seed, another path another', async () => {
    const seed = async (path: string) => {
      const { body } = await call('POST', path, { headers: { 'idempotency-key': 'k3' } });
      return body['seed'];
    };
    const plain = await seed('/things/user_a/touch');
    expect(plain).toMatch(/^cmd:/);
    expect(await seed('/things/user%5Fa/touch')).toBe(plain);
    expect(await seed('/%74hings/user_a/touch?')).toBe(plain);
    expect(await seed('/things/user_a%2Ftouch/touch')).not.toBe(plain);
  });

  test('null for an optional field makes the same digest as no such field', async () => {
    const digest = async (body: object) =>
      ((await call('PUT', '/things/a', { body })).body['ctx'] as { requestDigest: string }).requestDigest;
    expect(await digest({ value: 1, name: null })).toBe(await digest({ value: 1 }));
    expect(await digest({ value: { name: null } })).not.toBe(await digest({ value: {} }));
  });

  test('the order of refusal is 404, 401, 403, missing elevation, form', async () => {
    const junk = { raw: '{"nope', headers: { authorization: '' } };
    expect(await refusal(call('PUT', '/nowhere', junk))).toMatch(/^404 NOT_FOUND/);
    expect(await refusal(call('PUT', '/things/a', junk))).toMatch(/^401 UNAUTHENTICATED/);
    expect(await refusal(call('DELETE', '/things/a', { raw: '{"nope' }))).toMatch(/^403 PERMISSION_DENIED/);
    const admin = { authorization: `Bearer ${await host.token('ada', ['admin'])}` };
    const plain = await call('DELETE', '/things/a', { raw: '{"nope', headers: admin });
    expect(plain.status).toBe(401);
    expect(plain.headers.get('www-authenticate')).toBe('Bearer error="insufficient_user_authentication", max_age=300');
    const elevated = { authorization: `Bearer ${await host.token('ada', ['admin'], { amr: ['otp'] })}` };
    expect(await refusal(call('DELETE', '/things/a', { raw: '{"nope', headers: elevated }))).toMatch(
      /^400 INVALID_INPUT/,
    );
    expect((await call('DELETE', '/things/a', { headers: elevated })).status).toBe(200);
  });

  test('an unknown route and a wrong method are 404 NOT_FOUND', async () => {
    expect(await refusal(call('GET', '/nope'))).toMatch(/^404 NOT_FOUND/);
    expect(await refusal(call('PATCH', '/things/a', { body: {} }))).toMatch(/^404 NOT_FOUND/);
  });

  test('a path that is there says with which methods, and whether without the slash at its end', async () => {
    const said = async (method: string, path: string) => (await call(method, path)).body.developer_message;
    expect(await said('PATCH', '/things/a?full=true')).toBe(
      'no route with this method; the path takes DELETE, GET, PUT',
    );
    expect(await said('GET', '/things/a/')).toBe(
      'no route with a slash at its end; without it the path takes DELETE, GET, PUT',
    );
    expect(await said('POST', '/things/')).toBe('no route with a slash at its end; without it the path takes GET');
    for (const path of ['/nope', '/nope/', '/things//', '/things/a/b', '/%zz', '/'])
      expect([path, await said('POST', path)]).toEqual([path, expect.not.stringContaining('takes')]);
  });

  test('a write is not made where If-None-Match asks for a condition that nobody would look at', async () => {
    const put = (headers: Record<string, string>) => refusal(call('PUT', '/things/a', { body: { value: 1 }, headers }));
    expect(await put({ 'if-none-match': '*' })).toMatch(/^400 INVALID_INPUT: If-None-Match: .*If-Match/);
    expect(await put({ 'if-none-match': '"3"' })).toMatch(/^400 INVALID_INPUT: If-None-Match: .*If-Match/);
    expect((await call('GET', '/things/a', { headers: { 'if-none-match': '*' } })).status).toBe(200);
  });

  test('the envelope is whole, and has the form of RFC 9457 where asked for', async () => {
    const { body } = await call('GET', '/nope');
    expect(body).toEqual({
      error_code: 'NOT_FOUND',
      status: 404,
      severity: 'info',
      user_message: expect.any(String),
      developer_message: expect.any(String),
      meta: {
        query_id: expect.stringMatching(/^q-[0-9a-f]{32}$/),
        timestamp: expect.any(String),
        trace_id: expect.stringMatching(/^trace-[0-9a-f]{16}$/),
      },
    });
    const problem = await call('GET', '/nope', { headers: { accept: 'application/problem+json' } });
    expect(problem.headers.get('content-type')).toContain('application/problem+json');
    expect(problem.body).toMatchObject({
      type: 'about:blank',
      title: 'NOT_FOUND',
      status: 404,
      error_code: 'NOT_FOUND',
    });
  });

  it.each([
    ['application/problem+json', true],
    ['Application/Problem+JSON', true],
    ['text/html, application/problem+json;q=0.5', true],
    ['application/problem+json; q=0', false],
    ['application/problem+json;q=0.000, application/json', false],
    ['application/problem+json-seq', false],
    ['application/json', false],
  ])('a failure with Accept: %s is a problem document: %s', async (accept, isProblem) => {
    const { headers } = await call('GET', '/nope', { headers: { accept } });
    expect(headers.get('content-type')!.startsWith('application/problem+json')).toBe(isProblem);
  });

  describe('bad input', () => {
    const put = (options: Parameters<typeof call>[2]) => refusal(call('PUT', '/things/a', options));
    const INVALID = /^400 INVALID_INPUT/;

    test('a body over 256 KB, of 10 MB, and one that does not say how long it is', async () => {
      expect(await put({ body: { value: 'x'.repeat(256 * 1024) } })).toBe(
        '400 INVALID_INPUT: body: at most 262144 bytes',
      );
      expect(await put({ body: { value: 'x'.repeat(10 * 1024 * 1024) } })).toMatch(INVALID);
    });

    test('JSON 10,000 levels deep', async () => {
      expect(await put({ raw: `{"value":${'['.repeat(10_000)}${']'.repeat(10_000)}}` })).toMatch(INVALID);
      expect(await put({ raw: `{"value":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}` })).toMatch(
        /deeper than 200 levels/,
      );
    });

    test.each([
      ['malformed JSON', '{"value":', /well-formed JSON/],
      ['a NUL character', '{"value":"a\\u0000b"}', /NUL/],
      ['a NUL character in a name', '{"value":{"a\\u0000":1}}', /NUL/],
      ['a lone surrogate', '{"value":"\\ud800"}', /lone surrogate/],
      ['a lone surrogate in a name', '{"value":{"\\udc00":1}}', /lone surrogate/],
      ['__proto__', '{"value":1,"__proto__":{"x":1}}', INVALID],
      ['__proto__ deep inside', '{"value":{"a":{"__proto__":1}}}', INVALID],
      [
        'a constructor with a prototype',
        '{"value":{"constructor":{"prototype":1}}}',
        /no member may be named __proto__/,
      ],
      ['a member named twice', '{"value":1,"value":2}', /names a member twice: value$/],
      ['a member named twice in another spelling', '{"value":{"a":1,"\\u0061":"\\":"}}', /names a member twice: a$/],
      [
        'a member named twice in an object of a list',
        '{"a":[{"b":{"c":1},"c":[2],"b":3}]}',
        /names a member twice: b$/,
      ],
      ['a member of an odd name twice', '{"a":{"b c":1,"b c":1}}', /names a member twice$/],
      ['an integer beyond 2^53', '{"value":9007199254740993}', INVALID],
      ['an integer of 400 digits', `{"value":${'9'.repeat(400)}}`, INVALID],
      ['a decimal beyond what a double keeps', '{"value":9007199254740991.4}', /send it as text/],
      ['more than nine decimals', '{"value":0.12345678912}', /more than 9 decimals/],
      ['an unknown field', '{"value":1,"colour":"red"}', /unknown field colour; allowed: .*value/],
      ['a missing field', '{}', /body\.value: missing/],
      ['null for a required field', '{"value":null}', /body\.value: may not be null/],
      ['a wrong type', '{"value":1,"name":5}', /body\.name: must be string/],
      ['a text that is too long', `{"value":1,"name":"${'x'.repeat(65)}"}`, /body\.name: must NOT have more than 64/],
      ['a value that is not in the list', '{"value":1,"priority":"urgent"}', /body\.priority: one of low, high/],
      ['an unknown field of a nested form', '{"value":1,"parts":[{"count":1,"size":2}]}', /unknown field size/],
      ['a list instead of an object', '[]', /body: must be object/],
    ])('%s', async (_, raw, reason) => {
      const answer = await put({ raw });
      expect(answer).toMatch(INVALID);
      expect(answer).toMatch(reason);
    });

    test('null for an optional field means absent, in nested forms too', async () => {
      const { status, body } = await call('PUT', '/things/a', {
        body: { value: 1, name: null, parts: [{ count: 1, label: null }] },
      });
      expect(status).toBe(200);
      expect(body['thing']).toEqual({ value: 1, parts: [{ count: 1 }] });
    });

    test('a backslash and u0000 spelled out are no NUL', async () => {
      const { status } = await call('PUT', '/things/a', { body: { value: 'a\\u0000b' } });
      expect(status).toBe(200);
    });

    test('numbers that a double keeps pass, however they are written', async () => {
      const { body } = await call('PUT', '/things/a', {
        raw: '{"value":[9007199254740991,1.500000000000000000,1e15,-0.25,1234567890.123456]}',
      });
      expect((body['thing'] as { value: unknown }).value).toEqual([
        9007199254740991, 1.5, 1e15, -0.25, 1234567890.123456,
      ]);
    });

    test('a body in another charset or coding', async () => {
      const typed = (type: string) => put({ raw: '{"value":1}', headers: { 'content-type': type } });
      expect(await typed('application/json; charset=iso-8859-1')).toMatch(/INVALID_INPUT: .*charset utf-8 only/);
      expect(await put({ raw: '{"value":1}', headers: { 'content-encoding': 'gzip' } })).toMatch(/identity only/);
      expect(await typed('application/json; charset="UTF-8"')).not.toMatch(INVALID);
      expect(await put({ raw: '{"value":{"constructor":1,"prototype":"\\":"}}' })).not.toMatch(INVALID);
    });

    test('personal data in an id of the body, which is not repeated', async () => {
      const id = 'me@home.net';
      const answer = await put({ body: { value: 1, ticket_id: id } });
      expect(answer).toMatch(/^403 PRIVACY_BLOCKED: body\.ticket_id/);
      expect(answer).not.toContain(id);
      expect(await put({ body: { value: { ticket_id: id } } })).not.toMatch(/PRIVACY/);
    });

    test('a wrong content type, bytes that are not UTF-8, a body where none is taken', async () => {
      expect(await put({ raw: 'value=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).toMatch(
        /Content-Type: application\/json/,
      );
      expect(await put({ raw: '{"value":1}', headers: { 'content-type': 'text/plain' } })).toMatch(
        /Content-Type: application\/json/,
      );
      expect(await put({ raw: Buffer.from([0x22, 0xff, 0x22]) })).toMatch(/not UTF-8/);
      expect(await refusal(call('POST', '/things/a/touch', { body: { x: 1 } }))).toMatch(/takes none/);
      expect((await call('POST', '/things/a/touch', { body: {} })).status).toBe(201);
    });

    test.each([
      ['an unknown parameter', '?colour=red', /query: unknown field colour/],
      ['a limit of zero', '?limit=0', /query\.limit/],
      ['a limit over 200', '?limit=201', /query\.limit/],
      ['a limit that is no number', '?limit=1e2', /query\.limit/],
      ['a parameter given twice', '?limit=1&limit=2', /query\.limit: given twice/],
      ['an unknown parameter given thrice', '?a=1&a=2&a=3', /query\.a: given twice/],
      ['one parameter thousands of times', `?${'a&'.repeat(7500)}`, /query: at most 32 parameters/],
      [
        'a thousand parameters',
        `?${Array.from({ length: 1000 }, (_, nth) => `a${nth}`).join('&')}`,
        /query: at most 32 parameters/,
      ],
      ['a bad percent-encoding', '?cursor=%zz', /percent-encoded/],
      ['a NUL', '?cursor=%00', /NUL/],
      ['__proto__', '?__proto__=1', /unknown field/],
    ])('a query with %s', async (_, query, reason) => {
      const answer = await refusal(call('GET', `/things${query}`));
      expect(answer).toMatch(INVALID);
      expect(answer).toMatch(reason);
    });

    test('a query where none is taken', async () => {
      expect(await refusal(call('GET', '/things/a?x=1'))).toMatch(/takes no query/);
    });

    test('query parameters arrive as what their class says', async () => {
      expect((await call('GET', '/things?limit=20&full=true&cursor=a%2Bb')).body).toEqual({
        limit: 20,
        full: true,
        cursor: 'a+b',
      });
    });

    test('path parts are decoded exactly once', async () => {
      expect((await call('GET', '/things/a%2Fb%20c')).body['id']).toBe('a/b c');
      expect((await call('GET', '/things/%2561')).body['id']).toBe('%61');
      expect(await refusal(call('GET', '/things/%zz'))).toMatch(INVALID);
      expect(await refusal(call('GET', '/things/%ff'))).toMatch(INVALID);
      expect(await refusal(call('GET', '/things/a%00b'))).toMatch(/NUL/);
    });

    test('a path part of a million characters', async () => {
      expect(await refusal(call('GET', `/things/${'a'.repeat(1_000_000)}`))).toMatch(INVALID);
      expect((await call('GET', `/things/${'a'.repeat(8_000)}`)).status).toBe(200);
    });

    test('personal data in a path part or an Idempotency-Key is refused', async () => {
      expect(await refusal(call('GET', '/things/me%40home.net'))).toMatch(/^403 PRIVACY_BLOCKED/);
    });

    test.each(['?a=me%40home.net', '?a=1&a=me%40home.net', '?me%40home.net=1', '?a=1&b=me%40home.net'])(
      'personal data in a query string is refused before any route sees it, and not repeated: %s',
      async (query) => {
        const answer = await refusal(call('GET', `/things${query}`));
        expect(answer).toMatch(/^403 PRIVACY_BLOCKED: query, (?:a|b|a name): without personal data$/);
      },
    );

    test.each<[name: string, value: string]>([
      ['Idempotency-Key', 'with space'],
      ...['3', '"3', '"3" "4"', '"3","4', 'w/"3"', '*, "3"', ',', '"a b"'].map((tags): [string, string] => [
        'If-Match',
        tags,
      ]),
    ])('a malformed %s: %s', async (name, value) => {
      const refused = await put({ body: { value: 1 }, headers: { [name.toLowerCase()]: value } });
      expect(refused).toMatch(new RegExp(`^400 INVALID_INPUT: ${name}`));
    });

    test.each(['"2"', '"2", "4"', 'W/"3"', '"abc"', '"03"', '"3,4"', '""', `"${'9'.repeat(40)}"`, '"é"'])(
      'If-Match with tags that match nothing, weak ones among them, is PRECONDITION_FAILED: %s',
      async (tags) => {
        expect(await put({ body: { value: 1 }, headers: { 'if-match': tags } })).toMatch(/^412 PRECONDITION_FAILED/);
      },
    );

    test.each(['"3"', '"2", "3"', '"2" ,W/"9",, "3"', '*'])('If-Match with a tag that matches: %s', async (tags) => {
      expect((await call('PUT', '/things/a', { body: { value: 1 }, headers: { 'if-match': tags } })).status).toBe(200);
    });

    test('If-Match takes 32 tags and no more, and a revision named twice is told of once', async () => {
      const tags = (count: number): string => Array.from({ length: count }, (_, n) => `"${n + 10}"`).join(', ');
      const putAt = (held: string): Promise<string> => put({ body: { value: 1 }, headers: { 'if-match': held } });
      expect(await putAt(tags(32))).toMatch(/^412 PRECONDITION_FAILED: .*revision 10 or 11 or 12 and 29 more;/);
      expect(await putAt(tags(33))).toMatch(/^400 INVALID_INPUT: If-Match: at most 32 tags/);
      expect(await putAt('"1", "2", "1", "2"')).toMatch(/^412 PRECONDITION_FAILED: .*revision 1 or 2;/);
    });
  });

  describe('faults', () => {
    test.each([
      ['unavailable', '503 DATA_UNAVAILABLE: the store does not answer'],
      ['full', '507 STORAGE_FULL: nothing was written: no room'],
      ['tooLarge', '400 INVALID_INPUT: what this asks for is too much for one record; nothing was stored'],
      [
        'stored',
        '503 DATA_UNAVAILABLE: what was asked for is stored, and only its answer failed: a data key is missing from the key store',
      ],
    ])('a store that is %s has its own code', async (kind, answer) => {
      expect(await refusal(call('GET', `/things/faults/${kind}`))).toBe(answer);
    });

    test('what is in hand elsewhere is a conflict that says when to come again', async () => {
      const { status, headers, body } = await call('GET', '/things/faults/inHand');
      expect([status, body['error_code'], headers.get('retry-after')]).toEqual([409, 'CONFLICT', '1']);
      expect((await call('GET', '/things/faults/denied')).headers.get('retry-after')).toBeNull();
    });

    test('a bug of ours tells nothing of itself', async () => {
      const { status, body } = await call('GET', '/things/faults/bug');
      expect(status).toBe(500);
      expect(JSON.stringify(body)).not.toMatch(/secret|\.ts|\.js|at /);
    });
  });

  test('every denial is counted in the log, one event for each permission at first', async () => {
    const eve = { authorization: `Bearer ${await host.token('eve')}` };
    await call('DELETE', '/things/a', { headers: eve });
    await call('DELETE', '/things/a', { headers: eve });
    await call('GET', '/things/faults/denied', { headers: eve });
    await host.denials.close();
    const { events } = await host.log.load('access-user_eve');
    const counted = events.map(({ type, data }) => ({ type, ...data }));
    expect(counted.filter((event) => 'permission' in event && event.permission === 'sem.delete')).toEqual([
      { type: 'ACCESS_DENIED', permission: 'sem.delete', reason: 'PERMISSION_DENIED', count: 1 },
      { type: 'ACCESS_DENIED', permission: 'sem.delete', reason: 'PERMISSION_DENIED', count: 1 },
    ]);
    expect(counted).toHaveLength(3);
  });

  test('every refusal that leaves no other event is counted by principal or address, code and route', async () => {
    const zoe = { authorization: `Bearer ${await host.token('zoe')}` };
    const refused = await call('PUT', '/things/a', { body: { value: 'vermilion', unknown: 1 }, headers: zoe });
    await call('PUT', '/things/a', { raw: '{"nope', headers: { ...zoe, 'x-trace-id': 'mine' } });
    await call('GET', '/nowhere/vermilion', { headers: zoe });
    for (let i = 0; i < 3; i++) await call('GET', '/things/a', { headers: { authorization: 'Bearer nobody' } });
    await call('DELETE', '/things/a', { headers: zoe });
    await host.refusals.close();
    const { events } = await host.log.load('refusals-user_zoe');
    expect(events.map(({ type, data }) => [type, data['error_code'], data['route'], data['count']])).toEqual([
      ['REQUESTS_REFUSED', 'INVALID_INPUT', expect.stringMatching(/^PUT \/things\/:/), 2],
      ['REQUESTS_REFUSED', 'NOT_FOUND', 'none', 1],
    ]);
    expect(events[0]!.data).toMatchObject({
      first_trace_id: refused.body.meta!['trace_id'],
      last_trace_id: 'mine',
      payload_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    const all = (await host.log.store.readAll({ after: START, limit: 4096 })).events.map(({ text }) => text);
    const strangers = all.filter((text) => text.includes('"refusals-address-') && text.includes('UNAUTHENTICATED'));
    expect(strangers.join()).toMatch(/"route":"GET \/things\/:/);
    expect(all.filter((text) => text.includes('REQUESTS_REFUSED')).join()).not.toMatch(
      /vermilion|nowhere|127\.0\.0\.1/,
    );
  });

  test('a public route needs no token; nothing is reachable as the data folder’s holder', async () => {
    const { body, headers } = await call('GET', '/things/open', {
      headers: { authorization: '', 'x-trace-id': 'mine' },
    });
    expect(body).toEqual({ open: true });
    expect(headers.get('x-trace-id')).toBe('mine');
    const drawn = await call('GET', '/things/open', { headers: { authorization: '' } });
    expect(drawn.headers.get('x-trace-id')).toMatch(/^trace-[0-9a-f]{16}$/);
    const root = await host.token('root', ['superadmin'], { amr: ['otp'] });
    expect(await refusal(call('POST', '/things/local', { headers: { authorization: `Bearer ${root}` } }))).toMatch(
      /^403/,
    );
    expect(
      await refusal(call('POST', '/things/local', { headers: { authorization: '', 'x-forwarded-for': 'local' } })),
    ).toMatch(/^401/);
  });
});
