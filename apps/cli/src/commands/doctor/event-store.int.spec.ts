import { type EventToAppend, MemoryEventStore, openEventStoreDb } from '#lib/event-store';
import { sha256Hex } from '#lib/kernel';

import { EventStoreWire } from '../../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import type { Finding } from './finding.js';
import { services } from './services.js';

const DAY_MS = 86_400_000;
const stored = (type: string, data: unknown = {}): EventToAppend => ({
  id: sha256Hex(type),
  type,
  text: JSON.stringify({ data }),
});

/** What is found at a server of this version that holds this event, as another process wrote it. */
async function findings(event?: { readonly stream: string } & EventToAppend, version?: string) {
  const wire = await EventStoreWire.start({ store: new MemoryEventStore(), ...(version && { version }) });
  try {
    if (event) {
      const { stream, ...one } = event;
      const writer = await openEventStoreDb({ url: wire.url });
      await writer.append(stream, 'none', [one]);
      await writer.close();
    }
    const settings = { eventStoreDb: { url: wire.url, shown: 'the server', waitMs: 0 } };
    const found = await services(settings as Parameters<typeof services>[0]);
    return (check: string, state: Finding['state']) =>
      found.filter((one) => one.check === check && one.state === state);
  } finally {
    await wire.close();
  }
}

afterEach(() => jest.restoreAllMocks());

describe('what `mace doctor` finds at an EventStoreDB', () => {
  it('is its version, with a warning for one that is older than those that MACE is made for', async () => {
    const [found] = (await findings())('EVENTSTORE_URL', 'ok');
    expect(found?.found).toBe('EventStoreDB 23.10.6 answers at the server');
    const [old] = (await findings(undefined, '22.10.1'))('EVENTSTORE_URL', 'warn');
    expect(old).toMatchObject({ todo: expect.stringContaining('23.10 or later') as string });
  });

  it('is a log of a newer release', async () => {
    const release = { release: 'mace-9.0.0', event_versions: { SEM_PUT: 9 } };
    const of = await findings({ stream: 'system-releases', ...stored('RELEASE_RECORDED', release) });
    expect(of('event versions', 'fail')).toMatchObject([{ todo: 'start the newer release' }]);
    expect(of('clock', 'ok')).toHaveLength(1);
  });

  it('is a clock of this machine that is behind the server’s', async () => {
    const now = Date.now() - DAY_MS;
    jest.spyOn(Date, 'now').mockImplementation(() => now);
    const of = await findings();
    expect(of('clock', 'warn')).toMatchObject([
      { found: expect.stringMatching(/EventStoreDB is 8\d{4} s ahead/) as string },
    ]);
  });

  it('is a log that `mace migrate` has not copied whole', async () => {
    const of = await findings({ stream: 'sem-a', ...stored('SEM_PUT'), copied: true });
    const found = expect.stringContaining('Give the same `mace migrate` again') as string;
    expect(of('EVENTSTORE_URL', 'fail')).toMatchObject([{ found, exit: 1 }]);
  });
});
