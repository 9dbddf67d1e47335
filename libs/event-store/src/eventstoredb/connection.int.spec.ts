import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  EventStoreWire,
  FOLLOWER,
  LEADER,
  type WireOptions,
} from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { selfSigned } from '../../../../test/fixtures/eventstore-wire/self-signed.js';
import { until } from '../../../../test/support/eventually.js';
import { StoreUnavailableError } from '../port.js';
import { mustAppend, newEvent, newStream } from '../testing/contract-support.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

let folder: string;
const open: { close(): Promise<void> }[] = [];

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'mace-eventstoredb-'))));
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
  rmSync(folder, { recursive: true });
});

async function wire(options: WireOptions = {}): Promise<EventStoreWire> {
  const started = await EventStoreWire.start(options);
  open.push(started);
  return started;
}

async function store(url: string, waitMs = 0) {
  const opened = await openEventStoreDb({ url, waitMs });
  open.push(opened);
  return opened;
}

describe('with TLS and a user', () => {
  const credentials = 'mace:p%40ss';

  it('events are kept for who knows the password and trusts the certificate', async () => {
    const tls = selfSigned();
    const server = await wire({ tls, credentials: decodeURIComponent(credentials) });
    const authority = join(folder, 'ca.pem');
    writeFileSync(authority, tls.cert);
    const { port } = server.address;
    const url = (user: string): string => `esdb://${user}@127.0.0.1:${port}?tls=true&tlsCAFile=${authority}`;
    const opened = await store(url(credentials));
    const [stream, event] = [newStream(), newEvent()];
    await mustAppend(opened, stream, 'none', [event]);
    expect((await opened.readStream(stream)).events).toMatchObject([{ id: event.id }]);

    const refused = await store(url('mace:hunter2')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailableError);
    expect(String(refused)).toContain('the password is wrong');
    expect(String(refused)).not.toContain('hunter2');

    const untrusted = store(`esdb://${credentials}@127.0.0.1:${port}?tls=true&defaultDeadline=5000`);
    await expect(untrusted).rejects.toThrow(StoreUnavailableError);
  });

  it('a certificate that cannot be read is named', async () => {
    const missing = join(folder, 'missing.pem');
    await expect(store(`esdb://${credentials}@127.0.0.1:1?tlsCAFile=${missing}`)).rejects.toThrow(
      `tlsCAFile ${missing} cannot be read`,
    );
  });
});

describe('a cluster', () => {
  it.each(['esdb', 'esdb+discover'])('%s:// asks who leads, and goes there', async (scheme) => {
    const leader = await wire();
    const members = () => [
      { port: follower.address.port, state: FOLLOWER },
      { port: 1, state: LEADER, isAlive: false },
      { port: leader.address.port, state: LEADER },
    ];
    const follower: EventStoreWire = await wire({ members });
    const hosts =
      scheme === 'esdb' ? `127.0.0.1:1,127.0.0.1:${follower.address.port}` : `127.0.0.1:${follower.address.port}`;
    const opened = await store(`${scheme}://${hosts}?tls=false`);
    await mustAppend(opened, newStream(), 'none', [newEvent()]);
    expect([leader.calls.append, follower.calls.append]).toEqual([1, 0]);
  });
});

describe('a server that is not there', () => {
  it('is told at once, or after the time that may be waited', async () => {
    const server = await wire();
    await server.stop();
    await expect(store(server.url)).rejects.toThrow(StoreUnavailableError);
    const waiting: string[] = [];
    const late = openEventStoreDb({ url: server.url, waitMs: 60_000, onWaiting: (reason) => waiting.push(reason) });
    await until(() => waiting.length > 0);
    await server.listen();
    const opened = await late;
    open.push(opened);
    await mustAppend(opened, newStream(), 'none', [newEvent()]);
    expect(waiting).toEqual([expect.stringContaining('cannot be reached')]);
  });
});
