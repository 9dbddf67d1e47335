import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryEventStore } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { type Contradiction, LogKeys, WitnessClient } from '#lib/proof';
import { parseNote, parseVkey, verifyNote } from '#lib/verifier';

import { fill, openLog, type OpenLog, ORIGIN, signingKey } from '../../../libs/proof/src/testing/proof-support.js';
import { until } from '../../../test/support/eventually.js';
import { type RunningWitness, startWitness } from './serve.js';

const PATIENCE_MS = 20_000;
const ring = new KeyRing([signingKey()]);
const keys = new LogKeys(ring, ORIGIN, Date.now);

let folder: string;
let witness: RunningWitness | undefined;
let events: MemoryEventStore;
let opened: OpenLog | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mace-cosign-'));
  events = new MemoryEventStore();
});
afterEach(async () => {
  await opened?.log.close();
  await witness?.stop();
  [opened, witness] = [undefined, undefined];
  rmSync(folder, { recursive: true });
});

async function start(port = 0, logs: readonly string[] = [keys.published()[0]!.vkey]): Promise<RunningWitness> {
  return (witness = await startWitness({ data: join(folder, 'witness'), host: '127.0.0.1', port, logs }));
}

/** A log with a client of the witness, and a way to wait for what the client says next. */
async function log(url: string, vkey: string, file = 'proof.db') {
  const heard: (string | null)[] = [];
  let wake = (): void => undefined;
  const client = new WitnessClient({
    url,
    key: parseVkey(vkey),
    log: keys,
    onFault: (fault) => void (heard.push(fault), wake()),
    timeoutMs: PATIENCE_MS,
    firstPauseMs: 5,
  });
  let cosigned = (): void => undefined;
  const cosigner = new Proxy(client, {
    get: (target, name) => {
      if (name !== 'offer') return (target[name as keyof WitnessClient] as (...p: unknown[]) => unknown).bind(target);
      return (...[checkpoint, tools]: Parameters<WitnessClient['offer']>) =>
        target.offer(checkpoint, { ...tools, keep: async (note) => (await tools.keep(note), cosigned()) });
    },
  });
  opened = await openLog(join(folder, file), events, { ring, cosigner });
  opened.log.start();
  return {
    client,
    merkle: opened.log,
    fault: () => new Promise<void>((resolve) => (heard.length > 0 ? resolve() : (wake = resolve))),
    heard,
    /** Settles once the newest checkpoint has that size and a cosignature. */
    async cosignedAt(size: number): Promise<void> {
      for (;;) {
        const next = new Promise<void>((resolve) => (cosigned = resolve));
        const { size: at, note } = opened!.log.latest() ?? { size: 0, note: '' };
        if (at === size && verifyNote(parseNote(note), [parseVkey(vkey)]).length > 0) return;
        await next;
      }
    },
  };
}

describe('a log with a witness', () => {
  it('has the list of erased data keys back of it, however long, also after it was started again', async () => {
    const { vkey, address } = await start();
    const url = `http://127.0.0.1:${address.port}`;
    const asks = (at = url): WitnessClient =>
      new WitnessClient({ url: at, key: parseVkey(vkey), log: keys, timeoutMs: PATIENCE_MS, firstPauseMs: 5 });
    expect(await asks().erasedMarks()).toEqual(new Set());
    const kids = Array.from({ length: 4000 }, (_, i) => `user_${i}.1.${i.toString(16).padStart(8, '0')}`);
    const erasedKeys = { all: () => kids };
    opened = await openLog(join(folder, 'proof.db'), events, { ring, cosigner: asks(), erasedKeys });
    opened.log.start();
    await fill(events, 1);
    await opened.log.covering('1', PATIENCE_MS);
    await until(async () => (await asks().erasedMarks()).size === kids.length);
    await witness!.stop();
    const again = await start();
    const marks = await asks(`http://127.0.0.1:${again.address.port}`).erasedMarks();
    expect(marks.size).toBe(kids.length);
    expect(kids.every((kid) => keys.isMarked(kid, marks))).toBe(true);
  });

  it('carries its cosignature, and says that it is ready for bundles', async () => {
    const { vkey, address } = await start();
    const { merkle, client, cosignedAt } = await log(`http://127.0.0.1:${address.port}`, vkey);
    expect(merkle.state()).toMatchObject({ ready_for_bundles: false, witness: { cosigned_size: null } });
    for (const size of [3, 6]) {
      await fill(events, 3, size - 3);
      await merkle.covering(String(size), PATIENCE_MS);
      await cosignedAt(size);
      const { note } = merkle.latest()!;
      expect(verifyNote(parseNote(note), [parseVkey(vkey), ...keys.verifiers])).toHaveLength(2);
    }
    expect(await client.lastNote()).toBe(merkle.latest()!.note);
    // The client learns of it a turn after the note is kept.
    await merkle.close();
    expect(merkle.state()).toMatchObject({ witness: { cosigned_size: 6, problem: null } });
  });

  it('goes on without it, says so, and is cosigned once it is back, at its newest size', async () => {
    const { vkey, address } = await start();
    await witness!.stop();
    witness = undefined;
    const { merkle, client, fault, cosignedAt, heard } = await log(`http://127.0.0.1:${address.port}`, vkey);
    await fill(events, 4);
    expect(await merkle.covering('4', PATIENCE_MS)).toMatchObject({ size: 4 });
    await fault();
    expect(heard[0]).toContain(`the witness http://127.0.0.1:${address.port} `);
    expect(merkle.state()).toMatchObject({ ready_for_bundles: false, witness: { problem: expect.any(String) } });
    expect(await client.lastNote()).toBeNull();
    await start(address.port);
    await cosignedAt(4);
    expect(verifyNote(parseNote(merkle.latest()!.note), [parseVkey(vkey)])).toHaveLength(1);
  });

  it('is cosigned only where the witness knows it, and the key is the one that was pinned', async () => {
    const { address } = await start();
    const strange = await startWitness({ data: join(folder, 'strange'), host: '127.0.0.1', port: 0, logs: [] });
    await strange.stop();
    const { merkle, fault, heard } = await log(`http://127.0.0.1:${address.port}`, strange.vkey);
    await fill(events, 1);
    await merkle.covering('1', PATIENCE_MS);
    await fault();
    expect(heard[0]).toContain('answers without a signature of');
    expect(verifyNote(parseNote(merkle.latest()!.note), [parseVkey(strange.vkey)])).toEqual([]);
  });

  it('that lost its last events is not cosigned, and says what the witness has seen', async () => {
    const { vkey, address } = await start();
    const url = `http://127.0.0.1:${address.port}`;
    const first = await log(url, vkey);
    await fill(events, 5);
    await first.merkle.covering('5', PATIENCE_MS);
    await first.cosignedAt(5);
    await first.merkle.close();
    events = new MemoryEventStore();
    await fill(events, 3);
    const second = await log(url, vkey, 'rolled-back.db');
    await second.merkle.covering('3', PATIENCE_MS);
    await second.fault();
    const { reason, size } = await new Promise<Contradiction>((resolve) => second.merkle.onContradiction(resolve));
    expect(reason).toMatch(/has another history of this log: its key has signed 5 events with the root [0-9a-f]{64}/);
    expect(size).toBe(5);
    expect(second.heard[0]).toContain('has cosigned 5 events, and this log has 3');
    expect(second.merkle.state().ready_for_bundles).toBe(false);
  });
});
