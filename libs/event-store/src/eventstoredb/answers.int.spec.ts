import { EventStoreDBClient } from '@eventstore/db-client';

import { EventStoreWire } from '../../../../test/fixtures/eventstore-wire/eventstore-wire.js';
import { until } from '../../../../test/support/eventually.js';
import { mustAppend, newEvents, newStream } from '../testing/contract-support.js';
import { parseEventStoreDbUrl } from './connection-string.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';

/** What a server says where it refuses: the double has to say it in the same words, by which the adapter goes. */
interface Refused {
  readonly code: number;
  readonly details: string;
  readonly exception: string | undefined;
}

const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };
const SCRIPT = 'fromAll().when({ $any: function (s, e) { return s; } })';
const given = process.env['EVENTSTORE_URL'] ?? '';
const servers: readonly (readonly [string, string | null])[] = [
  ['the double', null],
  // Where users are asked for, others may be allowed less than this asks.
  ...(given.includes('tls=false') ? [['the server that EVENTSTORE_URL names', given] as const] : []),
];

describe.each(servers)('%s', (_, real) => {
  let wire: EventStoreWire | undefined;
  let url: string;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    if (real === null) wire = await EventStoreWire.start();
    url = real ?? wire!.url;
    const { hosts } = parseEventStoreDbUrl(url);
    client = new EventStoreDBClient({ endpoint: { ...hosts[0]! } }, { insecure: true });
  });
  afterAll(async () => {
    await client.dispose();
    await wire?.close();
  });

  const written = async (count: number) => {
    const store = await openEventStoreDb({ url, waitMs: 30_000 });
    const stream = newStream();
    const { position } = await mustAppend(store, stream, 'none', newEvents(count));
    await store.close();
    return { stream, position: BigInt(position) };
  };
  const all = async (events: AsyncIterable<unknown>): Promise<void> => {
    for await (const event of events) void event;
  };

  it('refuses to delete what is not as it was said to be', async () => {
    const { stream } = await written(2);
    const absent = newStream();
    const wrong = (name: string, expected: number, actual: number) => ({
      code: 9,
      details: `Delete failed due to WrongExpectedVersion. Stream: ${name}, Expected version: ${expected}, Actual version: ${actual}`,
      exception: 'wrong-expected-version',
    });
    const at = { ...CREDENTIALS, expectedRevision: 7n };
    expect(await refusal(client.deleteStream(stream, at))).toEqual(wrong(stream, 7, 1));
    expect(await refusal(client.tombstoneStream(stream, at))).toEqual(wrong(stream, 7, 1));
    expect(await refusal(client.deleteStream(absent, CREDENTIALS))).toEqual(wrong(absent, -2, -1));
  });

  it('refuses whatever is asked of a stream that was deleted for good, and keeps its events in the log', async () => {
    const { stream, position } = await written(2);
    await client.tombstoneStream(stream, CREDENTIALS);
    const deleted = { code: 9, details: `Event stream '${stream}' is deleted.`, exception: 'stream-deleted' };
    const event = {
      id: crypto.randomUUID(),
      type: 'T',
      contentType: 'application/json',
      data: {},
      metadata: undefined,
    } as const;
    for (const asked of [
      client.deleteStream(stream, CREDENTIALS),
      client.tombstoneStream(stream, CREDENTIALS),
      client.appendToStream(stream, event, CREDENTIALS),
      all(client.readStream(stream, CREDENTIALS)),
      all(client.subscribeToStream(stream, CREDENTIALS)),
    ]) {
      expect(await refusal(asked)).toEqual(deleted);
    }
    const found: unknown[] = [];
    const from = { ...CREDENTIALS, fromPosition: { commit: position, prepare: position } };
    for await (const { event: one } of client.readAll(from)) {
      if (one?.streamId === stream) found.push([one.type, one.revision]);
    }
    expect(found.at(-1)).toEqual(['$streamDeleted', 2n ** 63n - 1n]);
    expect(found.length).toBeGreaterThan(1);
  });

  it('refuses positions at which nothing is, each way of asking in words of its own', async () => {
    const { position } = await written(2);
    const at = (commit: bigint, prepare = commit) => ({ ...CREDENTIALS, fromPosition: { commit, prepare } });
    const unreadable = { code: 2, details: 'Unexpected ReadAllResult: Error', exception: undefined };
    const thrown = { code: 2, details: 'Exception was thrown by handler.', exception: undefined };
    const beyond = position + 100_000_000n;
    expect(await refusal(all(client.readAll(at(position - 1n))))).toEqual(unreadable);
    expect(await refusal(all(client.readAll({ ...at(beyond), direction: 'backwards', maxCount: 1 })))).toEqual(
      unreadable,
    );
    expect(await refusal(all(client.readAll({ ...at(beyond), maxCount: 1 })))).toBeNull();
    expect(await refusal(all(client.readAll(at(position, position + 1n))))).toEqual(thrown);
    expect(await refusal(all(client.subscribeToAll(at(position - 1n))))).toEqual(thrown);
  });

  it('tells no state of a script that it cannot read, and takes no subscription that reads more than it keeps', async () => {
    const [unreadable, group] = [newStream(), newStream()];
    await client.createProjection(unreadable, 'fromAll().when({', CREDENTIALS);
    const state = async (): Promise<Refused | null> => refusal(client.getProjectionStatus(unreadable, CREDENTIALS));
    await until(async () => (await state()) !== null);
    expect(await state()).toEqual({ code: 2, details: 'Exception was thrown by handler.', exception: undefined });
    await client.updateProjection(unreadable, SCRIPT, CREDENTIALS);
    await until(async () => (await state()) === null);

    const { persistentSubscriptionToAllSettingsFromDefaults } = await import('@eventstore/db-client');
    const settings = persistentSubscriptionToAllSettingsFromDefaults({ readBatchSize: 500 });
    const reason =
      "Specified argument was out of the range of valid values. (Parameter 'ReadBatchSize may not be greater than or equal to BufferSize')";
    expect(await refusal(client.createPersistentSubscriptionToAll(group, settings, CREDENTIALS))).toEqual({
      code: 13,
      details: `Subscription group ${group} on stream $all failed: '${reason}'`,
      exception: 'persistent-subscription-failed',
    });
  });
});

/** Null where nothing was refused. */
async function refusal(asked: Promise<unknown>): Promise<Refused | null> {
  try {
    await asked;
    return null;
  } catch (error) {
    const { code, details, metadata, _raw } = error as RawError & { readonly _raw?: RawError };
    const raw = _raw ?? { code, details, metadata };
    return {
      code: raw.code!,
      details: raw.details!,
      exception: raw.metadata?.get('exception')[0] as string | undefined,
    };
  }
}

interface RawError {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: { get(key: string): readonly unknown[] };
}
