import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { generateSync } from 'otplib';

import { signToken } from '#lib/access';

import { newDataFolder } from '../../../../test/support/data-folder.js';
import { EventStoreForTests } from '../../../../test/support/event-store-for-tests.js';
import { asLocal } from '../edge/local-requests.js';
import { openApp, type OpenApp } from '../main.open.js';
import { readConfig } from '../platform.config.js';

const NAMES = { issuer: 'https://issuer.test', audience: 'mace-test' };

describe('a process whose tokens come from an issuer, with a limit of rates', () => {
  let folder: string;
  let issuer: Server;
  let key: CryptoKey;
  let open: OpenApp;
  let store: EventStoreForTests;

  beforeAll(async () => {
    const pair = await generateKeyPair('RS256');
    key = pair.privateKey;
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256' }] });
    issuer = createServer((_, response) => response.end(keys));
    await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done));
    folder = await newDataFolder('issuer');
    store = await EventStoreForTests.start(folder);
    open = await openApp(
      readConfig({
        ...store.settings,
        MACE_DATA_DIR: folder,
        MACE_LOG_LEVEL: 'silent',
        MACE_JWKS_URL: `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`,
        MACE_JWT_ISSUER: NAMES.issuer,
        MACE_JWT_AUDIENCE: NAMES.audience,
        MACE_RATE_LIMIT: '100/3600',
      }),
    );
  });
  afterAll(async () => {
    await open.app.nest.close();
    await open.platform.running.stopAll();
    await open.platform.close();
    await store.close();
    issuer.closeAllConnections();
    issuer.close();
    await rm(folder, { recursive: true, force: true });
  });

  function issued(
    user: string,
    roles: readonly string[],
    more: Record<string, unknown> = {},
    ahead = 0,
  ): Promise<string> {
    return new SignJWT({ roles, jti: crypto.randomUUID(), ...more })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setSubject(user)
      .setIssuer(NAMES.issuer)
      .setAudience(NAMES.audience)
      .setIssuedAt(Math.floor(Date.now() / 1000) + ahead)
      .setExpirationTime('1h')
      .sign(key);
  }
  const ask = async (token: string, method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await open.app.fastify.inject({ method, url, headers, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
  };
  const put = (token: string) => ask(token, 'PUT', '/sem/world/fact/pi/value', { value: 3 });

  test('its tokens are taken, and its second factor counts as one of ours', async () => {
    expect((await ask(await issued('ada', ['admin']), 'GET', '/jobs')).status).toBe(200);
    expect((await put(await issued('ada', ['admin']))).status).toBe(401);
    const factor = { amr: ['pwd', 'mfa'], auth_time: Math.floor(Date.now() / 1000) };
    expect((await put(await issued('ada', ['admin'], factor))).status).toBe(200);
  });

  test('one of its tokens is traded for an elevated one, which falls with it', async () => {
    const factor = { amr: ['otp'], auth_time: Math.floor(Date.now() / 1000) };
    const enrolled = await ask(await issued('bea', ['admin'], factor), 'POST', '/auth/otp/enrol');
    const otp = generateSync({ secret: enrolled.body['secret'] as string });
    const token = await issued('bea', ['admin']);
    const { status, body } = await ask(token, 'POST', '/auth/step-up', { otp });
    expect(status).toBe(200);
    const elevated = body['access_token'] as string;
    expect((await put(elevated)).status).toBe(200);
    expect((await ask(token, 'POST', '/auth/revoke', { token })).status).toBe(200);
    expect((await put(elevated)).status).toBe(401);
  });

  test('one that says it was issued a second from now, and what it was traded for, fall with their person', async () => {
    const factor = { amr: ['otp'], auth_time: Math.floor(Date.now() / 1000) };
    const enrolled = await ask(await issued('cid', ['admin'], factor), 'POST', '/auth/otp/enrol');
    const otp = generateSync({ secret: enrolled.body['secret'] as string });
    const ahead = await issued('cid', ['admin'], {}, 1);
    const { body } = await ask(ahead, 'POST', '/auth/step-up', { otp });
    const elevated = body['access_token'] as string;
    expect((await put(elevated)).status).toBe(200);
    const removal = { method: 'POST', url: '/local/principals/remove', payload: { user_id: 'cid' } } as const;
    expect((await asLocal(async () => open.app.fastify.inject(removal))).statusCode).toBe(200);
    expect((await ask(ahead, 'GET', '/jobs')).status).toBe(401);
    expect((await put(elevated)).status).toBe(401);
  });

  test.each([
    ['/local/principals', { user_id: 'new' }],
    ['/local/otp/enrol', { user_id: 'bea' }],
    ['/local/otp/verify', { user_id: 'bea', otp: '123456' }],
  ])('whoever holds the folder makes nobody’s way in by %s: that is the issuer’s', async (url, payload) => {
    const enrol = { method: 'POST', url, payload } as const;
    const answer = await asLocal(async () => open.app.fastify.inject(enrol));
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      expect.objectContaining({ error_code: 'PERMISSION_DENIED' }),
    ]);
    expect(answer.payload).not.toMatch(/"secret"|otpauth/);
  });

  test('a token of the ring is not taken', async () => {
    const order = { userId: 'ada', roles: ['admin'] as const, ttlSeconds: 60, now: Date.now(), ...NAMES };
    expect(await ask(await signToken(open.platform.ring, order), 'GET', '/jobs')).toMatchObject({
      status: 401,
      body: { developer_message: 'the bearer token is refused: tokens come from the issuer, not from this machine' },
    });
  });

  test('health and well-known keys answer however often they are asked, and the documents do not', async () => {
    const statuses = async (url: string) => {
      const found = new Set<number>();
      for (let i = 0; i < 20; i++)
        found.add((await open.app.fastify.inject({ url, remoteAddress: '192.0.2.7' })).statusCode);
      return [...found];
    };
    expect(await statuses('/health/live')).toEqual([200]);
    expect(await statuses('/.well-known/jwks.json')).toEqual([200]);
    expect(await statuses('/openapi.json')).toEqual([200, 429]);
  });
});
