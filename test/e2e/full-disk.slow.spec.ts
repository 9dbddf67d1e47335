import { join } from 'node:path';

import { keyFileIn, readKeyFile, type Role, signToken } from '#lib/access';
import { KeyRing } from '#lib/kernel';

import { eventually, until } from '../support/eventually.js';
import { everyServedJobReplays } from '../support/replay-check.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';
import { describeWithSmallDisk, SmallDisk } from '../support/small-disk.js';

jest.setTimeout(300_000);

interface Answer {
  readonly error_code: string;
  readonly event_id: string;
  readonly value: string;
  readonly meta: { readonly revocation?: unknown };
}
interface IncidentView {
  readonly status: string;
  readonly cause: { readonly type: string };
}
interface ProjectionView {
  readonly name: string;
  readonly state: string;
}

describeWithSmallDisk('a server, with its projections, whose disk is full', () => {
  const MB = 64;
  /** More than the room that a store keeps by it. */
  const MOST = 400;
  let disk: SmallDisk;
  let folder: string;
  let server: ServedProcess;
  const acknowledged = new Map<string, string>();

  beforeAll(async () => {
    disk = SmallDisk.mount(MB);
    folder = join(disk.path, 'data');
    server = await ServedProcess.start(folder);
  });
  afterAll(async () => {
    await server?.kill();
    disk.unmount();
  });

  function tokenOf(role: Role): Promise<string> {
    const ring = new KeyRing(readKeyFile(keyFileIn(folder)));
    const order = { issuer: 'mace', audience: 'mace', userId: role, roles: [role], ttlSeconds: 600, amr: ['otp'] };
    return signToken(ring, { ...order, now: Date.now() });
  }

  async function statusWith(token: string): Promise<number> {
    return (await fetch(`${server.url}/jobs`, { headers: { authorization: `Bearer ${token}` } })).status;
  }

  async function call<T>(role: Role, method: string, path: string, body?: unknown) {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${await tokenOf(role)}`,
        'content-type': 'application/json',
        ...EACH_ITS_OWN,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  const keyOf = (i: number): string => `/sem/user/profile/user_user/key_${i}`;

  async function put(i: number): Promise<{ status: number; code: string }> {
    const value = `value ${i} ${'x'.repeat(8_000)}`;
    const { status, body } = await call<Answer>('user', 'PUT', keyOf(i), { value });
    if (status === 200) acknowledged.set(keyOf(i), value);
    return { status, code: body.error_code };
  }

  it('says that it is full, keeps what it acknowledged, and goes on by itself once there is room', async () => {
    expect((await put(0)).status).toBe(200);
    const from = server.log().length;
    const makeRoom = disk.fill();
    let refused = { status: 200, code: '' };
    for (let i = 1; i < MOST && refused.status === 200; i++) refused = await put(i);
    expect(refused).toEqual({ status: 507, code: 'STORAGE_FULL' });
    for (let i = 0; i < 20; i++) expect((await put(MOST + i)).status).not.toBe(200);
    expect((await call<Answer>('user', 'GET', keyOf(0))).status).toBe(200);
    const token = await tokenOf('user');
    expect(await statusWith(token)).toBe(200);
    const revoked = await call<Answer>('user', 'POST', '/auth/revoke', { token });
    expect([revoked.status, revoked.body.error_code, revoked.body.meta.revocation]).toEqual([
      507,
      'STORAGE_FULL',
      { holds_in: 'this process', stored: false },
    ]);
    expect(await statusWith(token)).toBe(401);

    makeRoom();
    await until(async () => (await put(2 * MOST)).status === 200, 'room');
    const told = server
      .log()
      .slice(from)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('    at '));
    const shortages = async () => (await call<{ items: IncidentView[] }>('operator', 'GET', '/incidents')).body.items;
    await until(
      async () => (await shortages()).some(({ cause, status }) => cause.type === 'STORAGE_FULL' && status === 'closed'),
      'the end of the incident',
    );
    expect((await call<Answer>('user', 'POST', '/auth/revoke', { token })).status).toBe(200);
    expect(await statusWith(token)).toBe(401);
    // Twenty-one writes were refused, and each projection went and came back once.
    const ofRequests = told.filter((line) => line.includes('a request failed'));
    expect({ told, many: ofRequests.length > 2 || told.length > 40 }).toEqual({ told, many: false });
  });

  it('has lost nothing, and its read models are as fresh ones', async () => {
    for (const [key, value] of acknowledged) expect((await call<Answer>('user', 'GET', key)).body.value).toBe(value);
    const list = async () => (await call<{ items: ProjectionView[] }>('operator', 'GET', '/projections')).body.items;
    await until(async () => (await list()).every(({ state }) => state === 'live'), 'live projections');
    for (const { name } of await list()) {
      const path = `/projections/${name}/rerun`;
      const { body } = await call<{ rerun_id: string }>('operator', 'POST', path, {});
      const done = await eventually(async () => {
        const view = (await call<{ state: string }>('operator', 'GET', `/projections/${name}/reruns/${body.rerun_id}`))
          .body;
        return view.state === 'running' ? null : view;
      }, `the rerun of ${name}`);
      expect({ name, done }).toMatchObject({ name, done: { result: { equal: true } } });
    }
    expect(await call<Answer>('user', 'POST', '/jobs', { query_text: '6 * 7' })).toMatchObject({ status: 200 });
    expect(await server.stop()).toBe(0);
    expect(await everyServedJobReplays(folder)).toBeGreaterThan(0);
  });
});
