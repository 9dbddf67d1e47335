import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeReady } from '../../scripts/lib/ready.mjs';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;
/** What the folders of the tests that run at a time take at most, and what their processes take beside them. */
const ROOM = { folders: 4 * GIB, processes: 6 * GIB };

/**
 * Before a run of Jest: builds, names the seed that everything is drawn from, and makes the folder in which the run keeps
 * its files. That lies in memory where the machine has room: on a disk a run waits for thousands of syncs, each of which
 * would only matter to a machine that loses its power. A process that is killed leaves the same in memory, since the kernel
 * goes on; test/crash stays on the disk all the same (MACE_TEST_DISK names the folder there).
 * Workers are started later and take the environment with them.
 */
export default async function begin() {
  await makeReady({ dev: true });
  process.env.MACE_TEST_SEED ??= '1';
  if (!/^\d{1,9}$/.test(process.env.MACE_TEST_SEED))
    throw new Error(`MACE_TEST_SEED: a whole number of at most nine digits, not ${process.env.MACE_TEST_SEED}`);
  process.env.MACE_TEST_DISK ??= tmpdir();
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'mace-test-'));
  // As open as the system's own folder for what is temporary: tests act as other users in it.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.env.MACE_TEST_SHARED = mkdtempSync(join(folder, 'shared-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

function hasRoomInMemory() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM.folders && freemem() >= ROOM.folders + ROOM.processes;
  } catch (error) {
    // Not every system has it, or lets everybody write there.
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EROFS'].includes(error.code)) return false;
    throw error;
  }
}
