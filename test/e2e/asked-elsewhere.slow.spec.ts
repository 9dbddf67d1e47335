import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKeyFile, signToken } from '#lib/access';
import type { JsonObject } from '#lib/kernel';

import { until } from '../support/eventually.js';
import { ServedProcess } from '../support/served-process.js';
import { SharedStores } from '../support/shared-stores.js';

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** What is long in coming and was asked for at one server, asked for again at another one on the same stores. */
describe('a request under one Idempotency-Key that reaches another server the second time', () => {
  let folder: string;
  let stores: SharedStores;
  let one: ServedProcess;
  let other: ServedProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-elsewhere-'));
    stores = await SharedStores.start(folder);
    const settings = { ...stores.settings, MACE_PROJECTION_LEASE_MS: '1500' };
    one = await ServedProcess.start(join(folder, 'one'), settings);
    other = await ServedProcess.start(join(folder, 'other'), settings);
  }, 240_000);
  afterAll(async () => {
    await one?.kill();
    await other?.kill();
    await stores?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(server: ServedProcess, path: string, body?: JsonObject): Promise<Answer> {
    const now = Date.now();
    const ring = openKeyFile(stores.settings['MACE_KEYS_FILE']!, { mayDraw: false, production: false, now });
    const order = { userId: 'olga', roles: ['operator', 'auditor'] as const, issuer: 'mace', audience: 'mace' };
    const token = await signToken(ring, { ...order, ttlSeconds: 600, now });
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json', 'idempotency-key': `once${path.replaceAll('/', '-')}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  }

  it.each([
    ['/replay/sweeps', 'sweep_id', '/replay/sweeps', { threads: 1 }, { threads: 2 }],
    ['/integrity/verify', 'verification_id', '/integrity/verifications', { workers: 1 }, { workers: 2 }],
  ])(
    'POST %s: begins nothing there, answers what was begun, and refuses another body',
    async (path, name, list, body, another) => {
      const first = await ask(one, path, body);
      expect(first).toMatchObject({ status: 202 });
      const id = first.body[name] as string;
      const again = await ask(other, path, body);
      expect([again.status, again.body[name], ['running', 'done'].includes(again.body['state'] as string)]).toEqual([
        202,
        id,
        true,
      ]);
      expect(await ask(other, path, another)).toMatchObject({
        status: 422,
        body: { error_code: 'IDEMPOTENCY_KEY_REUSED' },
      });
      const look = (): Promise<Answer> => ask(other, `${list}/${id}`);
      await until(async () => (await look()).body['state'] === 'done', 'its end');
      const recorded = await ask(one, `${list}/${id}`);
      expect((await ask(other, path, body)).body).toMatchObject({
        [name]: id,
        state: 'done',
        summary_event_id: recorded.body['summary_event_id'],
        started_at: first.body['started_at'],
      });
      expect((await ask(one, path, body)).body).toMatchObject({ [name]: id, state: 'done' });
      const listed = (await ask(other, list)).body['items'] as readonly JsonObject[];
      expect(listed.filter((item) => item[name] === id)).toHaveLength(1);
    },
    120_000,
  );
});
