import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore } from '#lib/event-store';

import { child } from '../../apps/cli/src/testing/child.js';
import { EventStoreWire } from '../fixtures/eventstore-wire/eventstore-wire.js';
import { selfSigned } from '../fixtures/eventstore-wire/self-signed.js';
import { EACH_ITS_OWN, ServedProcess } from '../support/served-process.js';

const PASSWORD = 'p@ss:w0rd/%';

describe('mace serve on an EventStoreDB with TLS and users', () => {
  let folder: string;
  let store: MemoryEventStore;
  let wire: EventStoreWire;
  const running: ServedProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mace-tls-'));
    const tls = selfSigned();
    writeFileSync(join(folder, 'ca.pem'), tls.cert);
    writeFileSync(join(folder, 'other.pem'), selfSigned().cert);
    store = new MemoryEventStore();
    wire = await EventStoreWire.start({ store, tls, credentials: 'admin:changeit' });
    await wire.setUser('mace', { password: PASSWORD, groups: ['mace'] });
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.kill();
  });
  afterAll(async () => {
    await wire.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param ca file of the authority; null where the connection string names none */
  async function serve(data: string, ca: string | null, password = PASSWORD, more = {}): Promise<ServedProcess> {
    const query = ca === null ? '' : `&tlsCAFile=${join(folder, ca)}`;
    const { host, port } = wire.address;
    const server = await ServedProcess.start(join(folder, data), {
      MACE_EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: `esdb://mace:${encodeURIComponent(password)}@${host}:${port}?tls=true${query}`,
      MACE_LOG_LEVEL: 'debug',
      ...more,
    });
    running.push(server);
    return server;
  }

  async function ask(server: ServedProcess): Promise<{ job_id: string }> {
    // Not held up for it: the double answers in this process.
    const { out } = await child(['token', '--user', 'tuff', '--role', 'user'], { MACE_DATA_DIR: join(folder, 'data') });
    const token = out.trim();
    const answer = await fetch(`${server.url}/jobs`, {
      method: 'POST',
      headers: { ...EACH_ITS_OWN, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query_text: '6*7', job_seed: 'behind-tls' }),
    });
    return (await answer.json()) as { job_id: string };
  }

  it('keeps events there as an ordinary user, and finds them again after a kill', async () => {
    const first = await serve('data', 'ca.pem');
    const job = await ask(first);
    const head = await store.head();
    await first.kill();
    const second = await serve('data', 'ca.pem');
    expect(await ask(second)).toMatchObject({ job_id: job.job_id });
    expect(Number(head)).toBeGreaterThan(1);
    expect(await second.stop()).toBe(0);
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)]) {
      expect(first.log() + second.log()).not.toContain(secret);
    }
  });

  it.each([
    ['a wrong password', 'ca.pem', 'the password is wrong'],
    ['an authority that did not sign the certificate', 'other.pem', 'certificate'],
    ['an authority that nobody named', null, 'certificate'],
  ])('refuses to start with %s, and says so without the password', async (what, ca, reason) => {
    const password = what === 'a wrong password' ? 'hunter2/%' : PASSWORD;
    const head = await store.head();
    const refused = await serve('refused', ca, password, { MACE_EVENT_STORE_WAIT_S: '0' }).catch(String);
    expect(refused).toContain('ended with 69');
    expect(refused).toContain(`no event store at esdb://mace:***@${wire.address.host}:${wire.address.port}`);
    expect(refused).toContain(reason);
    for (const secret of [password, encodeURIComponent(password)]) expect(refused).not.toContain(secret);
    expect(await store.head()).toBe(head);
  });
});
