import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { MongoWire } from '../../../test/fixtures/mongodb-wire/mongodb-wire.js';
import { until } from '../../../test/support/eventually.js';
import { EACH_ITS_OWN, ServedProcess } from '../../../test/support/served-process.js';

const execute = promisify(execFile);

describe('mace serve with MACE_READ_STORE=mongodb', () => {
  let folder: string;
  let wire: MongoWire;
  const running: ServedProcess[] = [];
  const serve = async (more: Record<string, string> = {}): Promise<ServedProcess> => {
    const env = { MACE_READ_STORE: 'mongodb', MONGODB_URL: wire.url, ...more };
    const server = await ServedProcess.start(join(folder, 'data'), env);
    running.push(server);
    return server;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-server-'));
    wire = await MongoWire.start();
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.kill();
  });
  afterAll(async () => {
    await wire.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(server: ServedProcess, query_text: string) {
    const command = [join('dist', 'apps', 'cli', 'src', 'main.js'), 'token', '--user', 'tuff', '--role', 'user'];
    // Not held up for it: the double answers in this process.
    const { stdout } = await execute(process.execPath, command, {
      env: { ...process.env, MACE_DATA_DIR: join(folder, 'data') },
    });
    const headers = { ...EACH_ITS_OWN, authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query_text, job_seed: 'on-a-server' });
    const answer = await fetch(`${server.url}/jobs`, { method: 'POST', headers, body });
    return (await answer.json()) as { job_id: string };
  }

  it('keeps read models and data keys there and not in the data folder, and finds them after a kill', async () => {
    const first = await serve();
    const { job_id: job } = await ask(first, '6*7');
    const checkpoint = () => wire.data.find('read_generations', { projection: 'log-mark' })[0];
    await until(async () => (checkpoint()?.['position'] ?? '0') !== '0');
    const before = checkpoint();
    expect(wire.data.find('subject_keys', {}).length).toBeGreaterThan(0);
    for (const file of ['read.db', 'subject-keys.db', 'artifacts']) {
      expect(existsSync(join(folder, 'data', file))).toBe(false);
    }
    await first.kill();
    const second = await serve();
    expect(await ask(second, '6*7')).toMatchObject({ job_id: job });
    expect(checkpoint()?.['_id']).toBe(before?.['_id']);
    expect(Number(checkpoint()?.['epoch'])).toBeGreaterThan(Number(before?.['epoch']));
    expect(await second.stop()).toBe(0);
  });

  it('outlives an outage of it, and ends as asked', async () => {
    const server = await serve();
    await wire.stop();
    expect((await fetch(`${server.url}/health/live`, { headers: EACH_ITS_OWN })).status).toBe(200);
    await wire.listen();
    // Its client may learn a little later that it is back.
    await until(async () => 'job_id' in (await ask(server, '6*7')), 'an answer');
    expect(await server.stop()).toBe(0);
  });

  it('waits for a server that is not there yet', async () => {
    await wire.stop();
    const starting = serve();
    await wire.listen();
    expect(await (await starting).stop()).toBe(0);
  });

  it('refuses to start where none comes in time, without the password', async () => {
    await wire.stop();
    const url = wire.url.replace('mongodb://', 'mongodb://ops:hunter2@');
    const refused = await serve({
      MONGODB_URL: `${url}?serverSelectionTimeoutMS=100`,
      MACE_READ_STORE_WAIT_S: '0',
    }).catch(String);
    expect(refused).toContain('ended with 69');
    expect(refused).toContain(`MONGODB_URL: no MongoDB at ${url.replace('hunter2', '***')}`);
    expect(refused).not.toContain('hunter2');
    await wire.listen();
  });
});
