import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { eventually, until } from '../../../../test/support/eventually.js';
import { SseReader } from '../../../../test/support/sse-reader.js';
import {
  SSE_HEADERS,
  SSE_PACE,
  type SseItem,
  type SsePace,
  type SseRefusal,
  SseSession,
  type SseSource,
} from './sse-session.js';

const LARGE = Buffer.from(`data: ${'x'.repeat(1024 * 1024)}\n\n`);

/** A source that always has more, or waits, as a test says. */
class Endless implements SseSource {
  given = 0;
  mustEnd = false;
  isClosed = false;
  mark = '7';
  private wake: () => void = () => undefined;

  constructor(private readonly most = Infinity) {}

  async next(): Promise<SseItem> {
    if (this.given >= this.most && !this.isClosed) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.isClosed || this.mustEnd)
      return { kind: 'ended', event: 'dropped', data: { reason: 'slow_reader', resume_after: this.mark } };
    this.given += 1;
    return { kind: 'frames', bytes: LARGE, things: [] };
  }

  idOf(position: string): string {
    return position;
  }

  close(): void {
    this.isClosed = true;
    this.wake();
  }
}

let server: Server;
let session: SseSession;
let written: () => number;

async function serve(source: SseSource, pace: Partial<SsePace> = {}, check = (): SseRefusal | undefined => undefined) {
  server = createServer((_, response) => {
    for (const [name, value] of Object.entries(SSE_HEADERS)) response.setHeader(name, value);
    written = () => response.writableLength;
    session = new SseSession(response, source, check, '7', { ...SSE_PACE, ...pace });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return SseReader.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {});
}

afterEach(() => new Promise<void>((done) => (server.closeAllConnections(), server.close(() => done()))));

it('waits for its reader: what is not taken yet is one item, however much there is', async () => {
  const source = new Endless();
  const reader = await serve(source);
  reader.pause();
  let seen = -1;
  await until(() => {
    const isStill = seen === source.given && written() > 0;
    seen = source.given;
    return isStill;
  }, 'a standstill');
  // What the system holds for a connection is its own.
  expect(written()).toBeLessThan(2 * LARGE.length);
  const before = source.given;
  reader.resume();
  await until(() => source.given > before + 3, 'more');
  reader.close();
  await session.closed;
  expect(source.isClosed).toBe(true);
});

it('drops a reader who takes nothing, and says so to one who reads on in time', async () => {
  const source = new Endless();
  const reader = await serve(source, { stallMs: 1, lookMs: 5, farewellMs: 60_000 });
  reader.pause();
  await until(() => source.isClosed || written() > 0, 'more than the reader takes');
  await eventually(() => (source.given > 1 ? true : null));
  reader.resume();
  const last = await reader.end();
  if (last?.event !== 'message') expect(JSON.parse(last!.data)).toMatchObject({ reason: 'slow_reader' });
  expect(last?.event).toBe('dropped');
  await session.closed;
});

it('cuts off a reader who does not take the last event either', async () => {
  const reader = await serve(new Endless(), { stallMs: 1, lookMs: 5, farewellMs: 20 });
  reader.pause();
  // There is always more, so that nothing else ends it.
  await session.closed;
  reader.close();
});

it('ends a reader who takes nothing as soon as what comes next is held no more', async () => {
  const source = new Endless();
  const reader = await serve(source, { lookMs: 5, farewellMs: 20 });
  reader.pause();
  await until(() => written() > 0, 'more than the reader takes');
  source.mustEnd = true;
  await session.closed;
  reader.close();
});

it('gives signs of life, and an id where one has moved without an event', async () => {
  const source = new Endless(0);
  const reader = await serve(source, { beatMs: 5 });
  await until(() => reader.comments > 1, 'signs of life');
  expect(reader.lastId).toBe('');
  source.mark = '9';
  await until(() => reader.lastId === '9', 'the id');
  expect(reader.events).toEqual([]);
  reader.close();
  await session.closed;
});

it('ends a stream that waits once its reader may no longer read, and sends nothing more', async () => {
  const refusal: SseRefusal = { error_code: 'UNAUTHENTICATED', reason: 'it was revoked' };
  let isRevoked = false;
  const source = new Endless(0);
  const reader = await serve(source, {}, () => (isRevoked ? refusal : undefined));
  isRevoked = true;
  await session.lookAgain();
  const last = await reader.end();
  expect(last).toMatchObject({ event: 'closed' });
  expect(JSON.parse(last!.data)).toEqual({ ...refusal, resume_after: '7' });
  expect(source.given).toBe(0);
});

it('ends the stream where its source fails', async () => {
  const source = new Endless();
  source.next = () => Promise.reject(new Error('the store is away'));
  const reader = await serve(source);
  const last = await reader.end();
  expect(JSON.parse(last!.data)).toMatchObject({ error_code: 'DATA_UNAVAILABLE' });
});
