import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import { message, start, stop } from '../harness/process.js';
import { atMost, below, type Row } from '../harness/row.js';
import { median } from '../harness/statistics.js';
import { headersOf } from './http-side.js';
import type { SseMeasured, SseOrder, SseReady } from './sse-process.js';
import type { ReadersCount, ReadersOpen, ReadersOrder } from './sse-readers.js';

const READERS = 1000;
const RATE = 1000;
const ROUND_MS = 10_000;
/** Until what is held for readers, 16 MiB of events as they are sent, is full: from then on memory has to stay. */
const ROUNDS_TO_FILL = 4;
/** As many as one principal may have open. */
const OF_ONE = 25;

/**
 * Readers who follow the whole log while a thousand events a second are written: processor time of the whole server, with
 * them and without, and what its memory grew by; beside Fastify that writes as many bytes to as many readers.
 */
export const sse: Row = {
  name: 'sse',
  async run({ folder, rounds, scale, say }) {
    const data = join(folder, 'data');
    const readers = Math.max(1, Math.round(READERS * scale));
    const live = start(new URL('./sse-process.js', import.meta.url), { args: ['live', data] });
    const bare = start(new URL('./sse-process.js', import.meta.url), { args: ['bare'] });
    const children = [live, bare];
    try {
      const [{ port }, { port: barePort }] = await Promise.all([ready(live), ready(bare)]);
      const order: SseOrder = { during: ROUND_MS, rate: RATE, bytes: 1000 };
      say('nobody reads');
      const idle = [await measured(live, order)];
      for (let i = 0; i < rounds; i++) idle.push(await measured(live, order));
      const tokens = await Promise.all(
        Array.from(
          { length: Math.ceil(readers / OF_ONE) },
          async (_, i) => (await headersOf(data, `operator-${i}`, 'operator')).authorization!,
        ),
      );
      const authorizations = Array.from({ length: readers }, (_, i) => tokens[Math.floor(i / OF_ONE)]!);
      const ours = await open({ port, authorizations }, children);
      const seen: SseMeasured[] = [];
      for (let i = 0; i < ROUNDS_TO_FILL; i++) {
        say(`${readers} readers, filling ${i}`);
        await measured(live, order);
      }
      const before = await count(ours);
      for (let i = 0; i <= rounds; i++) {
        say(`${readers} readers, round ${i}`);
        seen.push(await measured(live, order));
      }
      const after = await count(ours);
      await stop(ours);
      const events = ((rounds + 1) * ROUND_MS * RATE) / 1000;
      const bytes = Math.round((after.bytes - before.bytes) / readers / events);
      const theirs = await open({ port: barePort, authorizations }, children);
      const bareSeen: SseMeasured[] = [];
      for (let i = 0; i <= rounds; i++) {
        say(`bare, round ${i}`);
        bareSeen.push(await measured(bare, { ...order, bytes }));
      }
      await stop(theirs);
      const cores = (all: readonly SseMeasured[]): number => median(all.slice(1).map((one) => one.cores));
      const growth = seen.at(-1)!.rssMb - seen[0]!.rssMb;
      const figure = cores(seen) - cores(idle);
      const baseline = cores(bareSeen);
      return [
        {
          name: `${readers} readers of ${RATE} events/s`,
          unit: 'cores',
          figure,
          baseline,
          baselineName: 'Fastify that writes as many bytes to as many readers, ten times a second',
          ratio: figure / baseline,
          aims: [below('cores', figure, 1, 'time'), atMost('MB more after the rounds', growth, 32)],
          details: {
            'cores without readers': cores(idle),
            'bytes an event': bytes,
            'MB/s sent': (after.bytes - before.bytes) / 2 ** 20 / (((rounds + 1) * ROUND_MS) / 1000),
            'readers dropped': after.closed,
            'MB after the first round': seen[0]!.rssMb,
            'MB after the last': seen.at(-1)!.rssMb,
          },
        },
      ];
    } finally {
      for (const child of children) await stop(child);
    }
  },
};

const ready = (child: ChildProcess): Promise<SseReady> => message<SseReady>(child, 'ready');

async function measured(child: ChildProcess, order: SseOrder): Promise<SseMeasured> {
  child.send(order);
  return message<SseMeasured>(child, 'measured');
}

async function open(order: ReadersOrder, children: ChildProcess[]): Promise<ChildProcess> {
  const child = start(new URL('./sse-readers.js', import.meta.url));
  children.push(child);
  child.send(order);
  await message<ReadersOpen>(child, 'open');
  return child;
}

async function count(child: ChildProcess): Promise<ReadersCount> {
  child.send('count');
  return message<ReadersCount>(child, 'count');
}
