import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openKeyFile, signToken } from '#lib/access';
import { openEventStoreDb, START } from '#lib/event-store';

import { until } from '../../../test/support/eventually.js';
import { inside, own } from '../../../test/support/inside-server.js';
import { ServedProcess } from '../../../test/support/served-process.js';
import { SharedStores } from '../../../test/support/shared-stores.js';

const LEASE_MS = 1000;

/** The opening of an incident waits here, and says so, before it is appended. */
const HOLDS_INCIDENTS = `
  ${own('EventLog', 'libs/event-store/src/event-log.js')}
  const real = EventLog.prototype.execute;
  EventLog.prototype.execute = async function (command) {
    if (command.stream.startsWith('incident-')) {
      process.stderr.write('HELD\\n');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }
    return real.call(this, command);
  };
`;

describe('mace worker that is told to stop in the middle of what takes longer than it may', () => {
  let folder: string;
  let stores: SharedStores;
  const processes: ServedProcess[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-worker-stop-'));
    stores = await SharedStores.start(folder);
  }, 60_000);
  afterAll(async () => {
    for (const one of processes) await one.kill();
    await stores?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, command: 'serve' | 'worker', more: Readonly<Record<string, string>> = {}) {
    const settings = { ...stores.settings, MACE_ROLE: 'api', MACE_PROJECTION_LEASE_MS: String(LEASE_MS), ...more };
    const started = await ServedProcess.start(join(folder, name), settings, command);
    processes.push(started);
    return started;
  }

  async function report(api: ServedProcess): Promise<number> {
    const now = Date.now();
    const ring = openKeyFile(stores.settings['MACE_KEYS_FILE']!, { mayDraw: false, production: false, now });
    const by = { issuer: 'mace', audience: 'mace', ttlSeconds: 3600, now };
    const token = await signToken(ring, { userId: 'olga', roles: ['operator'], ...by });
    const { status } = await fetch(`${api.url}/events/failure`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ event_type: 'POLICY_VIOLATION', node_id: 'agent:creative_v1' }),
    });
    return status;
  }

  /** Of each incident that is on record, how many events say that it was opened. */
  async function opened(): Promise<readonly string[]> {
    const store = await openEventStoreDb({ url: stores.settings['EVENTSTORE_URL']! });
    try {
      const { events } = await store.readAll({ after: START, limit: 4096, types: ['INCIDENT_CREATED'] });
      return events.map(({ stream }) => stream);
    } finally {
      await store.close();
    }
  }

  it('ends with 0 and says what it broke off, and the next worker does that, once', async () => {
    const api = await start('api', 'serve');
    const first = await start('first', 'worker', inside(HOLDS_INCIDENTS));
    expect(await report(api)).toBe(200);
    await until(() => first.log().includes('HELD'));
    const second = await start('second', 'worker');
    expect(await opened()).toEqual([]);
    const told = performance.now();
    expect(await first.stop()).toBe(0);
    // What it waits for would take a minute; a machine that is loaded takes its time to end a process, too.
    expect(performance.now() - told).toBeLessThan(40_000);
    expect(first.log()).toMatch(
      /is broken off, and done again by whoever takes over .*"incident-reactions":"[0-9a-f]{64}"/,
    );
    await until(async () => (await opened()).length > 0);
    await second.stop();
    expect(await opened()).toHaveLength(1);
  }, 300_000);
});
