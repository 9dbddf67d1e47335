import { join } from 'node:path';

import { emptyHead } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';
import type { ParkedView } from '#lib/projections';
import { openMongoReadStore } from '#lib/read-store';

import { until } from '../../../test/support/eventually.js';
import type { ServedProcess } from '../../../test/support/served-process.js';
import { linesOf, Workshop } from '../../../test/support/workshop.js';
import { createLogger } from '../../api/src/edge/log.js';
import { EVENT_DEFINITIONS } from '../../api/src/event-definitions.js';
import { readConfig } from '../../api/src/platform.config.js';
import { openPlatform } from '../../api/src/platform.js';

const BEYOND = 1_000_000_000n;

describe('mace worker, where a read model', () => {
  let shop: Workshop;
  let worker: ServedProcess;
  beforeAll(async () => {
    shop = await Workshop.open('worker-poison', { MACE_PROJECTION_LEASE_MS: '1000' });
    worker = await shop.worker('worker');
    await shop.caughtUp();
  }, 180_000);
  afterAll(() => shop?.close());

  /** An event that no command writes, and that the projection of memory cannot take. */
  async function poison(): Promise<void> {
    const env = { ...shop.stores.settings, MACE_ROLE: 'api', MACE_DATA_DIR: join(shop.folder, 'poisoner') };
    const config = readConfig({ ...env, MACE_LOG_LEVEL: 'silent' });
    const platform = await openPlatform(config, EVENT_DEFINITIONS, createLogger(config));
    try {
      const jobSeed = systemSeed('poison', 'worker');
      const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
      const data = { key: 'no key', source: 'system', timestamp: '2025-01-01T00:00:00Z', deletion_manifest: null };
      await platform.events.append(emptyHead('sem-poison'), [{ type: 'sem_delete', data }], by);
    } finally {
      await platform.close();
    }
  }

  const stateOf = async (wanted: string) => (await shop.projections()).find(({ name }) => name === wanted)!;
  const mace = async (...args: readonly string[]) => shop.mace('api', 'projections', ...args);

  async function put(name: string): Promise<void> {
    const path = `/sem/user/profile/user_user/${name}`;
    expect((await shop.call('user', 'PUT', path, { value: 'x' })).status).toBe(200);
  }

  it('meets an event that it cannot take, halts that one, says so once, and goes on with the others', async () => {
    await poison();
    await until(async () => (await stateOf('sem')).state === 'halted', 'a halt');
    await put('one');
    await until(async () => {
      const others = (await shop.projections()).filter(({ name }) => name !== 'sem');
      return others.every(({ state, lag }) => state === 'live' && lag.events === 0);
    }, 'all others');
    expect(linesOf(worker)).toEqual([
      expect.stringMatching(/error a projection has a fault and tries again projection=sem .*kind=poison/),
      expect.stringMatching(/error a projection has halted at an event that it cannot take projection=sem /),
    ]);
    const shown = await mace('parked', 'sem');
    expect([shown.code, shown.out]).toEqual([1, expect.stringMatching(/halted +sem_delete +projecting/)]);
    expect((await mace('parked', 'jobs')).code).toBe(0);
  });

  it('is killed there, stands there again and says it once more', async () => {
    await worker.kill();
    worker = await shop.worker('worker');
    await until(async () => (await stateOf('sem')).state === 'halted' && linesOf(worker).length > 1, 'a halt');
    expect(linesOf(worker)).toEqual([
      expect.stringMatching(/warn {2}the process that served this data folder before ended without stopping /),
      expect.stringMatching(/error a projection has halted .* projection=sem /),
    ]);
  });

  it('goes on once the event is parked, tells a replay without a cure, and is without it once it is given up', async () => {
    const [{ position }] = JSON.parse((await mace('parked', 'sem', '--json')).out).items as [ParkedView];
    expect(await mace('park', 'sem')).toMatchObject({ code: 0, out: expect.stringContaining(`${position} is parked`) });
    await shop.caughtUp();
    expect(await mace('replay', 'sem')).toMatchObject({
      code: 1,
      out: expect.stringContaining('still cannot be taken'),
    });
    expect(await mace('replay', 'sem', 'one')).toMatchObject({ code: 64 });
    expect(await mace('discard', 'sem', '--reason', 'a test')).toMatchObject({ code: 0 });
    expect(await mace('parked', 'sem')).toMatchObject({ code: 0 });
    await shop.caughtUp();
    expect(await mace('rebuild', 'sem')).toMatchObject({ code: 0, out: expect.stringContaining('SAME') });
  });

  it('has a checkpoint of the future, says so once, and is made again', async () => {
    expect(await worker.stop()).toBe(0);
    const documents = await openMongoReadStore({ url: shop.stores.settings['MONGODB_URL']! });
    const [live] = (await documents.generations('jobs')).filter(({ name }) => !name.startsWith('live_'));
    const from = await documents.claim(live!);
    await documents.apply(live!, { changes: [], from, to: String(BigInt(from.position) + BEYOND) });
    await documents.close();
    worker = await shop.worker('worker');
    await shop.caughtUp();
    expect(linesOf(worker)).toEqual([
      expect.stringMatching(/warn {2}the read models .* are made again .*reason=jobs is at \d+, beyond the last event/),
    ]);
    expect(await mace('rebuild', 'jobs')).toMatchObject({ code: 0, out: expect.stringContaining('SAME') });
  });
});
