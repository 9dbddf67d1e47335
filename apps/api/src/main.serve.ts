import type { AddressInfo } from 'node:net';

import { addressOf, refuseTakenPorts } from './listening.js';
import type { OpenApp } from './main.open.js';
import { Beside, runUntilTold, type Running } from './main.running.js';
import { readConfig, type Config } from './platform.config.js';

/** `mace serve`: runs until SIGTERM or SIGINT, and answers the exit code. */
export function serve(env: NodeJS.ProcessEnv): Promise<number> {
  return runUntilTold(env, { configOf: readConfig, refuseTakenPorts, begin: listen });
}

/** @throws what listening throws, with everything closed again */
async function listen(opened: OpenApp): Promise<Running> {
  const { fastify } = opened.app;
  const { config } = opened.platform;
  const beside = new Beside(opened);
  try {
    await beside.serveMetrics();
    await fastify.listen({ host: addressOf(config.host), port: config.port });
    await beside.serveGrpc();
    await beside.serveLocally();
  } catch (error) {
    await beside.stop();
    throw error;
  }
  return { greeting: greeting(fastify.server.address() as AddressInfo, config), stop: () => beside.stop() };
}

/** The one line that says where requests are taken. */
function greeting({ address, port }: AddressInfo, { dataDir, eventStore }: Config): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `MACE is listening on http://${host}:${port} (event store: ${eventStore}, data: ${dataDir})`;
}
