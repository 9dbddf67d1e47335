import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { sha256Hex } from '#lib/kernel';

import { answerUnreadable, LIMITS } from './http-options.js';
import { markLocal } from './local-requests.js';

/** The same routes for whoever holds the data folder, on a socket in it; not part of any network. */

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

/** Call it only with the data folder's lock: a socket that is there already is then a dead process's. */
export async function listenLocally(fastify: FastifyInstance, dataFolder: string): Promise<LocalSocket> {
  const folder = resolve(dataFolder);
  const path = placeFor(folder);
  rmSync(path, { force: true });
  const server = createServer(
    { requestTimeout: LIMITS.requestMs, headersTimeout: LIMITS.headersMs, maxHeaderSize: LIMITS.headerBytes },
    (request, response) => {
      markLocal(request);
      fastify.routing(request, response);
    },
  );
  server.on('clientError', answerUnreadable);
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    // Between bind and chmod the folder's own mode or this mask keeps others out.
    const mask = process.umask(0o177);
    server.listen(path, () => done());
    process.umask(mask);
  });
  chmodSync(path, 0o600);
  return new LocalSocket(path, server);
}

export class LocalSocket {
  constructor(
    readonly path: string,
    private readonly server: Server,
  ) {}

  /** Takes no more connections and waits for those in hand. */
  close(): Promise<void> {
    return new Promise((done) => {
      this.server.close(() => done());
      this.server.closeIdleConnections();
    });
  }

  closeAll(): void {
    this.server.closeAllConnections();
  }
}

function placeFor(folder: string): string {
  const inFolder = join(folder, NAME);
  const address = join(folder, ADDRESS_FILE);
  if (fits(inFolder)) {
    rmSync(address, { force: true });
    return inFolder;
  }
  const room = join(tmpdir(), `mace-${userInfo().uid}`);
  mkdirSync(room, { recursive: true, mode: 0o700 });
  chmodSync(room, 0o700);
  const path = join(room, `${sha256Hex(folder).slice(0, 16)}.sock`);
  writeFileSync(address, `${path}\n`, { mode: 0o600 });
  return path;
}

function fits(path: string): boolean {
  return Buffer.byteLength(path) <= MAX_PATH_BYTES;
}
