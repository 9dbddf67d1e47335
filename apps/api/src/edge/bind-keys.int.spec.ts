import { isDeepStrictEqual } from 'node:util';

import { keyFileIn, permissionOf, ROLES, rotateKey, signToken } from '#lib/access';
import type { Json, JsonObject } from '#lib/kernel';

import { type Caller, JobApp } from '../../../../test/support/job-app.js';
import { asLocal } from './local-requests.js';
import type { DeclaredRoute } from './permission.js';

/** Every route that the application has and that takes a body, under one Idempotency-Key with two bodies. */

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

let app: JobApp;
let routes: readonly DeclaredRoute[];
let writes: readonly DeclaredRoute[];
let examples: ReadonlyMap<string, JsonObject>;

beforeAll(async () => {
  app = await JobApp.open();
  writes = app.parts.app.fastify.maceRoutes.filter(
    // Each field of GraphQL, and each tool of MCP, binds the key for itself.
    ({ method, url, access }) =>
      !['/graphql', '/mcp', '/a2a'].includes(url) &&
      access !== 'public' &&
      !['GET', 'HEAD', 'OPTIONS'].includes(method),
  );
  routes = writes.filter((one) => one.takesBody && !CHANGE_NOTHING.has(nameOf(one)));
  examples = await exampleBodies();
});
afterAll(() => app.dispose());

async function exampleBodies(): Promise<ReadonlyMap<string, JsonObject>> {
  const { payload } = await app.parts.app.fastify.inject({ url: '/openapi.json' });
  interface Operation {
    readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: JsonObject } } };
  }
  const { paths } = JSON.parse(payload) as { paths: Record<string, Record<string, Operation>> };
  return new Map(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { requestBody }]): [string, JsonObject] => [
        `${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`,
        requestBody?.content['application/json'].example ?? {},
      ]),
    ),
  );
}

/** Nobody whom an example names: one of them removes its person. */
const CALLER = 'ursa';

const PLACES: Readonly<Record<string, string>> = {
  scope: 'user',
  entity_type: 'profile',
  entity_id: `user_${CALLER}`,
  attribute: 'favorite_color',
  job_id: `job:${'0'.repeat(32)}`,
  id: `ar-${'0'.repeat(32)}`,
};
const pathOf = (url: string): string =>
  url.replace(/:([a-z_]+)/g, (_, part: string) => encodeURIComponent(PLACES[part] ?? '0'.repeat(64)));

async function send(route: DeclaredRoute, body: Json, key: string | null): Promise<Answer> {
  const isLocal = route.access !== 'public' && permissionOf(route.access).localOnly === true;
  const order = { userId: CALLER, roles: ROLES, ttlSeconds: 3600, issuer: 'mace', audience: 'mace', amr: ['otp'] };
  const token = await signToken(app.parts.platform.ring, { ...order, now: Date.now() });
  const call = async () =>
    await app.parts.app.fastify.inject({
      method: route.method as 'POST',
      url: pathOf(route.url),
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
        ...(isLocal ? {} : { authorization: `Bearer ${token}` }),
      },
      payload: JSON.stringify(body),
    });
  const { statusCode, payload } = await (isLocal ? asLocal(call) : call());
  return { status: statusCode, body: JSON.parse(payload === '' ? '{}' : payload) as JsonObject };
}

/** The same body with one thing in it changed, in each place and each way in which it may still be sound. */
function variantsOf(body: JsonObject): readonly JsonObject[] {
  const places = Object.entries(body).flatMap(([name, value]) =>
    othersOf(value).map((other) => ({ ...body, [name]: other })),
  );
  const without = Object.keys(body).map((name) =>
    Object.fromEntries(Object.entries(body).filter(([other]) => other !== name)),
  );
  return [...places, ...without, { ...body, another: 'member' }];
}

function othersOf(value: Json): readonly Json[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1];
  if (typeof value === 'string') return [`${value}x`, value.replace(/.$/, (last) => (last === '1' ? '2' : '1'))];
  if (Array.isArray(value))
    return [[], ...(value as readonly Json[]).flatMap((item) => othersOf(item).map((other) => [other]))];
  return value === null ? [] : variantsOf(value as JsonObject);
}

/** Routes of which `{}` is the only sound body. */
const ONLY_EMPTY: ReadonlySet<string> = new Set([
  'POST /consents/:consent_id/revoke',
  'POST /replay/:replay_id/force_continue',
  'POST /replay/sweeps/:sweep_id/cancel',
]);

/** There is nothing that could be done twice: no key is kept of them. */
const CHANGE_NOTHING: ReadonlySet<string> = new Set(['POST /apt/recompute', 'POST /router/preview']);

/** What is shown once is drawn anew. */
const DRAWN: ReadonlySet<string> = new Set(['POST /local/otp/enrol', 'POST /auth/otp/invite']);

/** What is begun goes on meanwhile; it keeps its id, but that a check may join the one that runs. */
const GOING_ON: ReadonlySet<string> = new Set([
  'POST /integrity/verify',
  'POST /projections/:name/rebuild',
  'POST /projections/:name/rerun',
  'POST /replay/sweeps',
]);

function begun({ status, body }: Answer): Json {
  const ids = ['rebuild_id', 'rerun_id', 'sweep_id', 'error_code'];
  return { status, ...Object.fromEntries(ids.map((id) => [id, body[id] ?? null])) };
}

/** What an answer says, without what names the request. */
function said({ status, body }: Answer): Json {
  const { meta: _, ...rest } = body;
  return { status, ...rest };
}

const REUSED = 'IDEMPOTENCY_KEY_REUSED';
const bodyOf = (route: DeclaredRoute): JsonObject => examples.get(nameOf(route)) ?? {};
const nameOf = ({ method, url }: DeclaredRoute): string => `${method} ${url}`;

describe('an Idempotency-Key', () => {
  it('belongs to one body on every route that takes one', async () => {
    expect(routes.length).toBeGreaterThan(25);
    const wrong: string[] = [];
    for (const route of routes) {
      const body = examples.get(nameOf(route)) ?? {};
      const first = await send(route, body, 'k-two-bodies');
      let answer: Answer | undefined;
      for (const other of variantsOf(body)) {
        answer = await send(route, other, 'k-two-bodies');
        // What has not the route's form says nothing of the key.
        if (answer.status !== 400) break;
      }
      const expected = ONLY_EMPTY.has(nameOf(route)) ? 'INVALID_INPUT' : 'IDEMPOTENCY_KEY_REUSED';
      if (answer?.body['error_code'] !== expected) {
        wrong.push(`${nameOf(route)}: first ${first.status}, then ${JSON.stringify(answer)?.slice(0, 300)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('is no more than a name where nothing is changed: nothing of it is kept', async () => {
    for (const one of writes.filter((route) => CHANGE_NOTHING.has(nameOf(route)))) {
      const before = (await app.texts()).length;
      expect((await send(one, bodyOf(one), 'k-two-bodies')).status).toBe(200);
      expect([nameOf(one), (await app.texts()).length]).toEqual([nameOf(one), before]);
    }
  });

  it('with the same body again says the same again', async () => {
    const wrong: unknown[] = [];
    for (const route of routes.filter((one) => !DRAWN.has(nameOf(one)))) {
      const body = examples.get(nameOf(route)) ?? {};
      // What goes on meanwhile is further on at the second answer.
      const same = GOING_ON.has(nameOf(route)) ? begun : said;
      const first = same(await send(route, body, 'k-once-more'));
      const again = same(await send(route, body, 'k-once-more'));
      if (!isDeepStrictEqual(first, again)) wrong.push([nameOf(route), first, again]);
    }
    expect(wrong).toEqual([]);
  });

  it('has its first answer after the key of digests was rotated, and refuses another body as before', async () => {
    const rotate = () => void rotateKey(keyFileIn(app.folder), 'request-hmac', Date.now());
    // A secret that is offered is kept by its process alone.
    const drawn = (name: string) => DRAWN.has(name) || name === 'POST /auth/otp/enrol';
    const once = writes.filter((one) => !drawn(nameOf(one)) && !CHANGE_NOTHING.has(nameOf(one)));
    const first = new Map<string, Answer>();
    for (const route of once) first.set(nameOf(route), await send(route, bodyOf(route), 'k-rotated'));
    await app.whileClosed(rotate);
    await app.whileClosed(rotate);
    const wrong: unknown[] = [];
    for (const route of once) {
      const again = await send(route, bodyOf(route), 'k-rotated');
      const before = first.get(nameOf(route))!;
      const same = GOING_ON.has(nameOf(route)) ? begun : said;
      if (!isDeepStrictEqual(same(before), same(again))) wrong.push([nameOf(route), before, again]);
    }
    expect(wrong).toEqual([]);
    expect([...first.values()].filter(({ status }) => status < 300).length).toBeGreaterThan(15);
    expect((await send(register(), moduleOf('rotated_v1'), 'k-rotated')).body['error_code']).toBe(REUSED);
  });

  const register = routeOf('POST /module/register');
  const moduleOf = (name: string): JsonObject => ({
    ...examples.get('POST /module/register'),
    node_id: `agent:${name}`,
  });

  const bindings = async () => (await app.texts()).filter((text) => text.includes('"REQUEST_BOUND"')).length;

  it('of several bodies at once lets exactly one be carried out, and no other after a restart', async () => {
    const names = ['one_v1', 'two_v1', 'three_v1', 'four_v1'];
    const answers = await Promise.all(names.map((name) => send(register(), moduleOf(name), 'k-at-once')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    const done = answers.findIndex(({ status }) => status === 200);
    await app.whileClosed(() => undefined);
    expect((await send(register(), moduleOf('five_v1'), 'k-at-once')).status).toBe(422);
    expect(await send(register(), moduleOf(names[done]!), 'k-at-once')).toEqual(answers[done]);
    const made = await Promise.all([...names, 'five_v1'].map((name) => app.stream(`module-agent:${name}`)));
    expect(made.map(({ length }) => length > 0)).toEqual([...names.map((_, i) => i === done), false]);
  });

  it('is free for another body after one that has not the route’s form', async () => {
    const before = await bindings();
    const { node_id: _, ...formless } = moduleOf('late_v1');
    expect((await send(register(), formless, 'k-formless')).status).toBe(400);
    expect(await bindings()).toBe(before);
    expect(await app.stream('module-agent:late_v1')).toEqual([]);
    expect((await send(register(), moduleOf('late_v1'), 'k-formless')).status).toBe(200);
  });

  it('that is not given costs no event', async () => {
    const before = await bindings();
    expect((await send(register(), moduleOf('unkeyed_v1'), null)).status).toBe(200);
    expect(await bindings()).toBe(before);
    expect((await send(register(), moduleOf('keyed_v1'), 'k-counted')).status).toBe(200);
    expect(await bindings()).toBe(before + 1);
  });
});

describe('an Idempotency-Key, after the key of digests was rotated,', () => {
  let own: JobApp;

  beforeAll(async () => {
    own = await JobApp.open();
  });
  afterAll(() => own.dispose());

  it('is known again where the command’s own stream tells it, and so is a job by its seed', async () => {
    const ulla = await own.caller('ulla');
    const udo = await own.caller('udo', ['council'], ['otp']);
    const uma = await own.caller('uma', ['admin', 'operator'], ['otp']);
    const job = await ulla.ask('What is 40 + 2?', { job_seed: 'rotated-1' });
    const { body: asked } = await uma.send<JsonObject>('POST', '/actionrequest/create', {
      kind: 'sem_put',
      payload: { action: 'sem_put', key: 'world/a/b/c', value: 'x' },
      justification: 'tried in a test',
    });
    const { proposal_digest } = asked;
    const held = await uma.send<JsonObject>('POST', '/brainstate/create_snapshot', { job_seed: 'rotated-2' });
    const snapshot = held.body['brainstate_snapshot_id']!;
    type Sent = readonly [Caller, 'POST' | 'PUT', string, JsonObject, JsonObject];
    const calls: readonly Sent[] = [
      [ulla, 'PUT', '/sem/user/profile/user_ulla/drink', { value: 'tea' }, { value: 'milk' }],
      [ulla, 'POST', '/jobs', { query_text: 'What is 1 + 2?' }, { query_text: 'What is 2 + 2?' }],
      [ulla, 'POST', `/jobs/${job.body.job_id}/feedback`, { upvote: true }, { upvote: false }],
      [ulla, 'POST', '/router/decide', { query_text: 'What is 1 + 2?' }, { query_text: 'What is 2 + 2?' }],
      [udo, 'POST', `/actionrequest/${asked['request_id'] as string}/vote`, ballot('approve'), ballot('reject')],
      [uma, 'POST', '/brainstate/insert', hint(1), hint(2)],
      [uma, 'POST', '/replay/request', { job_id: job.body.job_id }, { job_id: job.body.job_id, mode: 'reexecute' }],
    ];
    function ballot(vote: string): JsonObject {
      return { vote, proposal_digest: proposal_digest! };
    }
    function hint(value: number): JsonObject {
      return { brainstate_snapshot_id: snapshot, type: 'user_hint', value };
    }
    const key = { 'idempotency-key': 'k-own-rotated' };
    const first = [];
    for (const [caller, method, path, body] of calls)
      first.push(await caller.send<JsonObject>(method, path, body, key));
    expect(first.map(({ status }) => status)).toEqual(calls.map(() => 200));
    await own.whileClosed(() => void rotateKey(keyFileIn(own.folder), 'request-hmac', Date.now()));
    for (const [i, [caller, method, path, body, other]] of calls.entries()) {
      const again = await caller.send<JsonObject>(method, path, body, key);
      expect([path, again.status, again.body]).toEqual([path, 200, first[i]!.body]);
      const refused = await caller.send<JsonObject>(method, path, other, key);
      expect([path, refused.body['error_code']]).toEqual([path, REUSED]);
    }
    // A seed of the caller's own names its job for as long.
    expect((await ulla.ask('What is 40 + 2?', { job_seed: 'rotated-1' })).body.job_id).toBe(job.body.job_id);
    expect((await ulla.ask('What is 40 + 3?', { job_seed: 'rotated-1' })).body.error_code).toBe('JOB_SEED_CONFLICT');
  });
});

function routeOf(name: string): () => DeclaredRoute {
  return () => routes.find((route) => nameOf(route) === name)!;
}
