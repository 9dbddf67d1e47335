import { createServer } from 'node:net';

import { MetricsPortError } from './metrics/metrics-server.js';
import { GrpcPortError } from './negotiation/serve-negotiation.js';
import type { Config } from './platform.config.js';

/** Ports are looked at before a start makes or opens its data folder: one that is refused leaves nothing behind. */

/** For `localhost` Fastify would make a second server, for IPv6, that has none of our limits and answers. */
export function addressOf(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Why nobody can listen there now; null where one can. */
export function listeningFault(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', done);
    server.listen({ host: addressOf(host), port, exclusive: true }, () => server.close(() => done(null)));
  });
}

/** Those of `mace serve`. @throws what listening would throw */
export async function refuseTakenPorts(config: Pick<Config, 'host' | 'port' | 'metricsPort' | 'grpc'>): Promise<void> {
  const { host, port, grpc } = config;
  const fault = await listeningFault(host, port);
  if (fault) throw fault;
  await refuseTakenMetricsPort(config);
  const grpcFault = grpc.isGiven ? await listeningFault(host, grpc.port) : null;
  if (grpcFault) throw new GrpcPortError(grpc.port, grpcFault.message);
}

/** That of a worker. @throws MetricsPortError */
export async function refuseTakenMetricsPort({
  host,
  metricsPort,
}: Pick<Config, 'host' | 'metricsPort'>): Promise<void> {
  if (metricsPort === undefined) return;
  const fault = await listeningFault(host, metricsPort);
  if (fault) throw new MetricsPortError({ host: addressOf(host), port: metricsPort }, fault);
}
