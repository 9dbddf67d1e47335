import { accessSync, chmodSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const GIB = 2 ** 30;
/** What the folders of two tests at a time take at most, and what their processes take beside them. */
const ROOM = { folders: 4 * GIB, processes: 6 * GIB };

/**
 * A new folder for what the tests of one run keep: in memory where the machine has room. On a disk a run waits for
 * thousands of syncs, each of which would only matter to a machine that loses its power. What is tested by killing a
 * process is the same in memory, since the kernel goes on; test/crash stays on the disk all the same
 * (MACE_TEST_DISK names the folder there).
 */
export function newTestFolder() {
  const folder = mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), 'mace-test-'));
  // As open as the system's own folder for what is temporary: tests act as other users in it.
  chmodSync(folder, 0o1777);
  return folder;
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
