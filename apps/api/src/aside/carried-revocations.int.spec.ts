import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { signToken } from '#lib/access';
import type { EventCodec, EventLog } from '#lib/event-store';
import type { ErrorEnvelope } from '#lib/kernel';
import { restoreFolder } from '#lib/proof';
import { DataFolder } from '#lib/sqlite';

import { describeEmbedded, NO_RESTORE } from '../../../../test/support/event-store-for-tests.js';
import { JobApp } from '../../../../test/support/job-app.js';
import type { Logger } from '../edge/log.js';
import { carryRevocations } from './carried-revocations.js';

const EMAIL = 'zebulon.quuxworthy@pennyfarthing-cycles.org';
const KEY = '/sem/user/profile/user_zed/work_contact';

let app: JobApp;
let backup: string;
let token: string;

const authorized = (method: 'GET' | 'POST', url: string) =>
  app.parts.app.fastify.inject({
    method,
    url,
    headers: { authorization: `Bearer ${token}`, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
    ...(method === 'POST' ? { payload: JSON.stringify({ token }) } : {}),
  });

async function restore(): Promise<void> {
  const folder = DataFolder.take(app.folder);
  const keyFile = join(app.folder, 'keys', 'ring.json');
  await restoreFolder({ folder, from: backup, ring: app.parts.platform.ring, keyFile, now: Date.now });
  folder.release();
}

beforeAll(async () => {
  app = await JobApp.open();
  backup = mkdtempSync(join(tmpdir(), 'mace-copy-'));
});
afterAll(async () => {
  rmSync(backup, { recursive: true, force: true });
  await app.dispose();
});

describeEmbedded('a restore of a copy from before a revocation', NO_RESTORE, () => {
  it('gives back neither the value of a consent that was revoked since, nor a token', async () => {
    const zed = await app.caller('zed');
    const grant = { pii_type: 'email', scope: 'persistent', consent_text: 'Keep where I can be reached.' };
    const { body: consent } = await zed.send<{ consent_id: string }>('POST', '/consents', grant);
    expect((await zed.send('PUT', KEY, { value: EMAIL })).status).toBe(200);
    const names = { issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now: Date.now() };
    token = await signToken(app.parts.platform.ring, { ...names, userId: 'wim', roles: ['user'] });
    await app.whileClosed(() => cpSync(app.folder, backup, { recursive: true }));
    expect((await authorized('GET', '/jobs')).statusCode).toBe(200);
    expect((await zed.send('POST', `/consents/${consent.consent_id}/revoke`, {})).status).toBe(200);
    expect((await authorized('POST', '/auth/revoke')).statusCode).toBe(200);
    expect((await authorized('GET', '/jobs')).statusCode).toBe(401);
    await app.whileClosed(restore);
    const { status, body } = await zed.get<ErrorEnvelope>(KEY);
    expect([status, body.error_code]).toEqual([400, 'SEM_NOT_FOUND']);
    expect((await authorized('GET', '/jobs')).statusCode).toBe(401);
    const revoked = (await app.stream('consent-user_zed')).at(-1)!;
    expect(revoked).toMatchObject({ type: 'PII_CONSENT_REVOKE', metadata: { actor: { id: 'system' } } });
  });

  it('carries each revocation once', async () => {
    const { events, codec, log, folder } = app.parts.platform;
    const head = await events.store.head();
    expect(await carryRevocations(events, folder.path, codec, log)).toBe(0);
    expect(await events.store.head()).toBe(head);
  });

  it('tells of a replaced log that cannot be read, and goes on', async () => {
    const damaged = mkdtempSync(join(tmpdir(), 'mace-damaged-'));
    try {
      mkdirSync(join(damaged, 'replaced-1'));
      writeFileSync(join(damaged, 'replaced-1', 'events.db'), Buffer.alloc(8192, 'not a database'));
      const told: string[] = [];
      const log = { error: (_: unknown, text: string) => told.push(text) } as unknown as Logger;
      expect(await carryRevocations({} as EventLog, damaged, {} as EventCodec, log)).toBe(0);
      expect(told).toEqual(['revocations after the copy may be lost: this log cannot be read']);
    } finally {
      rmSync(damaged, { recursive: true });
    }
  });
});
