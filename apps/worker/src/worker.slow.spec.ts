import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKeyFile, signToken } from '#lib/access';

import { eventually, until } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import { ServedProcess } from '../../../test/support/served-process.js';
import { SharedStores } from '../../../test/support/shared-stores.js';

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly lag: { readonly events: number };
}

describe('mace worker', () => {
  let folder: string;
  let stores: SharedStores;
  let api: ServedProcess;
  let worker: ServedProcess;
  let watched: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-worker-'));
    stores = await SharedStores.start(folder);
    api = await ServedProcess.start(join(folder, 'api'), { ...stores.settings, MACE_ROLE: 'api' });
  }, 120_000);
  afterAll(async () => {
    await worker?.kill();
    await api?.kill();
    await stores?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function token(userId: string, role: 'user' | 'operator'): Promise<string> {
    const now = Date.now();
    const ring = openKeyFile(stores.settings['MACE_KEYS_FILE']!, { mayDraw: false, production: false, now });
    return signToken(ring, { userId, roles: [role], issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now });
  }

  async function projections(): Promise<readonly Listed[]> {
    const headers = { authorization: `Bearer ${await token('olga', 'operator')}` };
    const { items } = (await (await fetch(`${api.url}/projections`, { headers })).json()) as { items: Listed[] };
    return items;
  }

  it('is not needed by a server that hosts no projections to store and to answer, whose lists stay as they were', async () => {
    const headers = { authorization: `Bearer ${await token('tuff', 'user')}`, 'content-type': 'application/json' };
    const url = `${api.url}/sem/user/profile/user_tuff/favorite_color`;
    const put = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ value: 'blue' }) });
    expect(put.status).toBe(200);
    expect(await (await fetch(url, { headers })).json()).toMatchObject({ exists: true, value: 'blue' });
    const listed = await projections();
    expect(listed.length).toBeGreaterThan(5);
    for (const { state, lag } of listed) expect([state, lag.events > 0]).toEqual(['stopped', true]);
  });

  it('takes them up, and serves what watches over it on its own port and nothing else', async () => {
    const port = await freePort();
    watched = `http://127.0.0.1:${port}`;
    const settings = { ...stores.settings, MACE_ROLE: 'api', MACE_METRICS_PORT: String(port) };
    worker = await ServedProcess.start(join(folder, 'worker'), settings, 'worker');
    await until(async () => (await projections()).every(({ state, lag }) => state === 'live' && lag.events === 0));
    const live = await fetch(`${watched}/health/live`);
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }]);
    const ready = await fetch(`${watched}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }]);
    expect(await (await fetch(`${watched}/metrics`)).text()).toContain('mace_projection_lag_events');
    expect((await fetch(`${watched}/projections`)).status).toBe(404);
  });

  it('is waited for by a server that is asked what followed from a command of its own', async () => {
    const headers = { authorization: `Bearer ${await token('tuff', 'user')}`, 'content-type': 'application/json' };
    worker.tell('SIGSTOP');
    const job = await fetch(`${api.url}/jobs`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query_text: '6*7' }),
    });
    const { job_id } = (await job.json()) as { job_id: string };
    const told = eventually(async () => {
      const { status, ok } = await fetch(`${api.url}/jobs/${job_id}/log`, { headers });
      // Waiting has an end; what is behind is never told to be absent.
      expect([200, 409]).toContain(status);
      return ok ? status : null;
    }, 'the log of a job');
    const jobs = async () => (await projections()).find(({ name }) => name === 'jobs')!;
    await until(async () => (await jobs()).lag.events > 0, 'a read model that is behind');
    worker.tell('SIGCONT');
    expect(await told).toBe(200);
  });

  it('gives them back at SIGTERM and ends with 0', async () => {
    expect(await worker.stop()).toBe(0);
    for (const { state } of await projections()) expect(state).toBe('stopped');
  });

  it('refuses stores that it cannot share, and another’s data folder, each by name', async () => {
    const refused = (settings: Readonly<Record<string, string>>, dataDir = join(folder, 'refused')): Promise<string> =>
      ServedProcess.start(dataDir, settings, 'worker').then(() => 'started', String);
    // Said, so that a test run on another store gives it none.
    expect(await refused({ MACE_EVENT_STORE: 'embedded' })).toContain(
      'ended with 64: mace: MACE_EVENT_STORE: eventstoredb; mace worker needs it',
    );
    expect(await refused({ ...stores.settings, MACE_READ_STORE: 'embedded' })).toContain(
      'ended with 64: mace: MACE_READ_STORE: mongodb; mace worker needs it',
    );
    expect(await refused(stores.settings, join(folder, 'api'))).toMatch(/ended with 69: .* is in use by process/);
  });
});
