import { EventStoreDBClient } from '@eventstore/db-client';

import {
  emptyHead,
  type EncodedEvent,
  type EventStore,
  openEventStoreDb,
  parseEventStoreDbUrl,
  START,
  type StreamHead,
} from '#lib/event-store';

import { drive, timed } from '../harness/callers.js';
import { message, start, stop } from '../harness/process.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { benchCodec } from './event-side.js';
import { PLAIN_EVENT, provenanceOf } from './sample-events.js';
import type { WireReady } from './wire-process.js';

const CALLERS = 64;
const APPENDS = 6_000;
const EVENTS = 20_000;
const EVENTS_AN_APPEND = 500;
/** As the adapter gives them: they select the client's unary path. */
const CREDENTIALS = { credentials: { username: 'nobody', password: 'nothing' } };

/**
 * The adapter beside the bare client, on one server: the double, or the one that EVENTSTORE_URL names. Appends of one
 * ready event by 64 callers; and everything read again, as a rebuild reads it, beside the client's own reading.
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
    return [await appends(context, store, client, server), await reading(context, store, client, server)];
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

async function reading(
  { rounds, scale, say }: RowContext,
  store: EventStore,
  client: EventStoreDBClient,
  server: string,
): Promise<Line> {
  const count = Math.ceil(EVENTS * scale);
  const after = await store.head();
  say('writing what is read');
  const events = await readyEvents(count);
  const stream = `job-bench-read-${Date.now().toString(36)}`;
  for (let from = 0; from < count; from += EVENTS_AN_APPEND) {
    await store.append(stream, from, events.slice(from, from + EVENTS_AN_APPEND) as [EncodedEvent, ...EncodedEvent[]]);
  }
  const fromPosition = after === START ? ('start' as const) : { commit: BigInt(after), prepare: BigInt(after) };
  const figures = await interleave(
    {
      baseline: () =>
        timed(count, async () => {
          for await (const event of client.readAll({ ...CREDENTIALS, fromPosition })) void event;
        }),
      measured: () =>
        timed(count, async () => {
          for await (const item of store.subscribeAll({ after })) if (item.kind === 'caughtUp') break;
        }),
    },
    { rounds, onTask: (task, nth) => say(`reading, round ${nth}, ${task}`) },
  );
  const ratio = pairedRatio(figures.measured, figures.baseline);
  return {
    name: `EventStoreDB read for a rebuild, ${server}`,
    unit: 'events/s',
    figure: median(figures.measured),
    baseline: median(figures.baseline),
    baselineName: 'the bare client’s readAll of the same events',
    ratio,
    aims: [atLeast('ratio', ratio, 0.6)],
    details: { 'events a round': count },
  };
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
