import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, progress } from './root.mjs';

const LOCKS = inRoot('.cache', 'locks');

/**
 * Runs `work` while no other process holds the lock of that name: a file with its owner's pid, which comes into being
 * whole, by a link. What a dead owner left is moved away first, so that only one waiter removes it.
 */
export async function withLock(name, work) {
  mkdirSync(LOCKS, { recursive: true });
  const lock = join(LOCKS, name);
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    for (let tries = 0; !succeeds('EEXIST', () => linkSync(mine, lock)); tries++) {
      const owner = ownerOf(lock);
      if (owner !== null && !isAlive(owner)) removeDead(lock, mine);
      else if (tries === 20) progress(`waiting for process ${owner} to finish; if it is not ours, delete ${lock}`);
      await sleep(100);
    }
    try {
      return await work();
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function removeDead(lock, mine) {
  const moved = `${mine}.dead`;
  if (!succeeds('ENOENT', () => renameSync(lock, moved))) return;
  // Another waiter may have been faster, and this is its lock.
  if (isAlive(ownerOf(moved))) succeeds('EEXIST', () => linkSync(moved, lock));
  rmSync(moved);
}

function ownerOf(lock) {
  let owner = null;
  succeeds('ENOENT', () => (owner = Number(readFileSync(lock, 'utf8'))));
  return owner;
}

function isAlive(pid) {
  // EPERM: it lives, and is somebody else's.
  return succeeds('ESRCH', () => succeeds('EPERM', () => process.kill(pid, 0)));
}

/** Whether an action did not fail with this code. */
function succeeds(code, action) {
  try {
    action();
    return true;
  } catch (error) {
    if (error.code === code) return false;
    throw error;
  }
}
