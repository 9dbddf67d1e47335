import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { EventStoreDBClient } from '@eventstore/db-client';

import {
  emptyHead,
  type EncodedEvent,
  type EventCodec,
  type EventStore,
  openEventStoreDb,
  parseEventStoreDbUrl,
  RowSignatures,
  START,
  type StreamHead,
} from '#lib/event-store';
import { semProjection, semStream } from '#lib/memory';
import { type Decode, ProjectionHost } from '#lib/projections';
import { SqliteReadStore } from '#lib/read-store';

import { drive, timed } from '../harness/callers.js';
import { message, start, stop } from '../harness/process.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { benchCodec, benchRing } from './event-side.js';
import { semPut } from './rerun.js';
import { PLAIN_EVENT, provenanceOf } from './sample-events.js';
import type { WireReady } from './wire-process.js';

const CALLERS = 64;
const APPENDS = 6_000;
const EVENTS = 60_000;
const APPENDS_AT_ONCE = 64;
/** As the adapter gives them: they select the client's unary path. */
const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };

/**
 * The adapter beside the bare client, on one server: the double, or the one that EVENTSTORE_URL names. Appends of one
 * ready event by 64 callers; and a read model made from nothing, beside the client's own reading of the same events.
 */
export const eventStoreDb: Row = {
  name: 'eventstoredb',
  async run(context) {
    const given = process.env['EVENTSTORE_URL'];
    if (given !== undefined && given !== '') return measure(context, given, 'a real server');
    const child = start(new URL('./wire-process.js', import.meta.url));
    try {
      const { url } = await message<WireReady>(child, 'ready');
      return await measure(context, url, 'the double on the wire');
    } finally {
      await stop(child);
    }
  },
};

async function measure(context: RowContext, url: string, server: string): Promise<readonly Line[]> {
  const store = await openEventStoreDb({ url });
  const client = bareClient(url);
  try {
    return [await appends(context, store, client, server), await rebuilding(context, store, client, server)];
  } finally {
    await client.dispose();
    await store.close();
  }
}

async function appends(
  { rounds, scale, say }: RowContext,
  store: EventStore,
  client: EventStoreDBClient,
  server: string,
): Promise<Line> {
  const count = Math.ceil(APPENDS * scale);
  let place = 0;
  const round = async (append: (stream: string, version: number, event: EncodedEvent) => Promise<unknown>) => {
    const name = `job-bench-${Date.now().toString(36)}-${place++}`;
    const events = await readyEvents(count);
    const versions = Array.from({ length: CALLERS }, () => 0);
    const { perSecond } = await drive({ callers: CALLERS, calls: count }, (caller, nth) =>
      append(`${name}-${caller}`, versions[caller]!++, events[nth]!),
    );
    return perSecond;
  };
  const figures = await interleave(
    {
      baseline: () =>
        round((stream, version, { type, text }) => {
          const data = Buffer.from(text, 'utf8');
          const event = { id: crypto.randomUUID(), contentType: 'application/octet-stream', type, data } as const;
          const expectedRevision = version === 0 ? 'no_stream' : BigInt(version - 1);
          return client.appendToStream(stream, { ...event, metadata: undefined }, { ...CREDENTIALS, expectedRevision });
        }),
      measured: () => round((stream, version, event) => store.append(stream, version, [event])),
    },
    { rounds, onTask: (task, nth) => say(`appends, round ${nth}, ${task}`) },
  );
  const ratio = pairedRatio(figures.measured, figures.baseline);
  return {
    name: `EventStoreDB append, ${server}`,
    unit: 'events/s',
    figure: median(figures.measured),
    baseline: median(figures.baseline),
    baselineName: 'the bare client, unary path, same events',
    ratio,
    aims: [atLeast('ratio', ratio, 0.85)],
    details: { 'appends a round': count, callers: CALLERS },
  };
}

async function rebuilding(
  { folder, rounds, scale, say }: RowContext,
  store: EventStore,
  client: EventStoreDBClient,
  server: string,
): Promise<Line> {
  const count = Math.ceil(EVENTS * scale);
  const after = await store.head();
  say('writing what is read');
  const codec = benchCodec();
  await writeMemories(store, codec, count);
  const head = await store.head();
  const signatures = new RowSignatures(benchRing());
  const decode: Decode = (recorded) => {
    if (signatures.faultOf(recorded) !== null) throw new Error('a row that nobody signed');
    return codec.decode(recorded);
  };
  const fromPosition = after === START ? ('start' as const) : { commit: BigInt(after), prepare: BigInt(after) };
  const figures = await interleave(
    {
      baseline: () =>
        timed(count, async () => {
          for await (const event of client.readAll({ ...CREDENTIALS, fromPosition })) void event;
        }),
      measured: async () => {
        const place = mkdtempSync(join(folder, 'rebuilt-'));
        const documents = await SqliteReadStore.open({ folder: place, disposable: true });
        const host = new ProjectionHost({ projections: [semProjection], events: store, documents, decode });
        const rate = await timed(count, async () => {
          host.start();
          await host.waitFor(head, ['sem'], 600_000);
        });
        await host.stop();
        await documents.close();
        rmSync(place, { recursive: true });
        return rate;
      },
    },
    { rounds, onTask: (task, nth) => say(`reading, round ${nth}, ${task}`) },
  );
  const ratio = pairedRatio(figures.measured, figures.baseline);
  return {
    name: `EventStoreDB, a read model made from nothing, ${server}`,
    unit: 'events/s',
    figure: median(figures.measured),
    baseline: median(figures.baseline),
    baselineName: 'the bare client’s readAll of the same events',
    ratio,
    aims: [atLeast('ratio', ratio, 0.6)],
    details: { 'events a round': count },
  };
}

/** Memories of a hundred thousand keys, a stream each, signed and chained. */
async function writeMemories(store: EventStore, codec: EventCodec, count: number): Promise<void> {
  for (let from = 0; from < count; from += APPENDS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(APPENDS_AT_ONCE, count - from) }, (_, i) => from + i);
    await Promise.all(
      numbers.map(async (nth) => {
        const event = semPut(nth);
        const stream = semStream(event.data['key'] as string);
        const ciphers = await codec.prepare([event]);
        const [encoded] = codec.encode(emptyHead(stream), [event], provenanceOf(nth, 0), ciphers);
        await store.append(stream, 0, [encoded!]);
      }),
    );
  }
}

function bareClient(url: string): EventStoreDBClient {
  const { hosts, tls, credentials } = parseEventStoreDbUrl(url);
  return tls
    ? EventStoreDBClient.connectionString(url)
    : new EventStoreDBClient({ endpoint: { ...hosts[0]! } }, { insecure: true }, credentials);
}

/** Signed and chained as a job's are, made beforehand. */
async function readyEvents(count: number): Promise<readonly EncodedEvent[]> {
  const codec = benchCodec();
  const ciphers = await codec.prepare([PLAIN_EVENT]);
  let head: StreamHead = emptyHead('job-bench');
  return Array.from({ length: count }, (_, nth) => {
    const [encoded] = codec.encode(head, [PLAIN_EVENT], provenanceOf(0, nth), ciphers);
    head = { ...head, version: head.version + 1, lastHash: encoded!.hash };
    return encoded!;
  });
}
