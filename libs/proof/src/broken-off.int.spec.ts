import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { KeyRing } from '#lib/kernel';
import { openDatabase } from '#lib/sqlite';
import { parseCheckpoint, parseNote, verifyConsistency } from '#lib/verifier';

import { AnchorFile } from './anchor-file.js';
import { keyFileOf, openFolder } from './testing/open-folder.js';
import { EVENT_KEY, everything, fill, rootOf, signingKey } from './testing/proof-support.js';

const DYING = fileURLToPath(new URL('./testing/dying.worker.js', import.meta.url));
const PATIENCE_MS = 60_000;
/** Steps of a checkpoint, in order; the process dies at each. */
const DEATHS = ['before keep', 'after keep', 'after write'] as const;

const key = signingKey();
const ring = new KeyRing([key, EVENT_KEY]);
const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'mace-broken-off-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Appends so many events in a process that dies there. */
async function die(place: string, from: number, count: number): Promise<void> {
  const parameters = [folder, Buffer.from(key.secret).toString('hex'), place, String(from), String(count)];
  const child = spawn(process.execPath, [DYING, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'close');
  expect([place, child.signalCode]).toEqual([place, 'SIGKILL']);
}

/** Opens the log as the next start does; what was signed of it before must be its beginning. */
async function startsOverAll(): Promise<void> {
  const { events, log, close } = await openFolder(folder, ring);
  try {
    await log.begin();
    const note = new AnchorFile(dirname(keyFileOf(folder)), log.origin).read()!;
    const before = parseCheckpoint(parseNote(note).text)!;
    const { size, root } = await log.covering(await events.head(), PATIENCE_MS);
    const all = await everything(events);
    expect({ size, root }).toEqual({ size: all.length, root: rootOf(all) });
    const proof = log.consistency(before.size, size).map(bytes);
    expect(verifyConsistency(before.size, size, before.root, bytes(root), proof)).toBe(true);
  } finally {
    await close();
  }
}

describe('a checkpoint that was broken off by a kill', () => {
  it.each(DEATHS.slice(0, 2))('%s of the first one of a log is made by the next start', async (place) => {
    await die(place, 0, 1);
    await startsOverAll();
  });

  it('at any step of a later one is made by the next start, over everything that was appended', async () => {
    await die('after write', 0, 1);
    for (const [i, place] of DEATHS.entries()) {
      await die(place, 1 + 20 * i, 20);
      if (i > 0) await startsOverAll();
    }
  });
});

/** A disk of its own that can be filled; only root may mount one, and not in every container. */
const system = (command: string, ...parameters: string[]): boolean =>
  spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
const tmpfs = (mountPoint: string): string[] => ['mount', '-t', 'tmpfs', '-o', 'size=3m', 'mace-test', mountPoint];
const mayMount = system('unshare', '--mount', ...tmpfs('/mnt'));

describe('a disk that is full under proof.db', () => {
  (mayMount ? it : it.skip)(
    `stops what is signed and nothing else, and says so; all is signed once there is room, also after a start${mayMount ? '' : ' [only where a test may mount]'}`,
    async () => {
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      const [mount, ...parameters] = tmpfs(disk);
      expect(system(mount!, ...parameters)).toBe(true);
      try {
        const ballast = join(disk, 'ballast');
        const opened = await openFolder(folder, ring, disk);
        await fill(opened.events, 1);
        await opened.log.begin();
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(ballast, Buffer.alloc((bavail - 4) * bsize));
        let taken = 1;
        for (; opened.log.problem === null; taken += 100) await fill(opened.events, 100, taken);
        expect(opened.log.problem).toMatch(/full/);
        expect(opened.log.state()).toMatchObject({ ready_for_bundles: false });
        expect(opened.log.latest()!.size).toBeLessThan(taken);
        rmSync(ballast);
        const head = await opened.events.head();
        const root = rootOf(await everything(opened.events));
        expect(await opened.log.covering(head, PATIENCE_MS)).toMatchObject({ size: Number(head), root });
        expect(opened.log.problem).toBeNull();

        const left = statfsSync(disk);
        writeFileSync(ballast, Buffer.alloc((left.bavail - 4) * left.bsize));
        for (let n = Number(head); opened.log.problem === null; n += 100) await fill(opened.events, 100, n);
        await opened.close();
        rmSync(ballast);
        const again = await openFolder(folder, ring, disk);
        const end = await again.events.head();
        const all = rootOf(await everything(again.events));
        expect(await again.log.covering(end, PATIENCE_MS)).toMatchObject({ size: Number(end), root: all });
        await again.close();
        const db = openDatabase(join(disk, 'proof.db'));
        expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
        db.close();
      } finally {
        system('umount', '--lazy', disk);
      }
    },
  );
});
