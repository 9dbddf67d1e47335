import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { resolve } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { passOverExpectations } from './connections.js';
import { LIMITS } from './http-options.js';
import { placeForSocket } from './local-address.js';
import { markLocal } from './local-requests.js';

/** The same routes for whoever holds the data folder, on a socket in it; not part of any network. */

/**
 * Call it only with the data folder's lock, so that a socket that is there already is a dead process's. Between bind and
 * chmod the process's file mask keeps others out (openPlatform).
 */
export async function listenLocally(fastify: FastifyInstance, dataFolder: string): Promise<LocalSocket> {
  const path = placeForSocket(resolve(dataFolder));
  rmSync(path, { force: true });
  const server = createServer(
    {
      requestTimeout: LIMITS.requestMs,
      headersTimeout: LIMITS.headersMs,
      maxHeaderSize: LIMITS.headerBytes,
      requireHostHeader: false,
    },
    (request, response) => {
      markLocal(request);
      fastify.routing(request, response);
    },
  );
  passOverExpectations(server);
  for (const event of ['clientError', 'connect'] as const)
    for (const answer of fastify.server.listeners(event)) server.on(event, answer as () => void);
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(path, () => done());
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
    const sweep = sweepIdle(this.server);
    return new Promise((done) => {
      this.server.close(() => {
        clearInterval(sweep);
        done();
      });
    });
  }

  closeAll(): void {
    this.server.closeAllConnections();
  }
}

/** Closes connections of a closing server as they become idle, until the timer is cleared. */
export function sweepIdle(server: Server): NodeJS.Timeout {
  server.closeIdleConnections();
  return setInterval(() => server.closeIdleConnections(), 25);
}
