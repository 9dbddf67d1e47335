import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import fc from 'fast-check';

import { MemoryEventStore, type RecordedEvent } from '#lib/event-store';
import { verifyConsistency, verifyInclusion } from '#lib/verifier';

import { everything, fill, idOf, rootOf } from '../testing/proof-support.js';
import { addedEvent } from './testing/adding.js';
import { ProofLogFencedError, ProofStore } from './proof-store.js';

const ADDING = fileURLToPath(new URL('./testing/adding.worker.js', import.meta.url));
const EVENTS = 300;

let folder: string;
let events: readonly RecordedEvent[];
const open: ProofStore[] = [];
beforeAll(async () => {
  const store = new MemoryEventStore();
  await fill(store, EVENTS);
  events = await everything(store);
});
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-proof-'))));
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

async function opened(name = 'proof.db'): Promise<ProofStore> {
  const store = await ProofStore.open(join(folder, name));
  open.push(store);
  return store;
}

describe('the store of a Merkle log', () => {
  it('holds one tree however the events are cut into batches, and whenever it was closed in between', async () => {
    let name = 0;
    const cuts = fc.array(fc.record({ count: fc.integer({ min: 1, max: 90 }), closes: fc.boolean() }), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(cuts, async (batches) => {
        const path = `cut-${name++}.db`;
        let store = await opened(path);
        let at = 0;
        for (const { count, closes } of [...batches, { count: EVENTS, closes: false }]) {
          const batch = events.slice(at, at + count);
          if (batch.length === 0) continue;
          const { size, root } = await store.append(at, batch);
          at += batch.length;
          expect({ size, root }).toEqual({ size: at, root: rootOf(events.slice(0, at)) });
          if (!closes) continue;
          await store.close();
          store = await opened(path);
        }
        expect(store.reader.root(EVENTS)).toBe(rootOf(events));
        expect(store.reader.root(at - 1)).toBe(rootOf(events.slice(0, at - 1)));
      }),
      { numRuns: 6 },
    );
  });

  it('gives proofs that verify', async () => {
    const { reader, ...store } = await filled();
    void store;
    const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
    fc.assert(
      fc.property(fc.nat(EVENTS), fc.nat(EVENTS), fc.nat(EVENTS), (a, b, c) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const path = reader.consistency(from, to).map(bytes);
        expect(verifyConsistency(from, to, bytes(reader.root(from)), bytes(reader.root(to)), path)).toBe(true);
        if (c >= to) return;
        const inclusion = reader.inclusion(c, to).map(bytes);
        expect(verifyInclusion(c, to, bytes(reader.leafHash(c)), inclusion, bytes(reader.root(to)))).toBe(true);
      }),
    );
    expect(() => reader.root(EVENTS + 1)).toThrow(`the log has ${EVENTS} leaves, not ${EVENTS + 1}`);
    expect(() => reader.inclusion(0, EVENTS + 1)).toThrow(RangeError);
    expect(() => reader.consistency(1, EVENTS + 1)).toThrow(RangeError);
  });

  it('finds a leaf by its event, and says what stands before it', async () => {
    const { reader } = await filled();
    expect(reader.candidates(idOf(7))).toMatchObject([{ leaf: 7, position: '8', after: '7' }]);
    expect(reader.candidates(idOf(0))).toMatchObject([{ leaf: 0, position: '1', after: '0' }]);
    expect(reader.candidates(idOf(EVENTS))).toEqual([]);
    expect(reader.position()).toBe(String(EVENTS));
  });

  it('finds leaves by their events whether they were added a moment or thousands of leaves ago', async () => {
    const count = 16_400;
    const many = Array.from({ length: count }, (_, leaf) => addedEvent(leaf));
    const sought = [0, 1, 16_382, 16_383, 16_384, 16_385, count - 1];
    let store = await opened();
    const found = () => sought.map((leaf) => store.reader.candidates(many[leaf]!.id).map((one) => one.leaf));
    await store.append(0, many.slice(0, 16_384));
    await store.append(16_384, many.slice(16_384));
    expect(found()).toEqual(sought.map((leaf) => [leaf]));
    await store.close();
    store = await opened();
    expect(found()).toEqual(sought.map((leaf) => [leaf]));
  });

  it('takes leaves only behind those it has', async () => {
    const store = await filled();
    for (const from of [0, EVENTS - 1, EVENTS + 1]) {
      await expect(store.append(from, events.slice(0, 1))).rejects.toThrow(ProofLogFencedError);
    }
    expect(store.reader.size()).toBe(EVENTS);
  });

  it('lets whoever opened it first write nothing once another has', async () => {
    const first = await opened();
    await first.append(0, events.slice(0, 10));
    const second = await opened();
    await expect(first.append(10, events.slice(10, 20))).rejects.toThrow('another process has taken the log over');
    await second.append(10, events.slice(10, 20));
    await expect(first.append(20, events.slice(20, 30))).rejects.toThrow(ProofLogFencedError);
    expect(second.reader.root(20)).toBe(rootOf(events.slice(0, 20)));
  });

  it('whose process is killed has a tree of some size, whole, and goes on', async () => {
    let size = 0;
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [ADDING, join(folder, 'proof.db')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await added(child, 3 + round);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const store = await opened();
      expect(store.reader.size()).toBeGreaterThan(size);
      size = store.reader.size();
      expect(store.reader.root(size)).toBe(rootOfAdded(size));
      await store.close();
    }
  });

  async function filled(): Promise<ProofStore> {
    const store = await opened();
    await store.append(0, events);
    return store;
  }
});

/** Settles once the process has said so many times that it added leaves. */
async function added(child: ChildProcess, times: number): Promise<void> {
  let said = 0;
  for await (const chunk of child.stdout!) {
    said += String(chunk).split('\n').length - 1;
    if (said >= times) return;
  }
  throw new Error('the process that adds leaves ended by itself');
}

/** The process adds the same events again and again, at growing revisions. */
function rootOfAdded(size: number): string {
  return rootOf(Array.from({ length: size }, (_, leaf) => addedEvent(leaf)));
}
