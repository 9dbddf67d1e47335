import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { renameSync, rmSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inRoot, progress } from './root.mjs';

const LOCKS = inRoot('.cache', 'locks');

/**
 * Runs `work` while no other process holds the lock of that name.
 *
 * A lock is a directory with one file in it, whose name tells the owner. It comes into being by one rename, so it is
 * never there without its owner, and a rename onto a directory that is not empty fails. What a dead owner left is
 * removed by that owner's name, so two waiters can never remove each other's fresh lock.
 */
export async function withLock(name, work) {
  const lock = join(LOCKS, name);
  const owner = `${process.pid}-${startOf(process.pid)}`;
  mkdirSync(LOCKS, { recursive: true });
  await acquire(lock, owner);
  try {
    return await work();
  } finally {
    removeOwner(lock, owner);
  }
}

async function acquire(lock, owner) {
  const mine = mkdtempSync(`${lock}-`);
  writeFileSync(join(mine, owner), '');
  for (let tries = 0; !moved(mine, lock); tries++) {
    for (const holder of holdersOf(lock)) {
      if (!alive(holder)) removeOwner(lock, holder);
      else if (tries === 20)
        progress(`waiting for process ${holder.split('-')[0]} to finish; if it is not ours, delete ${lock}`);
    }
    await sleep(100);
  }
}

function moved(mine, lock) {
  try {
    renameSync(mine, lock);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return false;
    rmSync(mine, { recursive: true, force: true });
    throw error;
  }
}

function holdersOf(lock) {
  return ignoring(['ENOENT'], () => readdirSync(lock)) ?? [];
}

function removeOwner(lock, owner) {
  ignoring(['ENOENT'], () => unlinkSync(join(lock, owner)));
  ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(lock));
}

function alive(holder) {
  const [pid, start] = holder.split('-');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  return startOf(pid) === start;
}

/** When a process started, in ticks since boot, so that a reused pid is told apart; empty where /proc is missing. */
function startOf(pid) {
  const stat = ignoring(['ENOENT', 'ESRCH'], () => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function ignoring(codes, action) {
  try {
    return action();
  } catch (error) {
    if (!codes.includes(error.code)) throw error;
    return undefined;
  }
}
