import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeterministicRng } from '#lib/kernel';
import { SqliteReadStore } from '#lib/read-store';

/** The built twin of src/testing/crashing-worker.ts; `npm test` builds first. */
const PROGRAM = join(process.cwd(), 'dist/libs/projections/src/testing/crashing-worker.js');
const EVENTS = 8000;
const LIVE = { projection: 'notes', name: 'v1' };

describe('a process with a projection that is killed at any moment', () => {
  let folder: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mace-crash-'));
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  it('has, once it was let finish, the documents of one that was never killed', async () => {
    const rng = new DeterministicRng('crash-between-batches');
    const places: string[] = [];
    for (let kill = 0; kill < 8; kill++) {
      await run(join(folder, 'killed'), 10 + Math.floor(rng.next() * 120));
      places.push(await position(join(folder, 'killed')));
    }
    await run(join(folder, 'killed'));
    await run(join(folder, 'whole'));
    expect(Number(places.at(-1))).toBeGreaterThan(0);
    expect(places).toEqual([...places].sort((a, b) => Number(a) - Number(b)));
    expect(await digest(join(folder, 'killed'))).toEqual(await digest(join(folder, 'whole')));
  });

  /** Runs to the end, or until the kill after so many batches, wherever it is then. */
  async function run(place: string, batches = Infinity): Promise<void> {
    const started = spawn(process.execPath, [PROGRAM, place, String(EVENTS)], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    let taken = 0;
    started.stdout.on('data', (chunk: Buffer) => {
      taken += chunk.toString().split('\n').length - 1;
      if (taken >= batches) started.kill('SIGKILL');
    });
    const [code] = (await once(started, 'exit')) as [number | null];
    expect(code).toBe(batches === Infinity ? 0 : null);
  }

  async function position(place: string): Promise<string> {
    const store = await SqliteReadStore.open({ folder: place });
    try {
      return (await store.checkpoint(LIVE))?.position ?? '0';
    } finally {
      await store.close();
    }
  }

  async function digest(place: string): Promise<unknown> {
    const store = await SqliteReadStore.open({ folder: place });
    try {
      return await store.digest(LIVE);
    } finally {
      await store.close();
    }
  }
});
