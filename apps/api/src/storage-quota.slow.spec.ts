import { randomBytes } from 'node:crypto';

import { fixtureKeyRing, signToken, type Role } from '#lib/access';
import { StorageFullError } from '#lib/event-store';
import { EventRegistry } from '#lib/kernel';
import { accessEvents } from '#lib/access';

import { eventually, until } from '../../../test/support/eventually.js';
import { type Caller, JobApp } from '../../../test/support/job-app.js';
import { asLocal } from './edge/local-requests.js';
import { EVENT_DEFINITIONS } from './event-definitions.js';
import { PROTECTING_EVENTS } from './platform.room.js';

type Body = Record<string, unknown>;

const MIB = 1024 * 1024;
const ELEVATED = ['otp'];
const SYSTEM = { id: 'system', role: 'system' };
const keyOf = (who: string, i: number): string => `/sem/user/profile/user_${who}/note_${i}`;

let app: JobApp;
let token: string;

const bearer = (one: string) => ({ authorization: `Bearer ${one}` });
async function statusWith(one: string, url: string): Promise<number> {
  return (await app.parts.app.fastify.inject({ method: 'GET', url, headers: bearer(one) })).statusCode;
}
function tokenOf(userId: string, roles: readonly Role[] = ['user']): Promise<string> {
  const order = { userId, roles, issuer: 'mace', audience: 'mace', ttlSeconds: 600, now: Date.now() };
  return signToken(fixtureKeyRing(), order);
}
async function ready(): Promise<Body> {
  return (await app.parts.app.fastify.inject({ method: 'GET', url: '/health/ready' })).json<Body>();
}
async function metric(name: string): Promise<string | undefined> {
  const { payload } = await app.parts.app.fastify.inject({ method: 'GET', url: '/metrics' });
  return new RegExp(`^${name} (.*)$`, 'm').exec(payload)?.[1];
}

/** Puts artifacts until there is room for none; answers their names. */
async function fill(): Promise<string[]> {
  const names: string[] = [];
  for (const size of [MIB, 32 * 1024, 1024]) {
    for (let full = false; !full;) {
      try {
        names.push(await app.parts.platform.artifacts.put(randomBytes(size), SYSTEM));
      } catch (error) {
        if (!(error instanceof StorageFullError)) throw error;
        full = true;
      }
    }
  }
  return names;
}

/** A healthy module, and one that depends on it. */
async function dependent(): Promise<void> {
  const both = await app.caller('both', ['admin', 'council', 'operator'], ELEVATED);
  for (const [node_id, ...requires] of [['service:base'], ['tool:mid', 'service:base']] as const) {
    const dependencies = requires.map((to) => ({ to, required: true }));
    const form = { node_id, type: node_id.split(':')[0], display_name: node_id, version: '1', dependencies };
    expect((await both.send('POST', '/module/register', form)).status).toBe(200);
  }
  for (const event_type of ['AGENT_SUCCESS', 'COUNCIL_APPROVAL', 'COUNCIL_APPROVAL']) {
    const payload = event_type === 'COUNCIL_APPROVAL' ? { approve: true } : {};
    const said = { node_id: 'service:base', event_type, payload };
    expect((await both.send('POST', '/apt/event', said)).status).toBe(200);
  }
  await until(() => isFlagged(false), 'the health of what it depends on');
}

async function isFlagged(wanted: boolean): Promise<boolean> {
  const { body } = await (await app.caller('both', ['operator'])).get<Body>('/modules/tool:mid');
  return body['dependency_unhealthy'] === wanted;
}

it('only what there is may use the reserve', () => {
  const registry = new EventRegistry([...accessEvents, ...EVENT_DEFINITIONS]);
  expect([...PROTECTING_EVENTS].filter((type) => registry.get(type) === undefined)).toEqual([]);
});

describe('a server whose stores have used their quota', () => {
  let tuff: Caller;
  let admin: Caller;
  let names: string[];

  beforeAll(async () => {
    app = await JobApp.open({ outageIntervalMs: 20 }, { MACE_STORAGE_QUOTA_MB: '40' });
    tuff = await app.caller('tuff');
    admin = await app.caller('ada', ['admin'], ELEVATED);
    token = await tokenOf('tuff');
    expect((await tuff.send('PUT', keyOf('tuff', 0), { value: 'before' })).status).toBe(200);
    expect(await statusWith(token, keyOf('tuff', 0))).toBe(200);
    await dependent();
    names = await fill();
  });
  afterAll(() => app.dispose());

  it('T31_STORAGE_FULL: refuses writes and jobs in the golden words, naming the limit, and counts what is in its artifacts', async () => {
    expect(names.length).toBeGreaterThan(10);
    for (const answer of [
      await tuff.send('PUT', keyOf('tuff', 1), { value: 'x'.repeat(8000) }),
      await tuff.ask(`What is 2 + 3? ${'x'.repeat(4000)}`),
    ]) {
      expect([answer.status, answer.body]).toMatchObject([
        507,
        {
          error_code: 'STORAGE_FULL',
          severity: 'critical',
          user_message: 'My memory is full right now; I can’t store new information.',
        },
      ]);
      expect(answer.body.developer_message).toContain('the stores have used the 40 MiB of MACE_STORAGE_QUOTA_MB');
    }
  });

  it('answers reads, also to somebody who comes for the first time', async () => {
    expect((await tuff.get<Body>(keyOf('tuff', 0))).body).toMatchObject({ value: 'before' });
    const eve = await app.caller('eve');
    expect((await eve.get(keyOf('eve', 0))).status).toBe(400);
    expect((await eve.get('/jobs')).status).toBe(200);
    // As `mace token` asks, which the first token of anybody comes of; it names its key.
    const registered = await asLocal(() =>
      app.parts.app.fastify.inject({
        method: 'POST',
        url: '/local/principals',
        headers: { 'idempotency-key': 'token-of-cid' },
        payload: { user_id: 'cid' },
      }),
    );
    expect([registered.statusCode, registered.payload]).toEqual([201, expect.stringContaining('user_cid')]);
    const auditor = await app.caller('aud', ['auditor']);
    expect((await auditor.get('/audit/streams/system-storage?unredacted=true')).status).toBe(200);
  });

  it('takes a revocation, under a key too, and the token is void', async () => {
    const own = await app.caller('tuff');
    const answer = await own.send<Body>('POST', '/auth/revoke', { token }, { 'idempotency-key': 'revoke-1' });
    expect([answer.status, answer.body]).toEqual([200, { revoked: true }]);
    expect(await statusWith(token, keyOf('tuff', 0))).toBe(401);
  });

  it('says so where operators look: readiness, metrics, and one critical incident that can be taken up', async () => {
    const limit = 'the stores have used the 40 MiB of MACE_STORAGE_QUOTA_MB';
    expect(await ready()).toMatchObject({
      status: 'ready',
      degraded: expect.arrayContaining([
        { part: 'storage', reason: `writes are refused with STORAGE_FULL: ${limit}` },
      ]) as unknown,
    });
    expect(await metric('mace_storage_full')).toBe('1');
    expect(Number(await metric('mace_storage_used_bytes'))).toBeGreaterThan(30 * MIB);
    expect(await metric('mace_storage_quota_bytes')).toBe(String(40 * MIB));
    const incident = await eventually(async () => {
      const { items } = (await admin.get<{ items: Body[] }>('/incidents?status=open')).body;
      const found = items.filter(({ cause }) => (cause as Body)['type'] === 'STORAGE_FULL');
      expect(found.length).toBeLessThan(2);
      return found[0] ?? null;
    }, 'the incident');
    expect(incident).toMatchObject({ severity: 'critical', status: 'open', cause: { stream: 'system-storage' } });
    const { incident_id } = incident;
    const acknowledged = await admin.send('POST', '/admin/incident/ack', {
      incident_id,
      note: 'more room is on order',
    });
    expect(acknowledged.status).toBe(200);
  });

  it('takes a module out of use, and flags those that depend on it', async () => {
    const otto = await app.caller('otto', ['operator']);
    const violation = { event_type: 'POLICY_VIOLATION', node_id: 'service:base' };
    expect(await otto.send('POST', '/events/failure', violation)).toMatchObject({ status: 200 });
    await until(() => isFlagged(true), 'the flag of who depends on it');
  });

  it('forgets a person on request, and their data key is destroyed', async () => {
    const clerk = await app.caller('clara', ['admin'], ELEVATED);
    const proof = { document_ref: 'ticket-4711', reason: 'asked at the counter' };
    const form = { kind: 'delete', user_id: 'tuff', identity_proof: proof };
    const filed = await clerk.send<Body>('POST', '/dsr/request', form);
    expect(filed.status).toBe(200);
    const id = filed.body['dsr_id'] as string;
    expect((await admin.send('POST', `/dsr/${id}/approve`, {})).status).toBe(200);
    await until(async () => (await app.stream(`dsr-${id}`)).some(({ type }) => type === 'SUBJECT_KEYS_DESTROYED'));
    expect((await tuff.get<Body>(keyOf('tuff', 0))).body['value']).not.toBe('before');
  });

  it('starts again, and says again that it is full', async () => {
    await app.whileClosed(() => undefined);
    expect(await ready()).toMatchObject({ degraded: [{ part: 'storage' }] });
    expect((await (await app.caller('eve')).send('PUT', keyOf('eve', 1), { value: 'x'.repeat(8000) })).status).toBe(
      507,
    );
  });

  it('goes on by itself once there is room, and the shortage ends on record', async () => {
    for (const name of names.slice(0, 4)) await app.parts.platform.artifacts.delete(name);
    const eve = await app.caller('eve');
    await until(async () => (await eve.send('PUT', keyOf('eve', 1), { value: 'after' })).status === 200);
    await until(async () => (await metric('mace_storage_full')) === '0');
    const told = await eventually(async () => {
      const events = await app.stream('system-storage');
      const states = events.map(({ type, data }) => `${type} ${data['state'] as string}`);
      return states.at(-1) === 'STORAGE_FULL up' ? states : null;
    }, 'the end of the shortage');
    expect(told.filter((one) => one === 'STORAGE_FULL down').length).toBeLessThan(3);
    expect((await ready())['degraded']).toBeUndefined();
  });
});

describe('a principal who has used its quota', () => {
  beforeAll(async () => {
    app = await JobApp.open({}, { MACE_PRINCIPAL_QUOTA_MB: '1' });
  });
  afterAll(() => app.dispose());

  const LIMIT = 'user_tuff has used the 1 MiB that one principal may use (MACE_PRINCIPAL_QUOTA_MB)';

  it('is refused, naming the limit, after a restart too; others are not, and what protects is taken', async () => {
    const tuff = await app.caller('tuff');
    let answer = await tuff.send('PUT', keyOf('tuff', 0), { value: 'x'.repeat(15_000) });
    for (let i = 1; answer.status === 200 && i < 100; i++)
      answer = await tuff.send('PUT', keyOf('tuff', i), { value: 'x'.repeat(15_000) });
    for (const one of [answer, await tuff.ask('What is 2 + 3?')]) {
      expect([one.status, one.body.error_code]).toEqual([507, 'STORAGE_FULL']);
      expect(one.body.developer_message).toContain(LIMIT);
    }
    expect((await tuff.get(keyOf('tuff', 0))).status).toBe(200);
    expect((await tuff.send('POST', '/auth/revoke', { token: await tokenOf('tuff') })).status).toBe(200);
    const eve = await app.caller('eve');
    expect((await eve.send('PUT', keyOf('eve', 0), { value: 'x'.repeat(8000) })).status).toBe(200);
    await app.whileClosed(() => undefined);
    const again = await tuff.send('PUT', keyOf('tuff', 0), { value: 'y'.repeat(15_000) });
    expect(again.body.developer_message).toContain(LIMIT);
    expect((await ready())['degraded']).toBeUndefined();
  });
});
