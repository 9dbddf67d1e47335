import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

import { sha256Hex } from '#lib/kernel';

/** Where the socket of a data folder is: in it, or, where its path is too long for a socket, at an address kept in it. */

const NAME = 'mace.sock';
const ADDRESS_FILE = 'mace.sock.address';
/** Bytes of a socket's path that every system takes. */
const MAX_PATH_BYTES = 100;

/** Where a server on this folder listens; null where none has left an address. */
export function localSocketOf(dataFolder: string): string | null {
  const inFolder = join(resolve(dataFolder), NAME);
  if (fits(inFolder)) return existsSync(inFolder) ? inFolder : null;
  try {
    const address = readFileSync(join(dataFolder, ADDRESS_FILE), 'utf8').trim();
    return existsSync(address) ? address : null;
  } catch {
    // No server has run on this folder, or it has cleared up behind itself.
    return null;
  }
}

/** Makes the place where a server on this folder is to listen. */
export function placeForSocket(folder: string): string {
  const inFolder = join(folder, NAME);
  const address = join(folder, ADDRESS_FILE);
  if (fits(inFolder)) {
    rmSync(address, { force: true });
    return inFolder;
  }
  const room = join(tmpdir(), `mace-${userInfo().uid}`);
  mkdirSync(room, { recursive: true, mode: 0o700 });
  refuseForeign(room);
  const path = join(room, `${sha256Hex(folder).slice(0, 16)}.sock`);
  writeFileSync(address, `${path}\n`, { mode: 0o600 });
  return path;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES;
}

/** Others may write in the temporary folder too: a room that is not ours alone is not used. */
function refuseForeign(room: string): void {
  const stat = lstatSync(room);
  if (stat.isDirectory() && stat.uid === userInfo().uid && (stat.mode & 0o077) === 0) return;
  throw new Error(`${room} must be a folder of this user alone (mode 700); remove it`);
}
