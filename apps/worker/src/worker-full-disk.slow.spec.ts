import { cpSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { until } from '../../../test/support/eventually.js';
import { freePort } from '../../../test/support/free-port.js';
import type { ServedProcess } from '../../../test/support/served-process.js';
import { describeWithSmallDisk, SmallDisk } from '../../../test/support/small-disk.js';
import { linesOf, Workshop } from '../../../test/support/workshop.js';

describeWithSmallDisk('mace worker, whose disk is full', () => {
  const MB = 32;
  let shop: Workshop;
  let disk: SmallDisk;
  let dataDir: string;
  let worker: ServedProcess;
  let port: number;
  let watched: string;
  beforeAll(async () => {
    shop = await Workshop.open('worker-disk');
    disk = SmallDisk.mount(MB);
    dataDir = join(disk.path, 'data');
    const keys = shop.stores.settings['MACE_KEYS_FILE']!;
    cpSync(dirname(keys), join(disk.path, 'keys'), { recursive: true });
    port = await freePort();
    watched = `http://127.0.0.1:${port}`;
    worker = await start();
    await shop.caughtUp();
  }, 180_000);

  const start = (): Promise<ServedProcess> =>
    shop.worker(dataDir, {
      MACE_METRICS_PORT: String(port),
      MACE_KEYS_FILE: join(disk.path, 'keys', 'keys.json'),
      MACE_LOG_LEVEL: 'info',
    });

  afterAll(async () => {
    await shop?.close();
    disk?.unmount();
  });

  /** What its own figures say. */
  async function figure(name: string): Promise<number> {
    const text = await (await fetch(`${watched}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  }

  const isSigned = async (): Promise<boolean> => (await figure('mace_log_provable')) === 1;

  async function put(i: number): Promise<void> {
    const value = `value ${i} ${'x'.repeat(2_000)}`;
    const { status } = await shop.call('user', 'PUT', `/sem/user/profile/user_user/key_${i}`, { value });
    expect(status).toBe(200);
  }

  async function incidents(): Promise<number> {
    return (await shop.call<{ items: unknown[] }>('operator', 'GET', '/incidents')).body.items.length;
  }

  it('says so once, goes on with read models and reactions, and signs what came by itself once there is room', async () => {
    await until(isSigned, 'a first checkpoint');
    const [from, before] = [worker.log().length, await incidents()];
    const makeRoom = disk.fill();
    for (let i = 0; i < 20; i++) await put(i);
    const halting = { event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' };
    expect((await shop.call('operator', 'POST', '/events/failure', halting)).status).toBe(200);
    await until(async () => (await incidents()) > before, 'the incident that it opens');
    await shop.caughtUp();
    await until(async () => !(await isSigned()), 'a log that is not signed');
    expect((await fetch(`${watched}/health/ready`)).status).toBe(503);

    makeRoom();
    await until(isSigned, 'a signed log');
    expect((await fetch(`${watched}/health/ready`)).status).toBe(200);
    await until(() => linesOf(worker, from).length >= 4, 'what its log says of it');
    expect(linesOf(worker, from)).toEqual([
      expect.stringMatching(/error the Merkle log does not grow, or is not signed .*because the disk is full/),
      expect.stringMatching(/warn {2}not ready: .* 0 MiB are free where the data folder lies/),
      expect.stringMatching(/info {2}the Merkle log grows and is signed again/),
      expect.stringMatching(/info {2}ready/),
    ]);
  });

  it('ends on it as it is told, is not started without room, and has everything afterwards', async () => {
    const makeRoom = disk.fill();
    await put(21);
    await shop.caughtUp();
    expect(await worker.stop()).toBe(0);
    await put(22);
    const refused = await start().then(() => 'started', String);
    expect(refused).toMatch(/ended with 1: mace: .*proof\.db cannot be written because the disk is full\. Make room/);
    makeRoom();
    worker = await start();
    await shop.caughtUp();
    await until(isSigned, 'a signed log');
    expect(await shop.mace(dataDir, 'integrity', 'verify')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^SOUND/),
    });
    for (const name of ['sem', 'incidents']) {
      expect(await shop.mace('api', 'projections', 'rerun', name, '--from', '0')).toMatchObject({
        code: 0,
        out: expect.stringContaining('SAME'),
      });
    }
  });
});
