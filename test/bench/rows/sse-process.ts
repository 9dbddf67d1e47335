import Fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { emptyHead, type StreamHead } from '#lib/event-store';
import { systemSeed, traceId } from '#lib/kernel';

import { openApp, type OpenApp } from '../../../apps/api/src/main.open.js';
import { readConfig } from '../../../apps/api/src/platform.config.js';

/** `sse-process.js live FOLDER`: the server, which also writes events; `sse-process.js bare`: Fastify, and bytes. */

export interface SseReady {
  readonly kind: 'ready';
  readonly port: number;
}

export interface SseOrder {
  /** Ms. */
  readonly during: number;
  /** Events a second. */
  readonly rate: number;
  /** Bytes of one event as it is sent. */
  readonly bytes: number;
}

export interface SseMeasured {
  readonly kind: 'measured';
  /** Processor time by time. */
  readonly cores: number;
  readonly rssMb: number;
}

const BATCH_MS = 100;
const [mode, folder = ''] = process.argv.slice(2);
const EVENTS_AT_ONCE = 10;

const side = mode === 'live' ? await liveSide() : await bareSide();
process.on('message', (order: SseOrder) => void measure(order));
process.once('SIGTERM', () => process.exit());
process.send!({ kind: 'ready', port: side.port } satisfies SseReady);

interface Side {
  readonly port: number;
  /** Gives out what is due until `signal` says so. */
  readonly write: (order: SseOrder, until: number) => Promise<void>;
}

async function measure(order: SseOrder): Promise<void> {
  const begun = performance.now();
  const before = process.cpuUsage();
  await side.write(order, begun + order.during);
  const { user, system } = process.cpuUsage(before);
  const cores = (user + system) / 1000 / (performance.now() - begun);
  process.send!({ kind: 'measured', cores, rssMb: process.memoryUsage.rss() / 2 ** 20 } satisfies SseMeasured);
}

async function liveSide(): Promise<Side> {
  const opened = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'error' }));
  const port = await listening(opened.app.fastify);
  const streams = Array.from({ length: 100 }, (_, i) => emptyHead(`critic-bench-${process.pid}-${i}`));
  let n = 0;
  const write = async ({ rate }: SseOrder, until: number): Promise<void> => {
    const pause = (EVENTS_AT_ONCE * 1000) / rate;
    for (let due = performance.now(); due < until; due += pause) {
      const at = n++ % streams.length;
      streams[at] = await beats(opened, streams[at]!, n);
      await sleep(Math.max(0, due + pause - performance.now()));
    }
  };
  return { port, write };
}

async function beats({ platform }: OpenApp, head: StreamHead, n: number): Promise<StreamHead> {
  const jobSeed = systemSeed('bench-sse', `${process.pid}-${n}`);
  const by = { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) };
  const data = { agent_id: 'critic-bench', state: 4, beat_at: new Date().toISOString() };
  const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({ type: 'AGENT_HEARTBEAT', data }));
  return (await platform.events.append(head, events, by)).head;
}

async function bareSide(): Promise<Side> {
  const fastify = Fastify();
  const open = new Set<ServerResponse>();
  fastify.get('/events/tail', (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write('retry: 2000\n\n');
    open.add(reply.raw);
    reply.raw.on('close', () => open.delete(reply.raw));
  });
  const port = await listening(fastify);
  const write = async ({ rate, bytes }: SseOrder, until: number): Promise<void> => {
    const frame = Buffer.from(`data: ${'x'.repeat(bytes - 8)}\n\n`);
    const batch = Buffer.concat(Array.from({ length: (rate * BATCH_MS) / 1000 }, () => frame));
    for (let due = performance.now(); due < until; due += BATCH_MS) {
      for (const response of open) response.write(batch);
      await sleep(Math.max(0, due + BATCH_MS - performance.now()));
    }
  };
  return { port, write };
}

async function listening(fastify: Pick<FastifyInstance, 'listen' | 'server'>): Promise<number> {
  await fastify.listen({ host: '127.0.0.1', port: 0 });
  return (fastify.server.address() as AddressInfo).port;
}
