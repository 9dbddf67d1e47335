import { fixtureKeyRing, type Principal } from '#lib/access';
import { AuditLog } from '#lib/audit';
import {
  EventCodec,
  EventLog,
  MemoryEventStore,
  type Page,
  type ReadAllOptions,
  SubjectCiphers,
  type SubjectKeyStore,
} from '#lib/event-store';
import { type EventDefinition, EventRegistry, traceId } from '#lib/kernel';

import { until } from '../../../../test/support/eventually.js';
import { EventTail, type TailLimits } from './event-tail.js';
import { PACE, type Pace } from './following.js';
import type { TailReader } from './tail-reader.js';

const DEFINITIONS: readonly EventDefinition[] = [
  { type: 'NOTED', version: 1, plain: ['n', 'pii_hash'] },
  { type: 'COUNTED', version: 1, plain: ['n'] },
  { type: 'NEGOTIATION_PROPOSED', version: 1, plain: ['n', 'requested_critics'] },
  { type: 'VOTE_CAST', version: 1, plain: ['n'] },
];
const AUDITOR: Principal = { id: 'user_ann', roles: ['auditor'], elevated: false };
const OPERATOR: Principal = { id: 'user_otto', roles: ['operator'], elevated: false };
const QUICK: Pace = { ...PACE, batchMs: 1 };

/** A store whose readings of the whole log wait where a test says so, and whose rows somebody may have changed. */
class Controlled extends MemoryEventStore {
  beforePage: (options: ReadAllOptions) => Promise<void> = async () => undefined;
  rewrite = (text: string): string => text;
  subscriptions = 0;

  override async readAll(options: ReadAllOptions): Promise<Page> {
    await this.beforePage(options);
    const page = await super.readAll(options);
    return { ...page, events: page.events.map((event) => ({ ...event, text: this.rewrite(event.text) })) };
  }

  override subscribeAll(options: Parameters<MemoryEventStore['subscribeAll']>[0]) {
    this.subscriptions += 1;
    return super.subscribeAll(options);
  }
}

function setUp(pace: Pace = QUICK, limits?: TailLimits) {
  const store = new Controlled();
  const ring = fixtureKeyRing();
  const registry = new EventRegistry(DEFINITIONS);
  const log = new EventLog(store, new EventCodec(registry, ring, new SubjectCiphers({} as SubjectKeyStore, ring)));
  const audit = new AuditLog(log, registry, {} as never, async () => true);
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const tail = new EventTail({ store, audit, log: 'a log of the tests', onFault, pace, ...(limits && { limits }) });
  let seeds = 0;
  const write = async (stream: string, type = 'NOTED', data: object = {}): Promise<void> => {
    const jobSeed = `test:${(seeds += 1)}`;
    await log.execute({
      stream,
      fold: { name: 'none', initial: null, evolve: (state: null) => state },
      provenance: { jobSeed, sequenceIndex: 0, actor: { id: 'system', role: 'system' }, traceId: traceId(jobSeed) },
      decide: () => [{ type, data: { n: seeds, ...data } }],
    });
  };
  return { store, tail, write, faults };
}

/** Positions as they come, until `enough` came. */
async function positions(reader: TailReader, enough: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const item of reader) {
    if (item.kind === 'ended') break;
    for (const one of item.events) seen.push(one.kind === 'event' ? one.event.position : `!${one.unverified.position}`);
    if (seen.length >= enough) break;
  }
  return seen;
}

const upTo = (n: number, from = 1): string[] => Array.from({ length: n - from + 1 }, (_, i) => String(from + i));

it('without a position it begins at the head; with one, exactly after it', async () => {
  const { tail, write } = setUp();
  for (let i = 0; i < 3; i++) await write('a');
  const fromHead = await tail.open(AUDITOR);
  const fromSecond = await tail.open(AUDITOR, {}, '2');
  const fromNothing = await tail.open(AUDITOR, {}, '0');
  await write('b');
  expect(await positions(fromHead, 1)).toEqual(['4']);
  expect(await positions(fromSecond, 2)).toEqual(['3', '4']);
  expect(await positions(fromNothing, 4)).toEqual(upTo(4));
  await tail.stop();
});

it('joins what is shared without a gap or a repetition, wherever in its reading events come', async () => {
  const { store, tail, write } = setUp();
  for (let i = 0; i < 5; i++) await write(`s${i}`);
  // Others follow already, so that there is something to join.
  const other = await tail.open(AUDITOR, {}, '0');
  const others = positions(other, 60);
  const readers = [];
  for (let i = 0; i < 8; i++) {
    const turns = i;
    let page = 0;
    store.beforePage = async () => {
      // Another event comes before the page, after it, and between the last page and the joining.
      if ((page += 1) <= turns) await write(`r${turns}`);
    };
    const reader = await tail.open(AUDITOR, {}, String(i % 6));
    readers.push({ from: (i % 6) + 1, seen: positions(reader, 60 - (i % 6)) });
    await write('x');
  }
  store.beforePage = async () => undefined;
  const head = Number(await store.head());
  for (let i = head; i < 60; i++) await write('rest');
  // The last batch may hold what was written after the sixtieth.
  expect((await others).slice(0, 60)).toEqual(upTo(60));
  for (const { from, seen } of readers) expect((await seen).slice(0, 61 - from)).toEqual(upTo(60, from));
  await tail.stop();
});

it('reads the log once, however many follow it, and not at all when nobody does', async () => {
  const { store, tail, write } = setUp();
  const readers = await Promise.all(Array.from({ length: 20 }, () => tail.open(AUDITOR)));
  await write('a');
  const items = await Promise.all(readers.map((reader) => reader.next()));
  expect(store.subscriptions).toBe(1);
  const buffers = new Set(items.map((item) => (item.kind === 'events' ? item.frames : null)));
  expect(buffers.size).toBe(1);
  for (const reader of readers) reader.close();
  expect(tail.size).toBe(0);
  const again = await tail.open(AUDITOR);
  await write('a');
  expect(await positions(again, 1)).toEqual(['2']);
  expect(store.subscriptions).toBe(2);
});

it('ends a reader that is slower than what is held, and says where to go on', async () => {
  const { tail, write } = setUp({ ...QUICK, maxHeldBytes: 1500, maxBatchBytes: 1 });
  const slow = await tail.open(AUDITOR);
  const quick = await tail.open(AUDITOR);
  await write('a');
  const first = await slow.next();
  expect(first).toMatchObject({ kind: 'events', events: [{ event: { position: '1' } }] });
  const seen = positions(quick, 8);
  for (let i = 0; i < 7; i++) await write('a');
  expect(await seen).toEqual(upTo(8));
  expect(slow.mustEnd).toBe(true);
  expect(await slow.next()).toEqual({ kind: 'ended', reason: 'slow_reader', resumeAfter: '1' });
  const resumed = await tail.open(AUDITOR, {}, '1');
  expect(await positions(resumed, 7)).toEqual(upTo(8, 2));
  await tail.stop();
});

it('gives types and streams that are asked for, of the past and live, and moves past the others', async () => {
  const { tail, write } = setUp();
  await write('a', 'COUNTED');
  await write('b', 'NOTED');
  await write('b', 'COUNTED');
  const counted = await tail.open(OPERATOR, { types: ['COUNTED'] }, '0');
  const ofB = await tail.open(OPERATOR, { stream: 'b' }, '0');
  const both = await tail.open(OPERATOR, { stream: 'b', types: ['NOTED'] }, '0');
  const first = await counted.next();
  expect(first).toMatchObject({ kind: 'events' });
  await write('b', 'NOTED');
  await write('a', 'COUNTED');
  expect(await positions(ofB, 3)).toEqual(['2', '3', '4']);
  expect(await positions(both, 2)).toEqual(['2', '4']);
  expect((await positions(counted, 1)).at(-1)).toBe('5');
  await tail.stop();
});

it('shows keyed hashes of personal data to auditors, and to operators none', async () => {
  const { tail, write } = setUp();
  await write('a', 'NOTED', { pii_hash: 'f00d' });
  const shown = async (principal: Principal) => {
    const reader = await tail.open(principal, {}, '0');
    const item = await reader.next();
    reader.close();
    return item.kind === 'events' ? item.frames.toString() : '';
  };
  expect(await shown(AUDITOR)).toContain('"pii_hash":"f00d"');
  expect(await shown(OPERATOR)).not.toContain('f00d');
  await tail.stop();
});

it('gives an agent the events of negotiations that ask it, and of nothing else', async () => {
  const { tail, write } = setUp();
  const agent: Principal = { id: 'user_mia', roles: ['agent'], elevated: false };
  const asked = { requested_critics: ['mia', 'bob'] };
  const others = { requested_critics: ['bob'] };
  await write('negotiation-a', 'NEGOTIATION_PROPOSED', asked);
  await write('negotiation-b', 'NEGOTIATION_PROPOSED', others);
  await write('a', 'NOTED');
  // In a stream that is no negotiation's, whatever it says.
  await write('c', 'NEGOTIATION_PROPOSED', asked);
  const reader = await tail.open(agent, {}, '0');
  const live = positions(reader, 2);
  await write('negotiation-b', 'VOTE_CAST');
  await write('negotiation-a', 'VOTE_CAST');
  expect(await live).toEqual(['1', '6']);
  // Whoever joins later is told by the proposal, which it has not read.
  const late = await tail.open(agent, {}, '5');
  expect(await positions(late, 1)).toEqual(['6']);
  const user: Principal = { id: 'user_tuff', roles: ['user'], elevated: false };
  await expect(tail.open(user)).rejects.toThrow('PERMISSION_DENIED');
  await tail.stop();
});

it('shows nothing of a row that is not what was signed, but its place', async () => {
  const { store, tail, write } = setUp();
  await write('a', 'NOTED', { pii_hash: 'secret' });
  await write('a');
  await write('b');
  store.rewrite = (text) => text.replace('secret', 'forged');
  const reader = await tail.open(AUDITOR, {}, '0');
  const item = await reader.next();
  expect(item).toMatchObject({
    kind: 'events',
    events: [
      { kind: 'unverified', unverified: { position: '1', stream: 'a', revision: 0 } },
      { kind: 'event', event: { position: '2' } },
      { kind: 'event', event: { position: '3' } },
    ],
  });
  expect(item.kind === 'events' && item.frames.toString()).not.toContain('forged');
  reader.close();
  await tail.stop();
});

it.each(['x', '-1', '01', '1.5', '4', '99999999999999999999', '', '1, 2'])(
  'refuses %p as a position to go on from',
  async (after) => {
    const { tail, write } = setUp();
    for (let i = 0; i < 3; i++) await write('a');
    await expect(tail.open(AUDITOR, {}, after)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(tail.size).toBe(0);
    await tail.stop();
  },
);

it('takes so many readers of a principal and in all, and a place that was given back', async () => {
  const { tail } = setUp(QUICK, { ofPrincipal: 2, inAll: 3 });
  const own = [await tail.open(AUDITOR), await tail.open(AUDITOR)];
  await expect(tail.open(AUDITOR)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await tail.open(OPERATOR);
  await expect(tail.open(OPERATOR)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  own[0]!.close();
  own[0]!.close();
  await tail.open(OPERATOR);
  await expect(tail.open(AUDITOR)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await tail.stop();
});

it('ends every reader when the process stops, also one that waits, and takes no more', async () => {
  const { tail } = setUp();
  const reader = await tail.open(AUDITOR);
  const waiting = reader.next();
  await tail.stop();
  expect(await waiting).toEqual({ kind: 'ended', reason: 'server_stopping', resumeAfter: '0' });
  await expect(tail.open(AUDITOR)).rejects.toMatchObject({ code: 'DATA_UNAVAILABLE' });
});

it('goes on after what it read where the log could not be followed for a while', async () => {
  const { store, tail, write, faults } = setUp({ ...QUICK, pauseMs: 1 });
  const reader = await tail.open(AUDITOR);
  await write('a');
  expect(await positionsWithout(reader, 1)).toEqual(['1']);
  store.beforePage = async () => {
    throw new Error('away');
  };
  await write('a');
  await until(() => faults.length > 1, 'a fault');
  store.beforePage = async () => undefined;
  await write('a');
  expect(await positionsWithout(reader, 2)).toEqual(['2', '3']);
  await tail.stop();
});

/** As `positions`, and the reader stays open. */
async function positionsWithout(reader: TailReader, enough: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < enough) {
    const item = await reader.next();
    if (item.kind === 'ended') break;
    for (const one of item.events) if (one.kind === 'event') seen.push(one.event.position);
  }
  return seen;
}
