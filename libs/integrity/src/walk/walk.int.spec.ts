import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  EventCodec,
  EventLog,
  openEventLogReader,
  openSqliteEventStore,
  positionOf,
  type RecordedEvent,
  SubjectCiphers,
} from '#lib/event-store';
import { EventRegistry, KeyRing, type RingKey, systemSeed, traceId } from '#lib/kernel';
import { DataFolder, openDatabase } from '#lib/sqlite';

import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { changeLoosened } from '../../../event-store/src/testing/loosened-events.js';
import type { Fault } from '../domain/fault.js';
import type { RangeReport } from '../range/range-report.js';
import { readRange } from '../range/read-range.js';
import { RangeVerifier } from '../range/range-verifier.js';
import type { IntegrityRules } from '../range/rules.js';
import { BARE_RULES } from '../testing/bare-rules.js';
import { leftWalk, WalkFile } from './walk-file.js';
import { MAX_RECORDED, type RangeWorker, walk } from './walk.js';
import { walkOf, type WalkState } from './walk-state.js';

const STREAMS = 7;
const EVENTS = 210;
const RANGE_SIZE = 16;
/** Position of an event that somebody changes. */
const ODD = 40;
const KEYS: readonly RingKey[] = [
  {
    kid: 'k1',
    purpose: 'event-hmac',
    state: 'active',
    secret: Buffer.alloc(32, 1),
    notBefore: '2025-01-01T00:00:00.000Z',
  },
  {
    kid: 'w1',
    purpose: 'data-key-wrapping',
    state: 'active',
    secret: Buffer.alloc(32, 2),
    notBefore: '2025-01-01T00:00:00.000Z',
  },
];
const EMPTY_REPORT: Omit<RangeReport, 'range'> = {
  events: RANGE_SIZE,
  faults: [],
  moreFaults: 0,
  unlisted: [],
  times: [],
  timesFound: 0,
  streams: [],
  openLogs: [],
  snapshots: [],
  artifacts: [],
  sealedJobs: 0,
  references: 0,
  erasedReferences: 0,
  uncheckedReferences: 0,
  digest: '',
  places: '',
  root: null,
};

let folder: string;
let ring: KeyRing;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mace-walk-'));
  ring = new KeyRing(KEYS);
  await write(0, EVENTS);
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a walk in any number of parts comes to the counts, digest and root of one in one', async () => {
  const whole = await walked(EVENTS);
  expect(whole).toMatchObject({ state: { position: EVENTS, faults: 0 }, faults: [] });
  expect(whole.state.counts).toMatchObject({ events: EVENTS, streams: STREAMS });
  let last = await walked(EVENTS, { stopAfter: 5 });
  for (let i = 0; i < 20 && last.state.position < EVENTS; i++)
    last = await walked(EVENTS, { resume: true, stopAfter: 5 });
  expect(last.state).toEqual(whole.state);
});

it.each([
  ['text', 'NULL', 'text'],
  ['text', "x'00ff'", 'text'],
  ['text', "text || char(0) || 'x'", 'text'],
  ['type', 'NULL', 'columns'],
  ['id', 'NULL', 'columns'],
  ['revision', "'x'", 'store'],
  ['revision', '9223372036854775807', 'store'],
  ['recorded_at', '9223372036854775807', 'store'],
  ['stream', '(SELECT id FROM streams WHERE name IS NULL)', 'columns'],
])('a walk over an event whose %s is %s names it and its place, and goes on', async (column, value, detector) => {
  changeLoosened(
    folder,
    `INSERT INTO streams VALUES (99, NULL); UPDATE events SET ${column} = ${value} WHERE position = ${ODD}`,
  );
  const { state, faults } = await walked(EVENTS);
  expect(faults[0]).toMatchObject({ detector, position: String(ODD) });
  expect(state).toMatchObject({ position: EVENTS, faults: faults.length });
  expect(faults.filter(({ position }) => Number(position) > ODD + STREAMS)).toEqual([]);
});

it.each(['events_by_revision ON events (stream, revision)', 'events_by_id ON events (stream, id)'])(
  'a walk names an event that is not in the index %s, so that nobody who reads its stream finds it',
  async (index) => {
    // Whoever holds the file makes the index without it, and then has the file say that it is the index that it was.
    edit(`DROP INDEX ${index.split(' ')[0]}; CREATE UNIQUE INDEX ${index} WHERE position <> ${ODD};
      PRAGMA wal_checkpoint(TRUNCATE)`);
    const path = join(folder, 'events.db');
    const bytes = readFileSync(path);
    const condition = ` WHERE position <> ${ODD}`;
    bytes.fill(' ', ...[0, condition.length].map((end) => bytes.indexOf(condition) + end));
    writeFileSync(path, bytes);
    const { state, faults } = await walked(EVENTS);
    const place = { stream: `s-${ODD % STREAMS}`, position: String(ODD) };
    expect(faults).toMatchObject([
      { detector: 'store', ...place, reason: expect.stringContaining('index') as unknown },
    ]);
    expect(state).toMatchObject({ position: EVENTS, faults: 1 });
    reindex();
    expect((await walked(EVENTS)).faults).toEqual([]);
  },
);

it('a walk names the first event of a stream that is not found by its name', async () => {
  const [found, other] = [`s-${STREAMS - 1}`, `s-${STREAMS}`].map((name) => Buffer.from(name)) as [Buffer, Buffer];
  onPageOf('sqlite_autoindex_streams_1', (page) => other.copy(page, page.indexOf(found)));
  const { faults } = await walked(EVENTS);
  expect(faults).toMatchObject([
    { detector: 'store', stream: found.toString(), revision: 0, position: String(STREAMS - 1) },
  ]);
  reindex();
  expect((await walked(EVENTS)).faults).toEqual([]);
});

it('a walk goes on where a page of an index is damaged, and names the events that it leads to', async () => {
  onPageOf('events_by_revision', (page) => page.fill(0xff, 0, 12));
  const { state, faults } = await walked(EVENTS);
  expect(state).toMatchObject({ position: EVENTS, faults: EVENTS, counts: { events: EVENTS } });
  expect(new Set(faults.map(({ detector }) => detector))).toEqual(new Set(['store']));
});

it('a walk names an event that stands before the first position, and counts it with none', async () => {
  edit(`INSERT INTO events SELECT -4, stream, 999, x'00', type, recorded_at, text FROM events WHERE position = 3`);
  const { state, faults } = await walked(EVENTS);
  expect(faults).toMatchObject([{ detector: 'positions', revision: 999, position: '-4' }]);
  expect(state.counts).toMatchObject({ events: EVENTS });
  expect(state.root).not.toBeNull();
});

describe('a clock', () => {
  const step = (position: number, ms: number) => {
    const began = Date.now();
    return (nth: number) => began + (nth + 1 >= position ? ms : 0);
  };
  const STEPS = [
    ['in the range of the event before', EVENTS + 2 * STREAMS, {}],
    ['in another range', EVENTS + RANGE_SIZE, {}],
    ['behind the place where a walk was left', EVENTS + 4 * RANGE_SIZE, { stopAfter: 17, inMemory: 2 }],
  ] as const;

  it.each(STEPS)(
    'that runs back by more than two seconds %s is found in each stream, and is no damage',
    async (_, at, left) => {
      const total = EVENTS + 100;
      await write(EVENTS, 100, step(at, -3_000));
      if ('stopAfter' in left) await walked(total, left);
      const { state, faults } = await walked(total, { ...left, stopAfter: Infinity, resume: 'stopAfter' in left });
      expect(state).toMatchObject({ position: total, faults: 0, recorded: 0, counts: { times_out_of_order: STREAMS } });
      const places = faults.map(({ detector, position }) => `${detector} ${position}`).sort();
      expect(places).toEqual(Array.from({ length: STREAMS }, (__, i) => `time ${at + i}`));
      expect(faults[0]!.reason).toMatch(/^it was recorded at 20.*Z, 3 s before the event it follows \(20.*Z\)$/);
    },
  );

  it('that runs back by less, or forward by a year, is as clocks are', async () => {
    await write(EVENTS, 20, step(EVENTS + 5, -1500));
    await write(EVENTS + 20, 20, step(0, 30_000));
    expect(await walked(EVENTS + 40)).toMatchObject({ faults: [], state: { counts: { times_out_of_order: 0 } } });
  });
});

it.each([86_400_000, -86_400_000])(
  'a date beside an event that is moved by %d ms is found, and is no damage',
  async (ms) => {
    edit(`UPDATE events SET recorded_at = recorded_at + ${ms} WHERE position = ${ODD}`);
    const { state, faults } = await walked(EVENTS);
    expect(faults).toMatchObject([
      { detector: 'time', position: String(ODD), reason: expect.stringContaining('86400') },
    ]);
    expect(state).toMatchObject({ faults: 0, counts: { times_out_of_order: 1 } });
  },
);

it('a walk that was stopped is left with its place, and knows where every stream ended', async () => {
  const { state } = await walked(EVENTS, { stopAfter: 5 });
  expect(state.position).toBeLessThan(EVENTS);
  expect(leftWalk(folder, ring)).toEqual(state);
  // Of the part that was walked already: whoever closes the gap behind the walk is found by what it remembers.
  const stream = `s-${(state.position + 1) % STREAMS}`;
  const of = `WHERE stream = (SELECT id FROM streams WHERE name = '${stream}') AND position > ${state.position}`;
  edit(`DELETE FROM events ${of} AND position <= ${state.position + STREAMS};
    UPDATE events SET revision = -revision ${of}; UPDATE events SET revision = -revision - 1 ${of}`);
  const { faults } = await walked(EVENTS, { resume: true });
  expect(faults).toMatchObject([{ detector: 'positions' }, { detector: 'chain', stream }]);
});

it('a walk that is held to a rate and stopped while a range is checked ends without waiting for the next', async () => {
  const { state } = await walked(EVENTS, { stopAfter: 2, maxRate: RANGE_SIZE / 3600 });
  expect(state.position).toBeLessThan(EVENTS);
});

it.each([
  ['its position', `UPDATE walk SET state = replace(state, '"to":${EVENTS}', '"to":1')`],
  ['the end of a stream', `UPDATE ends SET version = version + 1 WHERE stream = (SELECT min(stream) FROM ends)`],
  ['a stream less', `DELETE FROM ends WHERE stream = (SELECT min(stream) FROM ends)`],
])('a place in which somebody else wrote %s is not gone on from: the walk begins anew', async (_, sql) => {
  await walked(EVENTS, { stopAfter: 5 });
  edit(sql, 'integrity.db');
  const place = new WalkFile(folder, ring);
  expect(place.resume()).toBe(null);
  place.close();
  expect(await walked(EVENTS, { resume: true })).toMatchObject({ faults: [], state: { position: EVENTS } });
});

it.each([
  ['another fault', `UPDATE faults SET fault = replace(fault, 's-1', 's-2')`],
  ['what is no fault', `UPDATE faults SET fault = '{'`],
  ['one more', `INSERT INTO faults (fault) SELECT fault FROM faults`],
  ['none', `DELETE FROM faults`],
  ['a state that is none', `UPDATE walk SET state = '{'`],
])('of a place in which somebody else wrote %s no fault is believed: the walk begins anew', (_, sql) => {
  const fault: Fault = { detector: 'signature', stream: 's-1', revision: 0, position: '2', reason: 'as it was found' };
  const left = new WalkFile(folder, ring);
  left.begin();
  left.checkpoint({ ...walkOf('iv-1', 'user_ada', '2026-11-22T00:00:00.000Z', EVENTS), faults: 1 }, [fault]);
  expect(left.resume()).toMatchObject({ faults: [fault] });
  left.close();
  edit(sql, 'integrity.db');
  const place = new WalkFile(folder, ring);
  expect(place.resume()).toBe(null);
  place.close();
});

it('a place that a release before left, which kept nothing of where events stand, is gone on from without', () => {
  const { places: _, ...older } = walkOf('iv-1', 'user_ada', '2026-11-22T00:00:00.000Z', EVENTS);
  const left = new WalkFile(folder, ring);
  left.begin();
  left.checkpoint(older as WalkState, []);
  expect(left.resume()).toEqual({ state: { ...older, places: null }, faults: [] });
  left.close();
});

it('a place that cannot be read is none, and is made again', async () => {
  writeFileSync(join(folder, 'integrity.db'), 'no database at all, of more than sixteen bytes'.repeat(20));
  expect(leftWalk(folder, ring)).toBe(null);
  expect(await walked(EVENTS, { resume: true })).toMatchObject({ faults: [], state: { position: EVENTS } });
});

it('a folder where its place should be is named, and left as it is', async () => {
  mkdirSync(join(folder, 'integrity.db'));
  await expect(walked(EVENTS)).rejects.toThrow(/integrity\.db is a folder\. Move it away/);
});

it('ends of streams that do not fit into memory are kept in the file', async () => {
  const few = await walked(EVENTS, { inMemory: 2 });
  expect(few).toMatchObject({ faults: [], state: { counts: { streams: STREAMS } } });
});

it('a damaged page costs the events on it, is named as such, and stops nothing', async () => {
  await write(EVENTS, 1500);
  damagePage();
  const total = EVENTS + 1500;
  const { faults, state } = await walked(total);
  expect(state.position).toBe(total);
  const damage = faults.filter(({ detector }) => detector === 'store');
  expect(damage.length).toBeGreaterThan(0);
  expect(damage[0]!.reason).toMatch(/^positions? [0-9]+ .*cannot be read: is damaged/);
  expect(state.counts.events).toBeGreaterThan(total / 2);
  expect(new Set(faults.map(({ detector }) => detector))).toEqual(new Set(['store', 'revision']));
});

it('of more faults than are told one by one the first are told, whatever follows them in the range or after it', async () => {
  const faultAt = (position: number): Fault => ({
    detector: 'signature',
    stream: 's-1',
    revision: position,
    position: String(position),
    reason: 'its signature does not verify',
  });
  const told: Fault[] = [];
  const spoiled: RangeWorker = {
    depth: 1,
    verify: async (range) => ({
      ...EMPTY_REPORT,
      range,
      faults: Array.from({ length: 600 }, (_, i) => faultAt(range.after + i)),
      moreFaults: 2500,
    }),
  };
  const state = await walk(walkOf('iv-test', 'user_ann', '2026-01-05T10:00:00.000Z', 2 * RANGE_SIZE), {
    rules: BARE_RULES,
    rangeSize: RANGE_SIZE,
    workers: [spoiled],
    place: { get: () => undefined, set: () => undefined, checkpoint: () => undefined },
    host: {
      look: () => Promise.resolve([]),
      onProgress: () => undefined,
      onFaults: (some) => void told.push(...some),
    },
  });
  expect(state).toMatchObject({ faults: 2 * 3100, recorded: MAX_RECORDED });
  expect(told).toHaveLength(MAX_RECORDED);
  expect(told[0]).toEqual(faultAt(0));
});

it('jobs and snapshots among the faults that are not told one by one go out of use all the same, before the place is kept', async () => {
  const rules: IntegrityRules = { ...BARE_RULES, dense: false, leaves: false };
  const streamAt = (position: number): string => (position % 2 === 0 ? `job-${position}` : `s-${position}`);
  const spoiled: RecordedEvent[] = Array.from({ length: 2400 }, (_, i) => ({
    position: positionOf(i + 1),
    stream: streamAt(i + 1),
    revision: 0,
    type: 'NOTED',
    id: `e-${i + 1}`,
    recordedAt: 0,
    text: 'no event',
  }));
  const verifier = new RangeVerifier(rules, ring, { keys: () => Promise.resolve(new Map()) });
  const told: Fault[] = [];
  const withdrawn: Fault[] = [];
  let keptAfter = -1;
  const state = await walk(walkOf('iv-test', 'user_ann', '2026-01-05T10:00:00.000Z', 2400), {
    rules,
    rangeSize: 1200,
    workers: [
      {
        depth: 1,
        verify: (range) =>
          verifier.verify(range, (part) => ({
            range: part,
            events: spoiled.slice(part.after, part.to),
            unreadable: [],
          })),
      },
    ],
    place: { get: () => undefined, set: () => undefined, checkpoint: () => void (keptAfter = withdrawn.length) },
    host: {
      look: () => Promise.resolve([]),
      onProgress: () => undefined,
      onFaults: (some) => void told.push(...some),
      withdraw: async (some) => {
        await Promise.resolve();
        withdrawn.push(...some);
      },
    },
  });
  expect(state).toMatchObject({ faults: 2400, recorded: MAX_RECORDED });
  const jobs = [...told, ...withdrawn].map(({ stream }) => stream!).filter((stream) => stream.startsWith('job-'));
  expect(new Set(jobs)).toEqual(new Set(spoiled.map(({ stream }) => stream).filter((one) => one.startsWith('job-'))));
  expect(withdrawn.every(({ stream }) => stream!.startsWith('job-'))).toBe(true);
  expect([withdrawn.length, keptAfter]).toEqual([700, 700]);
});

interface Options {
  readonly resume?: boolean;
  /** Ranges after which it is killed. */
  readonly stopAfter?: number;
  readonly inMemory?: number;
  /** Events a second. */
  readonly maxRate?: number;
}

async function walked(
  to: number,
  { resume = false, stopAfter = Infinity, inMemory, maxRate }: Options = {},
): Promise<{ readonly state: WalkState; readonly faults: readonly Fault[] }> {
  const place = new WalkFile(folder, ring, inMemory);
  const reader = openEventLogReader(folder);
  const stopper = new AbortController();
  const faults: Fault[] = [];
  let ranges = 0;
  const verifier = new RangeVerifier(BARE_RULES, ring, { keys: () => Promise.resolve(new Map()) });
  const worker: RangeWorker = {
    depth: 1,
    verify(range) {
      if (++ranges >= stopAfter) stopper.abort();
      return verifier.verify(range, (part) => readRange(reader, part));
    },
  };
  try {
    const left = resume ? place.resume() : null;
    if (!left) place.begin();
    faults.push(...(left?.faults ?? []));
    const state = await walk(left?.state ?? walkOf('iv-test', 'user_ann', '2026-01-05T10:00:00.000Z', to), {
      rules: BARE_RULES,
      rangeSize: RANGE_SIZE,
      workers: [worker],
      place,
      host: {
        look: () => Promise.resolve([]),
        onProgress: () => undefined,
        onFaults: (some) => void faults.push(...some),
      },
      signal: stopper.signal,
      ...(maxRate === undefined ? {} : { maxRate }),
    });
    return { state, faults };
  } finally {
    reader.close();
    place.close();
  }
}

/** Events of a few streams in turn. @param timeOf what the clock shows for each, milliseconds since the Unix epoch */
async function write(from: number, count: number, timeOf: (nth: number) => number = () => Date.now()): Promise<void> {
  const held = DataFolder.take(folder);
  const store = await openSqliteEventStore({ folder: held });
  const registry = new EventRegistry([{ type: 'NOTED', version: 1, plain: ['what'] }]);
  const ciphers = new SubjectCiphers(new MemorySubjectKeys(), ring);
  let nth = from;
  const log = new EventLog(store, new EventCodec(registry, ring, ciphers, () => timeOf(nth)));
  for (let i = from; i < from + count; i++) {
    nth = i;
    const jobSeed = systemSeed('walk', String(i));
    const actor = { id: 'system', role: 'system' };
    await log.execute({
      stream: `s-${(i + 1) % STREAMS}`,
      fold: { name: 'count', initial: 0, evolve: (n: number) => n + 1 },
      provenance: { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) },
      decide: () => [{ type: 'NOTED', data: { what: `event ${i}` } }],
    });
  }
  await store.close();
  held.release();
}

/** As somebody does who holds the file: its rules are dropped first. */
function edit(sql: string, file = 'events.db'): void {
  const database = openDatabase(join(folder, file));
  if (file === 'events.db')
    database.exec('DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_deleted');
  database.exec(sql);
  database.close();
}

/** As docs/integrity.md has it. */
function reindex(): void {
  const database = openDatabase(join(folder, 'events.db'));
  database.exec('REINDEX');
  database.close();
}

/** Changes the one page of a small index as it lies in the file. */
function onPageOf(index: string, change: (page: Buffer) => void): void {
  const path = join(folder, 'events.db');
  const database = openDatabase(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const root = Number(
    database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = '${index}'`).get()!['rootpage'],
  );
  database.close();
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16);
  change(bytes.subarray((root - 1) * size, root * size));
  writeFileSync(path, bytes);
}

/** Overwrites the frame of a page in which events lie. */
function damagePage(): void {
  const path = join(folder, 'events.db');
  const bytes = readFileSync(path);
  const size = bytes.readUInt16BE(16);
  const needle = bytes.indexOf(`"what":"event ${EVENTS + 700}"`);
  bytes.fill(0xff, Math.floor(needle / size) * size, Math.floor(needle / size) * size + 12);
  writeFileSync(path, bytes);
}
