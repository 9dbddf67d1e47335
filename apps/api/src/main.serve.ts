import type { AddressInfo } from 'node:net';

import { KeyFileError } from '#lib/access';
import { DataFileError, DataFolderInUseError } from '#lib/sqlite';

import { createApp, EVENT_DEFINITIONS } from './app.module.js';
import type { App } from './edge/app.js';
import { createLogger, faultShape } from './edge/log.js';
import { listenLocally, type LocalSocket } from './edge/local-socket.js';
import { ConfigError, readConfig, type Config } from './platform.config.js';
import { openPlatform, type Platform } from './platform.js';

/** A server that takes requests. */
export interface Running {
  readonly address: AddressInfo;
  /** Finishes the requests in hand, within 8 s, then closes everything. Again is the same closing. */
  stop(): Promise<void>;
}

/** A start that cannot be: what to tell, and the exit code (spec/api.md, "Command line"). */
export interface Refusal {
  readonly message: string;
  readonly exitCode: 1 | 64 | 69;
}

/** How long requests in hand may take after the order to stop; what is left of 10 s is for the stores. */
const GRACE_MS = 8_000;

/** `mace serve`: runs until SIGTERM or SIGINT, and answers the exit code. */
export async function serve(env: NodeJS.ProcessEnv): Promise<number> {
  let running: Running;
  let config: Config;
  try {
    config = readConfig(env);
    running = await start(config);
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    process.stderr.write(`mace: ${message}\n`);
    return exitCode;
  }
  process.stdout.write(`${greeting(running.address, config)}\n`);
  await ordered(['SIGTERM', 'SIGINT']);
  await running.stop();
  return 0;
}

/** Opens the data folder and listens on the port and on the folder's socket; all closed again where a part refuses. */
async function start(config: Config): Promise<Running> {
  const platform = await openPlatform(config, EVENT_DEFINITIONS, createLogger(config));
  let app: App;
  try {
    app = await createApp(platform);
  } catch (error) {
    await platform.close();
    throw error;
  }
  return listen(app, platform);
}

/** @throws what listening throws, with everything closed again */
async function listen(app: App, platform: Platform): Promise<Running> {
  const { host, port, dataDir } = platform.config;
  let socket: LocalSocket | undefined;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= shutDown(app, platform, socket));
  try {
    await app.fastify.listen({ host, port });
    socket = await listenLocally(app.fastify, dataDir);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address: app.fastify.server.address() as AddressInfo, stop };
}

/** The one line that says where requests are taken. */
function greeting({ address, port }: AddressInfo, { dataDir, eventStore }: Config): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return `MACE is listening on http://${host}:${port} (event store: ${eventStore}, data: ${dataDir})`;
}

async function shutDown(app: App, platform: Platform, socket: LocalSocket | undefined): Promise<void> {
  const deadline = setTimeout(() => {
    app.fastify.server.closeAllConnections();
    socket?.closeAll();
  }, GRACE_MS);
  await Promise.all([app.nest.close(), socket?.close()]);
  clearTimeout(deadline);
  await platform.close();
}

/** Resolves at the first of these signals; a second one ends the process the usual way. */
function ordered(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of signals) process.once(signal, () => done());
  });
}

/** One clear line for whoever started it; what nobody outside can cause keeps its stack for the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof ConfigError) return { message: error.message, exitCode: 64 };
  if (error instanceof DataFolderInUseError) return { message: error.message, exitCode: 69 };
  if (error instanceof KeyFileError || error instanceof DataFileError) return { message: error.message, exitCode: 1 };
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const place = `${address ?? ''}:${port ?? ''}`;
  if (code === 'EADDRINUSE')
    return { message: `${place} is in use; stop what listens there, or set MACE_PORT`, exitCode: 69 };
  if (code === 'EACCES' && port !== undefined)
    return { message: `${place} may not be listened on; set MACE_PORT`, exitCode: 69 };
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return { message: `MACE_HOST: this machine has no address ${address ?? ''}`, exitCode: 64 };
  const { error: kind, reason, stack } = faultShape(error);
  return { message: `could not start: ${kind}: ${reason}\n${stack ?? ''}`, exitCode: 1 };
}
