import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  type EventStore,
  MemoryEventStore,
  type Page,
  type Position,
  positionOf,
  StoreUnavailableError,
} from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';
import { parseCheckpoint, parseNote, parseVkey, verifyConsistency, verifyInclusion, verifyNote } from '#lib/verifier';

import { LogKeys } from './log-keys.js';
import type { MerkleLogOptions } from './merkle-log.js';
import {
  everything,
  fill,
  idOf,
  openLog,
  type OpenLog,
  ORIGIN,
  placesOf,
  rootOf,
  signingKey,
} from './testing/proof-support.js';

const NEVER = 1_000_000;
const PATIENCE_MS = 20_000;
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

let folder: string;
let events: MemoryEventStore;
let opened: OpenLog[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-log-'));
  events = new MemoryEventStore();
  opened = [];
});
afterEach(async () => {
  for (const { log } of opened) await log.close();
  await events.close();
  rmSync(folder, { recursive: true });
});

async function open(change: Partial<MerkleLogOptions> & { readonly ring?: KeyRing } = {}): Promise<OpenLog> {
  const log = await openLog(join(folder, 'proof.db'), events, change);
  opened.push(log);
  log.log.start();
  return log;
}

describe('what is kept of a Merkle log', () => {
  it('is made again, leaf by leaf, where it does not follow from events that are as they were signed', async () => {
    const { log, store } = await open();
    await fill(events, 40);
    const checkpoint = await log.covering('40', PATIENCE_MS);
    const root = rootOf((await everything(events)).slice(0, 33));
    expect(await log.compare(33, root, null)).toEqual({ kind: 'same' });
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec(`UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf IN (15, 36); DELETE FROM leaves WHERE leaf = 9;
      UPDATE leaves SET position = 1, event = 7 WHERE leaf = 20`);
    db.close();
    expect(await log.compare(33, root, null)).toEqual({ kind: 'mended', leaves: 4, position: '10' });
    expect(await log.compare(33, root, null)).toEqual({ kind: 'same' });
    for (const n of [9, 14, 15, 20, 36, 37]) {
      const { leaf_index, leaf_hash, inclusion } = (await log.proofOf(idOf(n), checkpoint))!;
      const path = inclusion.map(bytes);
      expect(verifyInclusion(leaf_index, 40, bytes(leaf_hash), path, bytes(checkpoint.root))).toBe(true);
    }
    expect(store.reader.root(40)).toBe(checkpoint.root);
    expect(log.state()).toMatchObject({ problem: null });
  });

  it.each([
    [
      'where an event is said to stand: its proof would be of another',
      'UPDATE leaves SET position = 3 WHERE leaf = 20',
    ],
    ['which event is said to stand there: its proof would not be found', 'UPDATE leaves SET event = 7 WHERE leaf = 20'],
  ])('is made again where all that is wrong is %s', async (_what, sql) => {
    const { log } = await open();
    await fill(events, 40);
    await log.covering('40', PATIENCE_MS);
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec(sql);
    db.close();
    const all = await everything(events);
    const root = rootOf(all);
    expect(await log.compare(40, root, placesOf(all, 16))).toEqual({ kind: 'mended', leaves: 1, position: '21' });
    expect(await log.compare(40, root, placesOf(all, 16))).toEqual({ kind: 'same' });
  });

  it.each([
    ['leaves that it does not hold', 'DELETE FROM leaves_by_event WHERE leaf IN (7, 9)', 2, '8'],
    ['another leaf of an event', 'UPDATE leaves_by_event SET leaf = 3 WHERE leaf = 9', 1, '10'],
    ['leaves that are none', 'INSERT INTO leaves_by_event (event, leaf) VALUES (5, 77), (6, 78)', 2, '1'],
    ['more leaves than there are', 'UPDATE indexed SET leaves = 99999999', 99_999_959, '1'],
  ])('is found again by its events where their index tells of %s', async (_what, sql, leaves, position) => {
    const ring = new KeyRing([signingKey()]);
    const { log } = await open({ ring });
    await fill(events, 40);
    await log.covering('40', PATIENCE_MS);
    // The index is brought up to date by whoever opens the file.
    await log.close();
    const again = await open({ ring });
    await again.log.comparable('40', PATIENCE_MS);
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec(sql);
    db.close();
    const root = rootOf(await everything(events));
    expect(await again.log.compare(40, root, null)).toEqual({ kind: 'mended', leaves, position });
    expect(await again.log.compare(40, root, null)).toEqual({ kind: 'same' });
    for (let n = 0; n < 40; n++) expect((await again.log.proofOf(idOf(n)))!.leaf_index).toBe(n);
    await fill(events, 5, 40);
    expect((await again.log.proofOf(idOf(44)))!.leaf_index).toBe(44);
    await again.log.close();
    const last = await open({ ring });
    expect((await last.log.proofOf(idOf(44)))!.leaf_index).toBe(44);
  });

  it.each(['ab'.repeat(32), null])(
    'is left as it is, and signed no more until it is released, where the events give the root %s',
    async (other) => {
      const { log, store } = await open();
      await fill(events, 5);
      const { root } = await log.covering('5', PATIENCE_MS);
      expect(await log.compare(5, other, null)).toEqual({ kind: 'other' });
      expect(log.state()).toMatchObject({
        problem: expect.stringContaining('not those that were signed'),
        ready_for_bundles: false,
      });
      await fill(events, 3, 5);
      expect(await log.comparable('8', PATIENCE_MS)).toBeNull();
      await expect(log.covering('8', PATIENCE_MS)).rejects.toThrow('until an admin has the whole log verified');
      // That they are as they were again says nothing of what happened in between.
      expect(await log.compare(8, rootOf(await everything(events)), null)).toEqual({ kind: 'same' });
      expect([log.latest()!.size, store.reader.size()]).toEqual([5, 8]);
      expect(log.state()).toMatchObject({ ready_for_bundles: false });
      log.release();
      expect(await log.covering('8', PATIENCE_MS)).toMatchObject({ size: 8 });
      expect(await log.compare(5, root, null)).toEqual({ kind: 'same' });
      expect(log.state()).toMatchObject({ problem: null, ready_for_bundles: true });
    },
  );

  it('opened where it is on record that the events are other ones, signs nothing, not even at its end', async () => {
    await fill(events, 5);
    const { log, store } = await open({ isWithheld: true, everyMs: 1 });
    await log.comparable('5', PATIENCE_MS);
    expect(await log.compare(5, rootOf(await everything(events)), null)).toEqual({ kind: 'same' });
    expect(await log.compare(6, rootOf(await everything(events)), null)).toEqual({ kind: 'other' });
    expect([log.latest(), store.reader.latest()]).toEqual([null, null]);
    await log.close();
    const again = await open();
    expect(again.store.reader.latest()).toBeNull();
  });
});

describe('events that are other ones than were signed', () => {
  const places = async ({ log }: OpenLog): Promise<string[]> => {
    const found: string[] = [];
    for await (const others of log.others())
      found.push(...others.map(({ stream, revision, position }) => `${position}: ${stream} ${revision}`));
    return found;
  };

  /** As somebody leaves it who holds the file: other texts at some positions, none at others, and pages that are damaged. */
  function changed(other: readonly number[], gone: readonly number[], damaged: readonly number[]): MemoryEventStore {
    const readAll: MemoryEventStore['readAll'] = async (options) => {
      const page = await events.readAll(options);
      if (page.events.some(({ position }) => damaged.includes(Number(position))))
        throw new StoreUnavailableError('a page is damaged');
      const kept = page.events.filter(({ position }) => !gone.includes(Number(position)));
      const text = '{"data":{"n":"other"}}';
      return { ...page, events: kept.map((e) => (other.includes(Number(e.position)) ? { ...e, text } : e)) };
    };
    return new Proxy(events, {
      get: (target, name: keyof MemoryEventStore) => {
        const member = name === 'readAll' ? readAll : (target[name] as unknown);
        return typeof member === 'function' ? (member as (...p: unknown[]) => unknown).bind(target) : member;
      },
    });
  }

  /** The same log as a store gives it that leaves gaps between positions, and counts nothing. */
  function spaced(store: EventStore): EventStore {
    const there = (position: Position): Position => positionOf(3n * BigInt(position));
    const here = (position: Position): Position => positionOf(BigInt(position) / 3n);
    const shown = (page: Page): Page => ({
      ...page,
      events: page.events.map((event) => ({ ...event, position: there(event.position) })),
      scannedTo: there(page.scannedTo),
    });
    return {
      append: (...given) => store.append(...given),
      readStream: (...given) => store.readStream(...given),
      streamVersion: (stream) => store.streamVersion(stream),
      readAll: async (options) => shown(await store.readAll({ ...options, after: here(options.after) })),
      head: async () => there(await store.head()),
      async *subscribeAll(options) {
        for await (const item of store.subscribeAll({ ...options, after: here(options.after) })) {
          if (item.kind === 'page') yield { ...item, page: shown(item.page) };
          else yield { ...item, position: there(item.position) };
        }
      },
      close: () => store.close(),
    };
  }

  async function over(count: number, store: EventStore, as = (one: EventStore): EventStore => one): Promise<OpenLog> {
    const ring = new KeyRing([signingKey()]);
    await fill(events, count);
    const first = await open({ ring, events: as(events) });
    await first.log.covering(await as(events).head(), PATIENCE_MS);
    await first.log.close();
    return open({ ring, events: as(store) });
  }

  it('are each found where they stand by the leaves that are kept, though others are gone or cannot be read', async () => {
    const opened = await over(1100, changed([1, 9, 513, 1100], [7, 600], [511]));
    expect(await places(opened)).toEqual(['1: test-0 0', '9: test-2 2', '513: test-2 170', '1100: test-1 366']);
  });

  it('are found in the same way where positions do not follow one another', async () => {
    const opened = await over(1100, changed([1, 9, 513, 1100], [7, 600], [511]), spaced);
    expect(await places(opened)).toEqual(['3: test-0 0', '27: test-2 2', '1539: test-2 170', '3300: test-1 366']);
  });

  it('are found where nodes are damaged, and nothing is told where leaves are, nor of events as they were signed', async () => {
    const opened = await over(40, changed([9], [], []));
    const db = openDatabase(join(folder, 'proof.db'));
    db.exec('UPDATE leaves SET nodes = substr(nodes, 1, 32) WHERE leaf = 15');
    expect(await places(opened)).toEqual(['9: test-2 2']);
    db.exec('UPDATE leaves SET nodes = zeroblob(length(nodes)) WHERE leaf = 20');
    db.close();
    expect(await places(opened)).toEqual([]);
    const sound = await open({ events });
    await sound.log.covering('40', PATIENCE_MS);
    expect(await places(sound)).toEqual([]);
  });
});

describe('a Merkle log', () => {
  it('signs a checkpoint over what was appended, in the form of C2SP, and keeps it outside too', async () => {
    const { log, keys, anchored } = await open();
    expect(log.latest()).toBeNull();
    await fill(events, 5);
    const checkpoint = await log.covering(await events.head(), PATIENCE_MS);
    expect(checkpoint).toMatchObject({ origin: ORIGIN, size: 5, root: rootOf(await everything(events)) });
    const madeAt = checkpoint.made_at;
    expect(parseCheckpoint(parseNote(checkpoint.note).text)).toMatchObject({ origin: ORIGIN, size: 5, madeAt });
    expect(verifyNote(parseNote(checkpoint.note), keys.verifiers)).toHaveLength(1);
    expect(keys.published()[0]!.vkey).toMatch(/^mace\.local\/[0-9a-f]{16}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
    expect(log.latest()).toEqual(checkpoint);
    await log.close();
    expect(anchored.at(-1)).toBe(checkpoint.note);
  });

  it('makes a checkpoint of each batch, each consistent with the one before, and none while nothing happens', async () => {
    const { log, store } = await open({ everyMs: NEVER, batchEvents: 10 });
    for (const size of [10, 20, 30]) {
      await fill(events, 10, size - 10);
      await log.covering(await events.head(), PATIENCE_MS);
    }
    await log.covering(await events.head(), PATIENCE_MS);
    const made = store.reader.checkpoints(100).reverse();
    expect(made.map(({ number }) => number)).toEqual(made.map((_, i) => i + 1));
    expect(made.at(-1)!.size).toBe(30);
    let before = { size: 0, root: store.reader.root(0) };
    for (const { size, root, consistency } of made) {
      expect(size).toBeGreaterThan(before.size);
      const proof = consistency.map(bytes);
      expect(verifyConsistency(before.size, size, bytes(before.root), bytes(root), proof)).toBe(true);
      before = { size, root };
    }
  });

  it('makes a checkpoint when its time is up, though nobody asks', async () => {
    let cover = (): void => undefined;
    const covered = new Promise<void>((resolve) => (cover = resolve));
    const { log } = await open({ everyMs: 5, anchor: { write: async () => cover() } });
    await fill(events, 1);
    await covered;
    expect(log.latest()!.size).toBe(1);
  });

  it('proves each event of the log against the newest checkpoint, and against an older one that covers it', async () => {
    const { log } = await open();
    await fill(events, 12);
    const older = await log.covering(await events.head(), PATIENCE_MS);
    await fill(events, 9, 12);
    const newer = await log.covering(await events.head(), PATIENCE_MS);
    for (const checkpoint of [older, newer]) {
      for (let n = 0; n < 21; n++) {
        const proof = await log.proofOf(idOf(n), checkpoint);
        if (n >= checkpoint.size) {
          expect(proof).toBeNull();
          continue;
        }
        const { leaf_index, leaf_hash, inclusion, stream, revision } = proof!;
        expect({ stream, revision, leaf_index }).toEqual({
          stream: `test-${n % 3}`,
          revision: Math.floor(n / 3),
          leaf_index: n,
        });
        const path = inclusion.map(bytes);
        expect(verifyInclusion(n, checkpoint.size, bytes(leaf_hash), path, bytes(checkpoint.root))).toBe(true);
      }
    }
    const between = log.consistency(older.size, newer.size).map(bytes);
    expect(verifyConsistency(older.size, newer.size, bytes(older.root), bytes(newer.root), between)).toBe(true);
    expect(await log.proofOf(idOf(99))).toBeNull();
    expect(await log.proofOf('no id')).toBeNull();
  });

  it('proves and finds an event that was appended a moment ago', async () => {
    const { log } = await open({ everyMs: NEVER });
    for (let n = 0; n < 4; n++) {
      await fill(events, 1, n);
      expect(await log.find(idOf(n))).toMatchObject({ stream: `test-${n % 3}`, revision: Math.floor(n / 3) });
    }
    await fill(events, 1, 4);
    expect((await log.proofOf(idOf(4)))!.checkpoint.size).toBe(5);
    expect(await log.find(idOf(5))).toBeNull();
  });

  it('goes on where it was closed, with everything covered by then', async () => {
    const ring = new KeyRing([signingKey()]);
    const first = await open({ ring, everyMs: NEVER });
    await fill(events, 7);
    await first.log.close();
    const second = await open({ ring });
    expect(second.log.latest()).toMatchObject({ size: 7, root: rootOf(await everything(events)) });
    await fill(events, 3, 7);
    expect(await second.log.covering(await events.head(), PATIENCE_MS)).toMatchObject({ size: 10 });
  });

  it('is signed by both keys while one takes over from the other, and by the new one alone after that', () => {
    const old = signingKey('c1', { state: 'verify-only', notAfter: '2026-02-01T00:00:00.000Z' });
    const next = signingKey('c2', { notBefore: '2026-01-01T00:00:00.000Z' });
    const revoked = signingKey('c0', { state: 'revoked' });
    const signers = (at: string): readonly string[] => {
      const keys = new LogKeys(new KeyRing([old, next, revoked]), ORIGIN, () => Date.parse(at));
      const signed = verifyNote(parseNote(keys.sign(3, Buffer.alloc(32, 1))), keys.verifiers);
      const published = keys.published();
      return signed.map(({ key }) => published.find(({ vkey }) => vkey === key.vkey)!.kid);
    };
    expect(signers('2026-01-31T23:59:59.000Z')).toEqual(['c1', 'c2']);
    expect(signers('2026-02-01T00:00:00.000Z')).toEqual(['c2']);
  });

  it('says that a position was not covered in time, and what keeps it', async () => {
    const { log } = await open({
      anchor: { write: () => Promise.reject(new Error('the key folder cannot be written')) },
    });
    await fill(events, 1);
    await log.covering('1', PATIENCE_MS);
    expect(log.problem).toBe('the key folder cannot be written');
    await expect(log.covering('2', 1)).rejects.toMatchObject({
      code: 'WAIT_TIMEOUT',
      developerMessage: 'a checkpoint has not reached position 2 yet: the key folder cannot be written',
    });
  });

  it('stops where another process has taken it over, and says so', async () => {
    const first = await open();
    await fill(events, 3);
    await first.log.covering('3', PATIENCE_MS);
    const second = await open();
    await fill(events, 3, 3);
    await second.log.covering('6', PATIENCE_MS);
    await expect(first.log.covering('6', 1)).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });
    expect(second.store.reader.size()).toBe(6);
    expect(second.store.reader.root(6)).toBe(rootOf(await everything(events)));
  });

  it('has every event once though the store fails in between', async () => {
    let failures = 3;
    const flaky = new Proxy(events, {
      get: (target, name: keyof MemoryEventStore) => {
        if (name === 'subscribeAll' && failures-- > 0) throw new Error('out of reach');
        const member = target[name] as unknown;
        return typeof member === 'function' ? (member as (...p: unknown[]) => unknown).bind(target) : member;
      },
    });
    const { log, store } = await open({ events: flaky });
    await fill(events, 20);
    expect(await log.covering('20', PATIENCE_MS)).toMatchObject({ size: 20 });
    expect(store.reader.root(20)).toBe(rootOf(await everything(events)));
    expect(log.problem).toBeNull();
  });
});

describe('a verifier key', () => {
  it('as it is published verifies, and one of another origin is ignored', async () => {
    const { log, keys } = await open();
    await fill(events, 1);
    const note = parseNote((await log.covering('1', PATIENCE_MS)).note);
    const { vkey } = keys.published()[0]!;
    expect(verifyNote(note, [parseVkey(vkey)])).toHaveLength(1);
    const other = await openLog(join(folder, 'other.db'), events);
    opened.push(other);
    expect(verifyNote(note, other.keys.verifiers)).toEqual([]);
  });
});
