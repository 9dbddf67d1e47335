import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { emptyHead, EventCodec, openEventLogReader, openSqliteEventStore, SubjectCiphers } from '#lib/event-store';
import { EventRegistry, KeyRing, type RingKey, systemSeed, traceId } from '#lib/kernel';
import { DataFolder, openDatabase } from '#lib/sqlite';

import { MemorySubjectKeys } from '../../../event-store/src/memory/memory-subject-keys.js';
import { readRange } from '../range/read-range.js';
import { RangeVerifier } from '../range/range-verifier.js';
import { BARE_RULES } from '../testing/bare-rules.js';
import { WalkFile } from './walk-file.js';
import { walk } from './walk.js';
import { walkOf } from './walk-state.js';

/** Each event has a stream of its own: what a walk could keep most of. */
const EVENTS = 62_000;
/** Beyond the number of streams whose keys are kept for their next events: from here on nothing may be kept any more. */
const FEW = 18_000;
const RANGE_SIZE = 1024;
const IN_MEMORY = 100;
/** Much less than the ends of the streams between the two sizes take, 13 MB, or a fault for each of the few, 4 MB. */
const NOISE = 2_000_000;
const TRIES = 4;

const OWN = ringOf(1);

let folder: string;
let collect: () => void;
beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc') as () => void;
  folder = mkdtempSync(join(tmpdir(), 'mace-walk-memory-'));
  await write();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

it('what a walk keeps in memory does not grow with the log, nor with what is found', async () => {
  expect(await growth(() => mostHeld(EVENTS))).toBeLessThan(NOISE);
  expect(await growth(() => mostHeld(FEW, { ring: ringOf(7) }))).toBeLessThan(NOISE);
  // Where it would keep the end of every stream, this is how it would show.
  expect((await mostHeld(EVENTS, { inMemory: Infinity })) - (await mostHeld(FEW))).toBeGreaterThan(2 * NOISE);
}, 300_000);

/**
 * How much more is held than in a walk over the few. The least of several tries: what else this process keeps and lets go
 * moves any one of them by megabytes, and what a walk keeps is there each time.
 */
async function growth(more: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let tried = 0; tried < TRIES && least >= NOISE; tried++) {
    const few = await mostHeld(FEW);
    least = Math.min(least, (await more()) - few);
  }
  return least;
}

interface Options {
  readonly ring?: KeyRing;
  /** Streams whose ends are kept in memory. */
  readonly inMemory?: number;
}

/** Bytes of the heap that a walk up to a position holds more than before it, at the place of its way where they are most. */
async function mostHeld(to: number, { ring = OWN, inMemory = IN_MEMORY }: Options = {}): Promise<number> {
  const place = new WalkFile(folder, ring, inMemory);
  const reader = openEventLogReader(folder);
  const verifier = new RangeVerifier(BARE_RULES, ring, { keys: () => Promise.resolve(new Map()) });
  const before = held();
  let most = 0;
  try {
    place.begin();
    const state = await walk(walkOf('iv-test', 'user_ann', '2026-01-05T10:00:00.000Z', to), {
      rules: BARE_RULES,
      rangeSize: RANGE_SIZE,
      workers: [{ depth: 1, verify: (range) => verifier.verify(range, (part) => readRange(reader, part)) }],
      place: {
        get: (stream) => place.get(stream),
        set: (stream, end) => place.set(stream, end),
        checkpoint: (state, faults) => {
          most = Math.max(most, held() - before);
          place.checkpoint(state, faults);
        },
      },
      host: {
        look: () => Promise.resolve([]),
        onProgress: () => undefined,
        onFaults: () => undefined,
        withdraw: () => Promise.resolve(),
      },
    });
    expect(state).toMatchObject({ position: to, counts: { events: to, streams: to }, faults: ring === OWN ? 0 : to });
    return most;
  } finally {
    reader.close();
    place.close();
  }
}

function held(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function ringOf(secret: number): KeyRing {
  const key = (kid: string, purpose: RingKey['purpose']): RingKey => ({
    ...{ kid, purpose, state: 'active', secret: Buffer.alloc(32, secret) },
    notBefore: '2025-01-01T00:00:00.000Z',
  });
  return new KeyRing([key('k1', 'event-hmac'), key('w1', 'data-key-wrapping')]);
}

/** As a store would have written them, by one statement each in one transaction. */
async function write(): Promise<void> {
  const lock = DataFolder.take(folder);
  await (await openSqliteEventStore({ folder: lock })).close();
  const registry = new EventRegistry([{ type: 'NOTED', version: 1, plain: ['what'] }]);
  const codec = new EventCodec(registry, OWN, new SubjectCiphers(new MemorySubjectKeys(), OWN));
  const db = openDatabase(join(folder, 'events.db'));
  const [addStream, addEvent] = [
    db.prepare('INSERT INTO streams (id, name) VALUES (?, ?)'),
    db.prepare("INSERT INTO events VALUES (?, ?, 0, ?, 'NOTED', 0, ?)"),
  ];
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  for (let n = 1; n <= EVENTS; n++) {
    const [stream, jobSeed] = [`job-${n}`, systemSeed('walk', String(n))];
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    const [event] = codec.encode(emptyHead(stream), [{ type: 'NOTED', data: { what: n } }], provenance, new Map());
    addStream.run(n, stream);
    addEvent.run(n, n, Buffer.from(event!.id, 'hex'), event!.text);
  }
  db.exec('COMMIT');
  db.close();
  lock.release();
}
