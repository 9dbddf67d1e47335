import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';

import { RequestBindings, signToken, type Role } from '#lib/access';
import { START } from '#lib/event-store';
import { memoryEvents, MemoryModule, semProjection } from '#lib/memory';
import { ProjectionHost } from '#lib/projections';
import { ResponseSigner } from '#lib/signatures';

import { createEdge, type App } from '../edge/app.js';
import { createLogger } from '../edge/log.js';
import { readConfig } from '../platform.config.js';
import { PlatformModule } from '../platform.module.js';
import { openPlatform, type Platform } from '../platform.js';
import { SemKeysController } from './keys.controller.js';
import { SemController } from './sem.controller.js';

const COLOR = '/sem/user/profile/user_tuff/favorite_color';

@Module({})
class SemTestModule {
  static of(platform: Platform): DynamicModule {
    return {
      module: SemTestModule,
      imports: [
        PlatformModule.of(platform),
        CqrsModule,
        MemoryModule.register({ readStore: platform.readStore, agents: [] }),
      ],
      controllers: [SemController, SemKeysController],
    };
  }
}

interface Call {
  readonly as?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

describe('memory over HTTP, on the embedded stores', () => {
  let folder: string;
  let platform: Platform;
  let app: App;
  let projections: ProjectionHost;
  let tuff: string;
  let eve: string;
  let admin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-sem-'));
    const log = createLogger({ logLevel: 'silent', mode: 'development' });
    platform = await openPlatform(readConfig({ MACE_DATA_DIR: folder }), memoryEvents, log);
    app = await createEdge(SemTestModule.of(platform), {
      authenticator: platform.authenticator,
      denials: platform.denials,
      refusals: platform.refusals,
      requestDigests: platform.requestDigests,
      bindings: new RequestBindings(platform.events),
      signer: new ResponseSigner(platform.ring.active('response-signature')),
      isPersonal: platform.isPersonal,
      proxies: platform.config.trustProxy,
      now: Date.now,
      log,
    });
    projections = new ProjectionHost({
      events: platform.eventStore,
      documents: platform.readStore,
      decode: (recorded) => platform.codec.decode(recorded),
      projections: [semProjection],
    });
    projections.start();
    [tuff, eve, admin] = [
      await token('tuff', ['user']),
      await token('eve', ['user']),
      await token('ada', ['admin'], ['otp']),
    ];
  });

  afterAll(async () => {
    await projections.stop();
    await app.nest.close();
    await platform.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('stores, reads, overwrites and shows the history of a value', async () => {
    const first = await call('PUT', COLOR, {
      body: { value: 'blue', timestamp: '2025-12-01T00:00:00Z', meta: { locale: 'en' }, notes: null },
    });
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      success: true,
      error_code: null,
      key: 'user/profile/user_tuff/favorite_color',
      revision: 0,
      applied: true,
      event_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      position: expect.stringMatching(/^[0-9]+$/),
    });
    expect(first.etag).toBe('"0"');

    const read = await call('GET', COLOR);
    expect(read).toMatchObject({ status: 200, etag: '"0"' });
    expect(read.body).toEqual({
      exists: true,
      value: 'blue',
      source: 'user',
      last_updated: '2025-12-01T00:00:00Z',
      meta: { locale: 'en' },
    });

    expect((await call('PUT', COLOR, { body: { value: 'red' }, headers: { 'if-match': '"0"' } })).body).toMatchObject({
      revision: 1,
    });
    const stale = await call('PUT', COLOR, { body: { value: 'green' }, headers: { 'if-match': '"0"' } });
    expect([stale.status, stale.body['error_code']]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await call('GET', `${COLOR}?as_of=${String(first.body['position'])}`)).body['value']).toBe('blue');
    const history = await call('GET', `${COLOR}/history?limit=1`);
    expect(history.body).toMatchObject({
      items: [{ revision: 0, value: 'blue', actor: { id: 'user_tuff', role: 'user' } }],
    });
    expect((await call('GET', `${COLOR}/history?cursor=${String(history.body['next_cursor'])}`)).body).toMatchObject({
      items: [{ revision: 1, value: 'red' }],
      next_cursor: null,
    });
  });

  it('repeats the first answer to the same Idempotency-Key, and refuses it another body', async () => {
    const key = '/sem/user/profile/user_tuff/food';
    const put = (value: string) => call('PUT', key, { body: { value }, headers: { 'idempotency-key': 'k1' } });
    const first = await put('pizza');
    expect((await put('pizza')).body).toEqual(first.body);
    expect(await put('pasta')).toMatchObject({ status: 422, body: { error_code: 'IDEMPOTENCY_KEY_REUSED' } });
  });

  it('gives a key of raw names to one body only, and never numbers two events alike', async () => {
    const register = (entity_id_raw: string) =>
      call('POST', '/sem/keys', {
        body: { scope: 'world', entity_type: 'note', entity_id_raw, attribute_raw: 'text' },
        headers: { 'idempotency-key': 'names' },
      });
    const first = await register('One Thing');
    expect(first.status).toBe(200);
    expect((await register('One Thing')).body).toEqual(first.body);
    expect(await register('Another Thing')).toMatchObject({
      status: 422,
      body: { error_code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    const { events } = await platform.eventStore.readAll({ after: START, limit: 4096 });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  it('writes once under one key, however the path is spelled', async () => {
    const put = (id: string) =>
      call('PUT', `/sem/user/profile/${id}/drink`, {
        body: { value: 'tea' },
        headers: { 'idempotency-key': 'spelled' },
      });
    const first = await put('user_tuff');
    expect((await put('user%5Ftuff')).body).toEqual(first.body);
    expect((await call('GET', '/sem/user/profile/user_tuff/drink')).etag).toBe('"0"');
  });

  it('misses with the golden message, and says nothing of another’s keys', async () => {
    expect(await call('GET', '/sem/user/profile/user_tuff/none')).toMatchObject({
      status: 400,
      body: {
        error_code: 'SEM_NOT_FOUND',
        user_message: 'I don’t have that information stored yet. If you want, tell me and I’ll remember it.',
        developer_message: 'SEM lookup for key user/profile/user_tuff/none returned empty.',
      },
    });
    for (const path of [COLOR, '/sem/user/profile/user_tuff/none', `${COLOR}/history`]) {
      expect(await call('GET', path, { as: eve })).toMatchObject({
        status: 403,
        body: { error_code: 'PERMISSION_DENIED' },
      });
    }
    expect(await call('PUT', COLOR, { as: eve, body: { value: 1 } })).toMatchObject({ status: 403 });
  });

  it('refuses personal data, and keeps it out of what is stored', async () => {
    const answer = await call('PUT', '/sem/user/profile/user_tuff/note', { body: { value: 'my SSN is 123-45-6789' } });
    expect(answer).toMatchObject({ status: 403, body: { error_code: 'PRIVACY_BLOCKED' } });
    expect(JSON.stringify(answer.body)).not.toContain('123-45-6789');
    const { events } = await platform.eventStore.readStream('access-user_tuff');
    expect(events.at(-1)!.type).toBe('PII_FLAGGED');
  });

  it.each<[string, string, unknown]>([
    ['no value', COLOR, {}],
    ['null', COLOR, { value: null }],
    ['an unknown field', COLOR, { value: 1, ttl: 3 }],
    ['another’s source', COLOR, { value: 1, source: 'system' }],
    ['a value of 17,000 characters', COLOR, { value: 'x'.repeat(17_000) }],
    ['a number of twelve decimals', COLOR, { value: 0.123456789012 }],
    ['a reserved name', COLOR, { value: { $enc: {} } }],
    ['a key in capitals', '/sem/user/profile/user_tuff/Color', { value: 1 }],
    ['a scope that is none', '/sem/nobody/profile/user_tuff/color', { value: 1 }],
    ['a slash inside a part', '/sem/user%2Fprofile/user_tuff/color/x', { value: 1 }],
    ['a part of 65 characters', `/sem/user/profile/user_tuff/${'x'.repeat(65)}`, { value: 1 }],
  ])('refuses %s', async (_, path, body) => {
    expect(await call('PUT', path, { body })).toMatchObject({ status: 400, body: { error_code: 'INVALID_INPUT' } });
  });

  it('refuses a field named __proto__, and stores nothing', async () => {
    const path = '/sem/user/profile/user_tuff/odd';
    const body = JSON.parse('{"value":{"__proto__":{"admin":true},"a":1}}') as unknown;
    expect(await call('PUT', path, { body })).toMatchObject({ status: 400, body: { error_code: 'INVALID_INPUT' } });
    expect((await call('GET', path)).body['error_code']).toBe('SEM_NOT_FOUND');
  });

  it('deletes for an elevated admin, lists keys for an admin, by prefix and page', async () => {
    await call('PUT', '/sem/world/fact/zeta/name', { as: admin, body: { value: 'z' } });
    await call('PUT', '/sem/world/fact/alpha/name', { as: admin, body: { value: 'a' } });
    await call('PUT', '/sem/world/fact/mid/name', { as: admin, body: { value: 'm' } });
    expect(await call('DELETE', '/sem/world/fact/mid/name')).toMatchObject({ status: 403 });
    const gone = await call('DELETE', '/sem/world/fact/mid/name', { as: admin });
    expect(gone).toMatchObject({
      status: 200,
      etag: '"1"',
      body: { success: true, error_code: null, applied: true, revision: 1 },
    });
    await projections.waitFor(String(gone.body['position']), ['sem']);

    expect(await call('GET', '/sem?prefix=world/')).toMatchObject({ status: 403 });
    const page = await call('GET', '/sem?prefix=world/fact/&limit=1', { as: admin });
    expect(page.body).toMatchObject({ items: ['world/fact/alpha/name'], position: expect.stringMatching(/^[0-9]+$/) });
    const next = await call(
      'GET',
      `/sem?prefix=world/fact/&limit=1&cursor=${encodeURIComponent(String(page.body['next_cursor']))}`,
      { as: admin },
    );
    expect(next.body['items']).toEqual(['world/fact/zeta/name']);
    for (const prefix of ['world/*', 'world/%25', 'world/?', 'WORLD/']) {
      expect(await call('GET', `/sem?prefix=${prefix}`, { as: admin })).toMatchObject({ status: 400 });
    }
  });

  it('makes keys of raw names, once and for all, and resolves phrases', async () => {
    const register = (entity_id_raw: string) =>
      call('POST', '/sem/keys', {
        body: { scope: 'World', entity_type: 'Fact', entity_id_raw, attribute_raw: 'Definition' },
      });
    expect((await register('Ohms Law')).body).toEqual({ canonical_key: 'world/fact/ohms_law/definition' });
    const other = await register('Ohms-Law!');
    expect(other.body['canonical_key']).toMatch(/^world\/fact\/ohms_law-[0-9a-f]{6}\/definition$/);
    expect((await register('Ohms-Law!')).body).toEqual(other.body);
    expect(
      (
        await call('POST', '/sem/keys', {
          body: { scope: 'user', entity_type: 'profile', attribute_raw: 'Favorite Color', user_id: 'TUFF' },
        })
      ).body,
    ).toEqual({
      canonical_key: 'user/profile/user_tuff/favorite_color',
    });
    expect(await register('jane.doe@gmail.com')).toMatchObject({
      status: 403,
      body: { error_code: 'PRIVACY_BLOCKED' },
    });
    expect((await call('GET', '/sem/resolve?text=fav%20colour')).body).toEqual({
      canonical_key: 'user/profile/user_tuff/favorite_color',
    });
    expect((await call('GET', '/sem/resolve?text=no%20such%20thing%20at%20all')).body).toEqual({ canonical_key: null });
  });

  async function call(method: string, path: string, { as = tuff, body, headers = {} }: Call = {}) {
    const answer = await app.fastify.inject({
      method: method as 'GET',
      url: path,
      headers: {
        authorization: `Bearer ${as}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, etag: answer.headers['etag'], body: answer.json<Record<string, unknown>>() };
  }

  function token(userId: string, roles: readonly Role[], amr?: string[]): Promise<string> {
    const common = { userId, roles, ttlSeconds: 600, now: Date.now(), issuer: 'mace', audience: 'mace' };
    return signToken(platform.ring, { ...common, ...(amr ? { amr } : {}) });
  }
});
