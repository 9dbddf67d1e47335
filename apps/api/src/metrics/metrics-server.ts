import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LIMITS } from '../edge/http-options.js';
import { faultShape, type Logger } from '../edge/log.js';
import type { Metrics } from './metrics.js';

export interface MetricsServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

export interface MetricsPlace {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

/** What is answered there besides metrics; null for what is not. */
export type MorePages = (
  path: string,
) => Promise<{ readonly status: number; readonly text: string; readonly contentType: string } | null>;

/** Metrics cannot be served where the configuration says. */
export class MetricsPortError extends Error {
  constructor({ host, port }: MetricsPlace, { code, message }: NodeJS.ErrnoException) {
    super(`MACE_METRICS_PORT: ${host}:${port} cannot be listened on (${code ?? message}); name a port that is free`);
    this.name = 'MetricsPortError';
  }
}

/** A scraper opens one connection, or a few. */
const MAX_CONNECTIONS = 16;

/**
 * Metrics on a port that nothing else is served on, so that a network can tell who may reach them.
 * @throws MetricsPortError
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'read'>,
  place: MetricsPlace,
  log: Logger,
  more: MorePages = () => Promise.resolve(null),
): Promise<MetricsServer> {
  const { requestMs: requestTimeout, headersMs: headersTimeout, headerBytes: maxHeaderSize } = LIMITS;
  const server = createServer({ requestTimeout, headersTimeout, maxHeaderSize }, answering(metrics, log, more));
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((done, failed) => {
    server.once('error', (error) => failed(new MetricsPortError(place, error)));
    server.listen(place.port, place.host, () => done());
  });
  const address = server.address() as AddressInfo;
  log.info({ host: address.address, port: address.port }, 'metrics are served on a port of their own');
  return {
    address,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answering(metrics: Pick<Metrics, 'read'>, log: Logger, more: MorePages): RequestListener {
  const page = async (path: string): ReturnType<MorePages> =>
    path === '/metrics' ? { status: 200, ...(await metrics.read()) } : more(path);
  return (request, response) => {
    request.resume();
    const say = (status: number, text: string, contentType = 'text/plain; charset=utf-8'): void =>
      void response
        .writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
        .end(request.method === 'HEAD' ? undefined : text);
    if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'only GET and HEAD\n');
    page(request.url?.split('?', 1)[0] ?? '').then(
      (found) => (found ? say(found.status, found.text, found.contentType) : say(404, 'only /metrics is here\n')),
      (fault: unknown) => {
        log.error(faultShape(fault), 'metrics could not be told');
        say(503, 'metrics could not be told\n');
      },
    );
  };
}
