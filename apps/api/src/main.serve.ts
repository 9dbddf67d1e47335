import type { AddressInfo } from 'node:net';

import { Verifications } from '#lib/integrity';

import { listenLocally, type LocalSocket } from './edge/local-socket.js';
import { openApp, type OpenApp } from './main.open.js';
import { refusalOf } from './main.refusal.js';
import { type MetricsServer, serveMetrics } from './metrics/metrics-server.js';
import { Metrics } from './metrics/metrics.js';
import { readConfig, type Config } from './platform.config.js';

/** A server that takes requests. */
export interface Running {
  readonly address: AddressInfo;
  /** Finishes the requests in hand, within 8 s, then closes everything. Again is the same closing. */
  stop(): Promise<void>;
}

/** How long requests in hand may take after the order to stop; what is left of 10 s is for the stores. */
const GRACE_MS = 8_000;

/** `mace serve`: runs until SIGTERM or SIGINT, and answers the exit code. */
export async function serve(env: NodeJS.ProcessEnv): Promise<number> {
  let running: Running;
  let config: Config;
  try {
    config = readConfig(env);
    running = await listen(await openApp(config));
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    process.stderr.write(`mace: ${message}\n`);
    return exitCode;
  }
  // Whoever reads the greeting may order the stop at once.
  const order = ordered(['SIGTERM', 'SIGINT']);
  process.stdout.write(`${greeting(running.address, config)}\n`);
  await order;
  await running.stop();
  return 0;
}

/** What is listened on besides the port of all requests. */
interface Beside {
  socket?: LocalSocket;
  metrics?: MetricsServer;
}

/** @throws what listening throws, with everything closed again */
async function listen({ app, platform }: OpenApp): Promise<Running> {
  const { host, port, dataDir, metricsPort } = platform.config;
  const beside: Beside = {};
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= shutDown({ app, platform }, beside));
  try {
    if (metricsPort !== undefined) {
      const place = { host: addressOf(host), port: metricsPort };
      beside.metrics = await serveMetrics(app.nest.get(Metrics, { strict: false }), place, platform.log);
    }
    await app.fastify.listen({ host: addressOf(host), port });
    beside.socket = await listenLocally(app.fastify, dataDir);
  } catch (error) {
    await stop();
    throw error;
  }
  // What was broken off is nobody's to remember; it gives way to requests.
  void app.nest.get(Verifications, { strict: false }).goOn();
  return { address: app.fastify.server.address() as AddressInfo, stop };
}

/** For `localhost` Fastify would make a second server, for IPv6, that has none of our limits and answers. */
function addressOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** The one line that says where requests are taken. */
function greeting({ address, port }: AddressInfo, { dataDir, eventStore }: Config): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `MACE is listening on http://${host}:${port} (event store: ${eventStore}, data: ${dataDir})`;
}

async function shutDown({ app, platform }: OpenApp, { socket, metrics }: Beside): Promise<void> {
  const deadline = setTimeout(() => {
    app.fastify.server.closeAllConnections();
    socket?.closeAll();
  }, GRACE_MS);
  await Promise.all([app.nest.close(), socket?.close()]);
  clearTimeout(deadline);
  // The last, so that the end can be watched; before the stores that it looks at.
  await metrics?.close();
  await platform.close();
}

/** Resolves at the first of these signals; a second one ends the process the usual way. */
function ordered(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of signals) process.once(signal, () => done());
  });
}
