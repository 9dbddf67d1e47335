import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

import { KeyRing, type RingKey } from '#lib/kernel';
import { DataFolder } from '#lib/sqlite';

import { restoreFolder } from '../restore/restore-folder.js';

/**
 * A process, not a thread: restores a copy and is killed, as by a power cut, before the n-th change that it makes to the
 * names in a folder. Its end without one says that there were no more.
 */
const [folder, from, keyFile, keys, n] = process.argv.slice(2) as [string, string, string, string, string];

let left = Number(n);
function dyingAt<A extends unknown[], R>(change: (...parameters: A) => R): (...parameters: A) => R {
  return (...parameters) => {
    if (--left === 0) process.kill(process.pid, 'SIGKILL');
    return change(...parameters);
  };
}
fs.renameSync = dyingAt(fs.renameSync);
fs.rmSync = dyingAt(fs.rmSync);
fs.cpSync = dyingAt(fs.cpSync);
fs.promises.rename = dyingAt(fs.promises.rename);
syncBuiltinESMExports();

type StoredKey = Omit<RingKey, 'secret'> & { readonly secret: string };
const ring = new KeyRing(
  (JSON.parse(keys) as StoredKey[]).map((key) => ({ ...key, secret: Buffer.from(key.secret, 'hex') })),
);
const held = DataFolder.take(folder);
await restoreFolder({ folder: held, from, ring, keyFile, now: Date.now });
held.release();
