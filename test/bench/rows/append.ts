import { join } from 'node:path';

import { emptyHead, type StreamHead } from '#lib/event-store';
import type { DomainEvent } from '#lib/kernel';

import { drive } from '../harness/callers.js';
import { atLeast, type Line, type Row, type RowContext } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { bareAppends, type BareRow } from './bare-appends.js';
import { benchCodec, openEventSide } from './event-side.js';
import { PERSONAL_EVENT, PLAIN_EVENT, provenanceOf } from './sample-events.js';

const CALLERS = 64;
const EVENTS = 40_000;

/** Signed, chained, durable appends of one event each, through EventLog, codec and store, by 64 callers at once. */
export const append: Row = {
  name: 'append',
  run: (context) => measure(context, 'durable append, no personal field', PLAIN_EVENT, 0.6),
};

export const appendPersonal: Row = {
  name: 'append-personal',
  run: (context) => measure(context, 'durable append, one personal field', PERSONAL_EVENT, 0.4),
};

async function measure(
  context: RowContext,
  name: string,
  event: DomainEvent,
  wanted: number,
): Promise<readonly Line[]> {
  const { folder, rounds, scale, say } = context;
  const events = Math.ceil(EVENTS * scale);
  say('making the rows of the baseline');
  const rows = await readyRows(event, events);
  let place = 0;
  const figures = await interleave(
    {
      baseline: () => bareAppends(join(folder, `bare-${place++}`), rows),
      measured: () => signedAppends(join(folder, `events-${place++}`), event, events),
    },
    { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
  );
  const ratio = pairedRatio(figures.measured, figures.baseline);
  return [
    {
      name,
      unit: 'events/s',
      figure: median(figures.measured),
      baseline: median(figures.baseline),
      baselineName: 'bare driver, ready rows, same tables, group commit of 64, FULL',
      ratio,
      aims: [atLeast('ratio', ratio, wanted)],
      details: { 'events a round': events, 'bytes an event': Math.round(meanBytes(rows)), callers: CALLERS },
    },
  ];
}

async function signedAppends(folder: string, event: DomainEvent, events: number): Promise<number> {
  const side = await openEventSide(folder);
  const { log } = side;
  try {
    const heads: StreamHead[] = Array.from({ length: CALLERS }, (_, caller) => emptyHead(streamOf(caller)));
    const { perSecond } = await drive({ callers: CALLERS, calls: events }, async (caller, nth) => {
      const { head } = await log.append(heads[caller]!, [event], provenanceOf(caller, nth));
      heads[caller] = head;
    });
    return perSecond;
  } finally {
    await side.close();
  }
}

/** What the store would be given, made beforehand: the baseline only stores. */
async function readyRows(event: DomainEvent, events: number): Promise<readonly BareRow[]> {
  const codec = benchCodec();
  const ciphers = await codec.prepare([event]);
  const heads: StreamHead[] = Array.from({ length: CALLERS }, (_, caller) => emptyHead(streamOf(caller)));
  return Array.from({ length: events }, (_, nth) => {
    const caller = nth % CALLERS;
    const [encoded] = codec.encode(heads[caller]!, [event], provenanceOf(caller, nth), ciphers);
    const { stream, version } = heads[caller]!;
    heads[caller] = { stream, version: version + 1, lastHash: encoded!.hash };
    const { id, type, text } = encoded!;
    return { stream, event: { id, type, text } };
  });
}

function meanBytes(rows: readonly BareRow[]): number {
  return rows.reduce((sum, { event }) => sum + Buffer.byteLength(event.text), 0) / rows.length;
}

function streamOf(caller: number): string {
  return `job-job:bench-${caller}`;
}
