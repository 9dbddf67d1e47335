import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';

import { until } from '../support/eventually.js';
import { inside } from '../support/inside-server.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';
import { Workshop } from '../support/workshop.js';

/** Beyond ACTIONREQUEST_TIMEOUT. */
const AWAY_MS = 73 * 3_600_000;
const LATER = inside(`const told = Date.now; Date.now = () => told() + ${AWAY_MS};`);

const WANTED = { kind: 'maintenance', payload: { action: 'maintenance', what: 'vacuum' }, justification: 'it is full' };

type Call = <T>(role: Role, method: string, path: string, body?: unknown) => Promise<{ status: number; body: T }>;

async function ask(call: Call): Promise<string> {
  const { status, body } = await call<{ request_id: string; required_approval_type: string }>(
    'operator',
    'POST',
    '/actionrequest/create',
    WANTED,
  );
  expect([status, body.required_approval_type]).toEqual([200, 'admin_single']);
  return body.request_id;
}

async function statusOf(call: Call, id: string): Promise<string> {
  return (await call<{ status: string }>('admin', 'GET', `/actionrequest/${id}`)).body.status;
}

async function typesOf(call: Call, id: string): Promise<readonly string[]> {
  const path = `/governance/events/${id}`;
  const { body } = await call<{ items: readonly { type: string }[] }>('admin', 'GET', path);
  return body.items.map(({ type }) => type);
}

const ONCE = ['ACTION_REQUESTED', 'ACTION_EXPIRED'];

describe('a request that nobody decided while the server was away', () => {
  let folder: string;
  let server: ServedProcess;
  let ahead = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-overdue-'));
    server = await ServedProcess.start(folder);
  }, 180_000);
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const call: Call = async <T>(role: Role, method: string, path: string, body?: unknown) => {
    const ring = new KeyRing(readKeyFile(keyFileIn(folder)), () => Date.now() + ahead);
    const order = { issuer: 'mace', audience: 'mace', userId: role, roles: [role], ttlSeconds: 3600, amr: ['otp'] };
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${await signToken(ring, { ...order, now: Date.now() + ahead })}`,
        'content-type': 'application/json',
        ...EACH_ITS_OWN,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  };

  it('expires at the start, once, also over a kill, and is not approved any more', async () => {
    const id = await ask(call);
    await server.kill();
    ahead = AWAY_MS;
    for (let life = 0; life < 2; life++) {
      server = await ServedProcess.start(folder, LATER);
      await until(async () => (await statusOf(call, id)) === 'expired', 'its end');
      expect(await typesOf(call, id)).toEqual(ONCE);
      await server.kill();
    }
    server = await ServedProcess.start(folder, LATER);
    const { body } = await call<{ proposal_digest: string }>('admin', 'GET', `/actionrequest/${id}`);
    const late = await call('admin', 'POST', `/actionrequest/${id}/approve`, { proposal_digest: body.proposal_digest });
    expect(late).toMatchObject({ status: 409, body: { error_code: 'CONFLICT' } });
    expect(await typesOf(call, id)).toEqual(ONCE);
  });
});

describe('requests that nobody decided while every worker was away, on shared stores', () => {
  let shop: Workshop;
  beforeAll(async () => {
    shop = await Workshop.open('overdue', { MACE_PROJECTION_LEASE_MS: '1000' });
  }, 180_000);
  afterAll(() => shop?.close());

  it('expire once each where two workers start at once, and one is killed then', async () => {
    const call: Call = (...args) => shop.call(...args);
    const ids = [await ask(call), await ask(call), await ask(call)];
    const [one] = await Promise.all([shop.worker('one', LATER), shop.worker('other', LATER)]);
    await until(async () => (await statusOf(call, ids[0]!)) === 'expired', 'the end of the first');
    await one.kill();
    for (const id of ids) await until(async () => (await statusOf(call, id)) === 'expired', 'the end of all');
    await shop.caughtUp();
    for (const id of ids) expect(await typesOf(call, id)).toEqual(ONCE);
  });
});
