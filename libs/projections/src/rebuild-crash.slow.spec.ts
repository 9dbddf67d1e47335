import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStore, type EventToAppend, type NonEmpty, openSqliteEventStore } from '#lib/event-store';
import { DeterministicRng } from '#lib/kernel';
import { MemoryReadStore, type ReadStore, SqliteReadStore } from '#lib/read-store';
import { DataFolder } from '#lib/sqlite';
import { liveGeneration } from './ownership.js';
import { rerun } from './rerun.js';
import { append, notesProjection, nthNote, parse } from './testing/notes.js';
import { recordOver } from './testing/projection-house.js';

/** The built twin of src/testing/rebuilding-worker.ts; `npm test` builds first. */
const PROGRAM = join(process.cwd(), 'dist/libs/projections/src/testing/rebuilding-worker.js');
const EVENTS = 4000;

describe('a process that is killed in the middle of a rebuild or a swap', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-rebuild-'));
    await inFolder(async ({ events }) => {
      for (let i = 0; i < EVENTS; i += 200) {
        const some = Array.from({ length: 200 }, (_, j) => nthNote(i + j));
        await append(events, ...(some as unknown as NonEmpty<EventToAppend>));
      }
    });
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  it('has one live generation at every moment, and at the end the one that was rebuilt, with the documents of a fresh one', async () => {
    const rng = new DeterministicRng('killed-rebuilds');
    for (let kill = 0; kill < 5; kill++) {
      await run(4 + Math.floor(rng.next() * 40));
      await inFolder(async ({ documents }) => {
        const live = await liveGeneration(documents, notesProjection);
        const names = (await documents.generations('notes')).map(({ name }) => name);
        // Before the first batch of all there may be none yet.
        expect(names.length === 0 || names.includes(live.name)).toBe(true);
      });
    }
    await run();
    await inFolder(async ({ events, documents }) => {
      const { rebuilds, previous } = await recordOver(events).of('notes');
      expect(rebuilds).toEqual([expect.objectContaining({ state: 'swapped', position: expect.any(String) })]);
      expect(rebuilds[0]!.rebuilt_digest).toBe(rebuilds[0]!.live_digest);
      expect([(await liveGeneration(documents, notesProjection)).name, previous]).toEqual([
        rebuilds[0]!.generation,
        'v1',
      ]);
      const fresh = { events, documents, scratch: new MemoryReadStore(), decode: parse };
      expect(await rerun(notesProjection, fresh)).toMatchObject({ comparable: true, equal: true });
    });
  });

  /** Runs to the end, or until the kill after so many lines, wherever it is then. */
  async function run(lines = Infinity): Promise<void> {
    const started = spawn(process.execPath, [PROGRAM, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    let taken = 0;
    started.stdout.on('data', (chunk: Buffer) => {
      taken += chunk.toString().split('\n').length - 1;
      if (taken >= lines) started.kill('SIGKILL');
    });
    const [code] = (await once(started, 'exit')) as [number | null];
    // One that was nearly done may end before the kill.
    expect([0, null]).toContain(code);
    if (lines === Infinity) expect(code).toBe(0);
  }

  async function inFolder(
    look: (stores: { readonly events: EventStore; readonly documents: ReadStore }) => Promise<void>,
  ): Promise<void> {
    const held = DataFolder.take(folder);
    const events = await openSqliteEventStore({ folder: held });
    const documents = await SqliteReadStore.open({ folder });
    try {
      await look({ events, documents });
    } finally {
      await documents.close();
      await events.close();
      held.release();
    }
  }
});
