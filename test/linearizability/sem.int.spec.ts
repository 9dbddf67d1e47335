import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EventStore, MemoryEventStore, openSqliteEventStore } from '#lib/event-store';
import { DeterministicRng, MaceError, type Json } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { findViolation, type Operation } from '../support/linearizability.js';
import { jitter } from '../../libs/memory/src/testing/jitter-store.js';
import { ctxOf, memoryProcess, MemorySubjectKeys, NOON, TUFF } from '../../libs/memory/src/testing/memory-harness.js';

const KEY = 'user/profile/user_tuff/favorite_color';
const CLIENTS = 8;
const OPERATIONS = 12;

describe('one key of memory under concurrent puts and gets through two processes', () => {
  it.each(seeds(20))('answers as one register would, seed %i', async (seed) => {
    const history = await run(`lin-${seed}`, ({ store }) => store);
    expect(history).toHaveLength(CLIENTS * OPERATIONS);
    expect(findViolation(history, null)).toBeNull();
  });

  it.each(seeds(20))('answers as one register would where the store loses answers, seed %i', async (seed) => {
    const history = await run(`lossy-${seed}`, ({ store }) => store, { lossy: 0.5 });
    expect(findViolation(history, null)).toBeNull();
    const puts = history.filter(({ kind, returned }) => kind === 'put' && returned !== undefined);
    expect(puts.length).toBeGreaterThan(0);
  });

  it.each(seeds(3))('answers as one register would on the embedded store, seed %i', async (seed) => {
    const folder = DataFolder.take(await mkdtemp(join(tmpdir(), 'mace-lin-')));
    const embedded = await openSqliteEventStore({ folder });
    try {
      const history = await run(`embedded-${seed}`, ({ store }) => store, { inner: embedded });
      expect(findViolation(history, null)).toBeNull();
    } finally {
      await embedded.close();
      folder.release();
      await rm(folder.path, { recursive: true });
    }
  });

  it('would be found out if a process trusted its cache for a while', async () => {
    const histories = await Promise.all(seeds(20).map((seed) => run(`stale-${seed}`, ({ store }) => forgetful(store))));
    expect(histories.some((history) => findViolation(history, null) !== null)).toBe(true);
  });
});

interface Options {
  /** Share of appends whose answer is lost. */
  readonly lossy?: number;
  readonly inner?: EventStore;
}

interface Given {
  readonly store: EventStore;
}

/** Eight clients, every other one at the other process, each doing one thing after another. */
async function run(
  name: string,
  as: (given: Given) => EventStore,
  { lossy = 0, inner = new MemoryEventStore() }: Options = {},
): Promise<Operation<Json>[]> {
  const rng = new DeterministicRng(name);
  const shared = jitter(inner, rng, { lossy });
  const keys = new MemorySubjectKeys();
  const processes = [
    memoryProcess({ store: shared, keys }),
    memoryProcess({ store: as({ store: shared }), keys }),
  ] as const;
  const history: Operation<Json>[] = [];
  let clock = 0;
  const client = async (id: number): Promise<void> => {
    const mine = processes[id % 2]!;
    for (let i = 0; i < OPERATIONS; i++) {
      const kind = rng.next() < 0.5 ? 'put' : 'get';
      const called = clock++;
      if (kind === 'get') {
        const { value } = await mine.memory.get(KEY);
        history.push({ client: id, kind, value, called, returned: clock++ });
        continue;
      }
      const value = `${id}.${i}`;
      // A put without a timestamp is later than what is current, so each takes effect. Half carry an Idempotency-Key.
      const key = rng.next() < 0.5 ? { key: `${id}-${i}` } : {};
      const ctx = ctxOf(TUFF, { now: NOON + Math.floor(rng.next() * 5), ...key });
      const acknowledged = await mine.writes.put(ctx, { key: KEY, value }).then(({ applied }) => applied, unanswered);
      history.push({ client: id, kind, value, called, returned: acknowledged ? clock++ : undefined });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)));
  return history;
}

function unanswered(error: unknown): false {
  if (error instanceof MaceError && error.code === 'SEM_WRITE_FAIL') return false;
  throw error;
}

/** Confirms a version it heard a moment ago instead of asking. */
function forgetful(inner: EventStore): EventStore {
  let heard: number | undefined;
  let uses = 0;
  return new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name !== 'streamVersion') return member.bind(target) as unknown;
      return async (stream: string) => {
        if (heard === undefined || uses++ % 6 === 0) heard = await target.streamVersion(stream);
        return heard;
      };
    },
  });
}

/** The first ones follow from the seed of the run. */
function seeds(count: number): number[] {
  const first = Number(process.env['MACE_TEST_SEED'] ?? '1') * 1_000;
  return Array.from({ length: count }, (_, nth) => first + nth);
}
