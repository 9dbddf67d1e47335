import { Verifications } from '#lib/integrity';
import { beginTracing, type Tracing, tracingProblem } from '#lib/tracing';

import { systemVersion } from './configuration-files.js';
import { listenLocally, type LocalSocket } from './edge/local-socket.js';
import { createLogger, faultShape } from './edge/log.js';
import { addressOf } from './listening.js';
import { openApp, type OpenApp } from './main.open.js';
import { refusalOf } from './main.refusal.js';
import { type MetricsServer, type MorePages, serveMetrics } from './metrics/metrics-server.js';
import { Metrics } from './metrics/metrics.js';
import { serveNegotiation } from './negotiation/serve-negotiation.js';
import { ConfigError, type Config } from './platform.config.js';

/** A process at its work. */
export interface Running {
  /** The one line that says so. */
  readonly greeting: string;
  /** Finishes what is in hand, then closes everything. Again is the same closing. */
  stop(): Promise<void>;
}

/** How long requests in hand may take after the order to stop; what is left of 10 s is for the stores. */
const GRACE_MS = 8_000;
/** How long spans that were not sent yet may take then. */
const SENDING_MS = 1_500;

/** How long all of that may take; what waits for a store that is away would take minutes. */
const STOP_MS = 9_500;

/** What kind of process it is. */
export interface Program {
  /** @throws ConfigError */
  configOf(env: NodeJS.ProcessEnv): Config;
  /** Before anything is opened. @throws what listening would throw */
  refuseTakenPorts(config: Config): Promise<void>;
  /** @throws what listening throws, with everything closed again */
  begin(opened: OpenApp): Promise<Running>;
}

/** Runs until SIGTERM or SIGINT, and answers the exit code. */
export async function runUntilTold(env: NodeJS.ProcessEnv, program: Program): Promise<number> {
  let opened: OpenApp;
  let running: Running;
  let tracing: Tracing;
  let config: Config;
  try {
    config = program.configOf(env);
    tracing = await exportSpans(env, config);
    await program.refuseTakenPorts(config);
    opened = await openApp(config);
    markRunning(opened);
    running = await program.begin(opened);
  } catch (error) {
    const { message, exitCode } = refusalOf(error);
    process.stderr.write(`mace: ${message}\n`);
    return exitCode;
  }
  // Whoever reads the greeting may order the stop at once.
  const order = ordered(['SIGTERM', 'SIGINT']);
  process.stdout.write(`${running.greeting}\n`);
  await order;
  const late = setTimeout(() => leave(opened), STOP_MS);
  await running.stop();
  clearTimeout(late);
  // What a collector that does not answer would keep the process for.
  if (!(await tracing.end(SENDING_MS))) process.exit(0);
  return 0;
}

/** Nothing that was acknowledged is in hand: what is left is taken up by the next start, or by another process. */
function leave({ platform: { log, mark } }: OpenApp): void {
  log.warn({}, 'a store did not answer while MACE stopped: what waits for it is left');
  mark.clear();
  process.exit(0);
}

/** Without room for it a start goes on: a crash is not found then. */
function markRunning({ platform: { log, mark } }: OpenApp): void {
  try {
    mark.set();
  } catch (error) {
    log.warn(faultShape(error), 'that this process runs could not be kept: a crash of it will not be found');
  }
}

/** @throws ConfigError for a setting of OpenTelemetry's own that cannot be meant */
async function exportSpans(env: NodeJS.ProcessEnv, config: Config): Promise<Tracing> {
  const problem = tracingProblem(env);
  if (problem) throw new ConfigError(problem.name, problem.form);
  const log = createLogger(config);
  const onFault = (fault: unknown): void => {
    const { error, reason } = faultShape(fault);
    log.warn({ error, reason }, 'spans do not get to the collector and are dropped; this is said again in an hour');
  };
  return beginTracing(env, { version: systemVersion(), onFault });
}

/** What is listened on besides the port of all requests. */
export class Beside {
  private socket: LocalSocket | undefined;
  private metrics: MetricsServer | undefined;
  private grpc: Awaited<ReturnType<typeof serveNegotiation>>;
  private stopping: Promise<void> | undefined;

  constructor(private readonly opened: OpenApp) {}

  /** Metrics where they have a port of their own. @throws MetricsPortError */
  async serveMetrics(more?: MorePages): Promise<void> {
    const { app, platform } = this.opened;
    const { host, metricsPort } = platform.config;
    if (metricsPort === undefined) return;
    const place = { host: addressOf(host), port: metricsPort };
    this.metrics = await serveMetrics(app.nest.get(Metrics, { strict: false }), place, platform.log, more);
  }

  /** The Negotiation Room. @throws GrpcPortError, ConfigError */
  async serveGrpc(): Promise<void> {
    this.grpc = await serveNegotiation(this.opened, addressOf(this.opened.platform.config.host));
  }

  /** The command line's way in; and what was broken off is gone on with, since it is nobody's to remember. */
  async serveLocally(): Promise<void> {
    const { app, platform } = this.opened;
    this.socket = await listenLocally(app.fastify, platform.config.dataDir);
    void app.nest.get(Verifications, { strict: false }).goOn();
  }

  /** Finishes the requests in hand, within 8 s, then closes everything. Again is the same closing. */
  stop(): Promise<void> {
    return (this.stopping ??= this.shutDown());
  }

  private async shutDown(): Promise<void> {
    const { app, platform } = this.opened;
    const deadline = setTimeout(() => {
      app.fastify.server.closeAllConnections();
      this.socket?.closeAll();
    }, GRACE_MS);
    await Promise.all([app.nest.close(), this.socket?.close(), this.grpc?.close(GRACE_MS)]);
    clearTimeout(deadline);
    // The last, so that the end can be watched; before the stores that it looks at.
    await this.metrics?.close();
    await platform.close();
  }
}

/** Resolves at the first of these signals; a second one ends the process the usual way. */
function ordered(signals: readonly NodeJS.Signals[]): Promise<void> {
  return new Promise((done) => {
    for (const signal of signals) process.once(signal, () => done());
  });
}
