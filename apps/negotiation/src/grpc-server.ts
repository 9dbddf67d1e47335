import { Server, ServerCredentials, type ServerInterceptor } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

import type { Critics, Negotiations } from '#lib/negotiation';

import { Admission, type AdmissionParts } from './admission.js';
import type { CallParts } from './calls.js';
import { GrpcConnections } from './connections.js';
import { HealthService } from './health-service.js';
import { GRPC_LIMITS } from './limits.js';
import { bounded, loadDefinitions } from './proto/definitions.js';
import { registryService } from './registry-service.js';
import { roomService } from './room-service.js';

export interface GrpcParts extends Omit<CallParts, 'callerOf'>, AdmissionParts {
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

/** Whoever does not answer a ping in time has gone without a word, and keeps no place: some waits have no end of their own. */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 60_000, 'grpc.keepalive_timeout_ms': 20_000 };

/** Serves the Negotiation Room, its registry, reflection and health. @throws Error where the port cannot be had */
export async function serveGrpc(parts: GrpcParts, place: GrpcPlace, limits = GRPC_LIMITS): Promise<GrpcServer> {
  const interceptors: ServerInterceptor[] = [(method, call) => admission.interceptor(method, call)];
  const server = new Server({
    'grpc.max_receive_message_length': limits.messageBytes,
    'grpc.max_concurrent_streams': limits.streams,
    'grpc.max_connection_idle_ms': limits.idleMs,
    ...KEEPALIVE,
    interceptors,
  });
  const injector = server.createConnectionInjector(credentialsOf(place.tls));
  const connections = new GrpcConnections(limits, parts.proxies, (socket) => injector.injectConnection(socket));
  const admission = new Admission(parts, limits, connections);
  const definitions = loadDefinitions();
  const calls: CallParts = { ...parts, callerOf: (metadata) => admission.callerOf(metadata) };
  server.addService(bounded(definitions.room), roomService(calls, parts.negotiations));
  server.addService(bounded(definitions.registry), registryService(calls, parts.critics));
  new ReflectionService(definitions.all).addToServer(server);
  const health = new HealthService(servicesOf(definitions.all), parts.isReady);
  health.addTo(server);
  const port = await connections.listen(place.host, place.port);
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    health.end();
    connections.refuse();
    await shutDown(server, graceMs);
    connections.end();
  };
  return { port, close: (graceMs) => (closing ??= close(graceMs)) };
}

function servicesOf(all: object): readonly string[] {
  return Object.keys(all).filter((name) => name.endsWith('Service'));
}

function credentialsOf(tls: TlsFiles | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(
    tls.clientAuthority ?? null,
    [{ cert_chain: tls.certificate, private_key: tls.key }],
    tls.clientAuthority !== undefined,
  );
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
