import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { openSqliteEventStore } from '#lib/event-store';
import { DataFolder } from '#lib/sqlite';

import { EventStoreWire } from '../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { until } from '../../../test/support/eventually.js';
import { EACH_ITS_OWN, ServedProcess } from '../../../test/support/served-process.js';

const execute = promisify(execFile);

describe('mace serve with MACE_EVENT_STORE=eventstoredb', () => {
  let folder: string;
  let held: DataFolder;
  let wire: EventStoreWire;
  const running: ServedProcess[] = [];
  const env = () => ({ MACE_EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: wire.url });
  const serve = async (more: Record<string, string> = {}): Promise<ServedProcess> => {
    const server = await ServedProcess.start(join(folder, 'data'), { ...env(), ...more });
    running.push(server);
    return server;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-server-'));
    held = DataFolder.take(join(folder, 'events'));
    wire = await EventStoreWire.start({ store: await openSqliteEventStore({ folder: held }) });
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.kill();
  });
  afterAll(async () => {
    await wire.close();
    held.release();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(server: ServedProcess, query_text: string) {
    // Not held up for it: the double answers in this process.
    const command = [join('dist', 'apps', 'cli', 'src', 'main.js'), 'token', '--user', 'tuff', '--role', 'user'];
    const { stdout } = await execute(process.execPath, command, {
      env: { ...process.env, MACE_DATA_DIR: join(folder, 'data') },
    });
    const token = stdout.trim();
    const answer = await fetch(`${server.url}/jobs`, {
      method: 'POST',
      headers: { ...EACH_ITS_OWN, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query_text, job_seed: 'on-a-server' }),
    });
    return (await answer.json()) as { job_id: string; final_answer?: string };
  }

  it('keeps its events there, and answers from them after a kill', async () => {
    const first = await serve();
    const job = await ask(first, '6*7');
    const appends = wire.calls.append;
    expect(appends).toBeGreaterThan(0);
    await first.kill();
    const second = await serve();
    expect(await ask(second, '6*7')).toMatchObject({ job_id: job.job_id });
    expect(await second.stop()).toBe(0);
  });

  it('waits for a server that is not there yet, and is not ready while it is away later', async () => {
    await wire.stop();
    const starting = serve();
    await wire.listen();
    const server = await starting;
    const ready = async (): Promise<number> =>
      (await fetch(`${server.url}/health/ready`, { headers: EACH_ITS_OWN })).status;
    await until(async () => (await ready()) === 200);
    await wire.stop();
    await until(async () => (await ready()) === 503);
    expect((await fetch(`${server.url}/health/live`, { headers: EACH_ITS_OWN })).status).toBe(200);
    await wire.listen();
    await until(async () => (await ready()) === 200);
  });

  it('refuses to start where none comes in time, without the password', async () => {
    await wire.stop();
    const url = wire.url.replace('esdb://', 'esdb://ops:hunter2@');
    const refused = await serve({ EVENTSTORE_URL: url, MACE_EVENT_STORE_WAIT_S: '0' }).catch(String);
    expect(refused).toContain('ended with 69');
    expect(refused).toContain(`no event store at ${url.replace('hunter2', '***')} within 0 s`);
    expect(refused).not.toContain('hunter2');
    await wire.listen();
  });
});
