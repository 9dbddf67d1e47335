import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

import type { Critics, Negotiations } from '#lib/negotiation';

import type { CallParts } from './calls.js';
import { HealthService } from './health-service.js';
import { bounded, loadDefinitions } from './proto/definitions.js';
import { registryService } from './registry-service.js';
import { roomService } from './room-service.js';

export interface GrpcParts extends CallParts {
  readonly negotiations: Negotiations;
  readonly critics: Critics;
  /** Whether calls can be served as they should be; never rejects. */
  readonly isReady: () => Promise<boolean>;
}

/** Where gRPC is served. */
export interface GrpcPlace {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** PEM texts; undefined where calls are taken without TLS. */
  readonly tls: TlsFiles | undefined;
}

export interface TlsFiles {
  readonly certificate: Buffer;
  readonly key: Buffer;
  /** Who signs the certificates of callers; then nobody is let in without one. */
  readonly clientAuthority: Buffer | undefined;
}

export interface GrpcServer {
  readonly port: number;
  /** Takes no more calls, and lets those in hand finish for so long, ms. Again is the same closing. */
  close(graceMs: number): Promise<void>;
}

/** An artifact over 4 MiB is to be refused by the service itself, so more than that is received. */
const MAX_RECEIVED_BYTES = 16 * 1024 * 1024;
/** Whoever does not answer a ping in time has gone without a word, and keeps no place: some waits have no end of their own. */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 60_000, 'grpc.keepalive_timeout_ms': 20_000 };

/** Serves the Negotiation Room, its registry, reflection and health. @throws Error where the port cannot be had */
export async function serveGrpc(parts: GrpcParts, place: GrpcPlace): Promise<GrpcServer> {
  const server = new Server({ 'grpc.max_receive_message_length': MAX_RECEIVED_BYTES, ...KEEPALIVE });
  const definitions = loadDefinitions();
  server.addService(bounded(definitions.room), roomService(parts, parts.negotiations));
  server.addService(bounded(definitions.registry), registryService(parts, parts.critics));
  new ReflectionService(definitions.all).addToServer(server);
  const health = new HealthService(servicesOf(definitions.all), parts.isReady);
  health.addTo(server);
  const port = await bind(server, place);
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    health.end();
    await shutDown(server, graceMs);
  };
  return { port, close: (graceMs) => (closing ??= close(graceMs)) };
}

function servicesOf(all: object): readonly string[] {
  return Object.keys(all).filter((name) => name.endsWith('Service'));
}

function bind(server: Server, { host, port, tls }: GrpcPlace): Promise<number> {
  const credentials = tls
    ? ServerCredentials.createSsl(
        tls.clientAuthority ?? null,
        [{ cert_chain: tls.certificate, private_key: tls.key }],
        tls.clientAuthority !== undefined,
      )
    : ServerCredentials.createInsecure();
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
}

function shutDown(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(deadline);
      resolve();
    });
  });
}
