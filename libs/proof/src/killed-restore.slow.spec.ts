import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { openSqliteEventStore, START } from '#lib/event-store';
import { KeyRing } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { keyFileOf, openFolder } from './testing/open-folder.js';
import { EVENT_KEY, fill, signingKey } from './testing/proof-support.js';
import { restoreFolder } from './restore/restore-folder.js';
import { refuseUnfinished, RestoreUnfinishedError } from './restore/restore-plan.js';

const RESTORING = fileURLToPath(new URL('./testing/restoring.worker.js', import.meta.url));
const PATIENCE_MS = 60_000;
const [OLDER, NEWER] = [4, 8];

const keys = [signingKey(), EVENT_KEY];
const ring = new KeyRing(keys);
const stored = JSON.stringify(keys.map((key) => ({ ...key, secret: Buffer.from(key.secret).toString('hex') })));

let root: string;
/** A log, and a copy of it from before. */
let newer: string;
let older: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'mace-killed-restore-'));
  [newer, older] = [join(root, 'newer'), join(root, 'older')];
  await grown(0, OLDER);
  cpSync(newer, older, { recursive: true });
  await grown(OLDER, NEWER);
});
afterAll(() => rmSync(root, { recursive: true }));

async function grown(from: number, to: number): Promise<void> {
  const { events, log, close } = await openFolder(newer, ring);
  await fill(events, 1, from);
  await log.begin();
  await fill(events, to - from - 1, from + 1);
  await log.covering(await events.head(), PATIENCE_MS);
  await close();
}

/** Which log a start serves, by its number of events; null where it refuses, and says to give the restore again. */
async function served(folder: string): Promise<number | null> {
  try {
    refuseUnfinished(folder);
  } catch (error) {
    if (error instanceof RestoreUnfinishedError) return null;
    throw error;
  }
  const { events, close } = await openFolder(folder, ring);
  try {
    return await events.count!(START);
  } finally {
    await close();
  }
}

async function countIn(folder: string): Promise<number> {
  const held = DataFolder.take(folder);
  const events = await openSqliteEventStore({ folder: held });
  try {
    return await events.count!(START);
  } finally {
    await events.close();
    held.release();
  }
}

const originIn = (folder: string): string => readFileSync(join(folder, 'origin'), 'utf8').trim();

/** Killed before the n-th change of a name; null where there are not so many. */
async function killedAt(folder: string, n: number): Promise<NodeJS.Signals | null> {
  const parameters = [folder, older, keyFileOf(folder), stored, String(n)];
  const child = spawn(process.execPath, [RESTORING, ...parameters], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  expect([n, code === 0 || child.signalCode === 'SIGKILL']).toEqual([n, true]);
  return child.signalCode;
}

async function restoreAgain(folder: string): Promise<void> {
  const held = DataFolder.take(folder);
  try {
    await restoreFolder({ folder: held, from: older, ring, keyFile: keyFileOf(folder), now: Date.now });
  } finally {
    held.release();
  }
}

describe('a restore that is killed', () => {
  it('before any of its steps leaves the log of before, the restored one, or none until it is given again; and loses nothing', async () => {
    const found = new Set<number | null>();
    let steps = 0;
    for (; ; steps++) {
      const folder = join(root, `case-${steps}`);
      cpSync(newer, folder, { recursive: true });
      const signal = await killedAt(folder, steps + 1);
      if (signal === null) break;
      const left = await served(folder);
      found.add(left);
      if (left === NEWER) expect([steps, originIn(folder)]).toEqual([steps, originIn(newer)]);
      else expect([OLDER, null]).toContain(left);
      // As a command does that opens the folder's stores and looks at nothing: where the log was moved away it makes a file.
      if (left === null) await countIn(folder);
      await restoreAgain(folder);
      expect([steps, await served(folder), originIn(folder) === originIn(newer)]).toEqual([steps, OLDER, false]);
      const aside = readdirSync(folder).filter((name) => name.startsWith('replaced-'));
      expect([steps, aside]).toEqual([steps, [expect.any(String)]]);
      expect([steps, await countIn(join(folder, aside[0]!))]).toEqual([steps, NEWER]);
      rmSync(folder, { recursive: true });
    }
    expect(steps).toBeGreaterThan(15);
    expect(found).toEqual(new Set([NEWER, null, OLDER]));
  });
});
