import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { until } from '../support/eventually.js';
import { ServedProcess } from '../support/served-process.js';
import { SharedStores } from '../support/shared-stores.js';

/** No measure: what waits for stores that are away without an end takes minutes. */
const HANGS_MS = 60_000;

describe('a process whose stores are away', () => {
  let folder: string;
  let stores: SharedStores;
  let server: ServedProcess;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-stopping-'));
    stores = await SharedStores.start(folder);
    server = await ServedProcess.start(join(folder, 'data'), stores.settings);
  });
  afterEach(async () => {
    await server?.kill();
    await stores?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says once that it is not ready, however often it is asked, and ends with 0 when it is told to stop', async () => {
    const ready = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status;
    expect(await ready()).toBe(200);
    await stores.stop();
    await until(async () => (await ready()) === 503, 'a process that is not ready');
    for (const _ of [1, 2, 3]) expect(await ready()).toBe(503);
    expect(server.log().match(/not ready: \/health\/ready answers 503/g)).toHaveLength(1);
    expect(server.log()).not.toContain('a request failed');
    const hangs = sleep(HANGS_MS, 'it hangs', { ref: false });
    expect(await Promise.race([server.stop(), hangs])).toBe(0);
  });
});
