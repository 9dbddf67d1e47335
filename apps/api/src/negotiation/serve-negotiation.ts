import { readFileSync } from 'node:fs';

import type { MaceError } from '#lib/kernel';
import { Critics, Negotiations, Waiters } from '#lib/negotiation';

// Types alone: the library is loaded where it is served.
import type { FinishedCall } from '../../../negotiation/src/refusals.js';
import type { GrpcServer, TlsFiles } from '../../../negotiation/src/grpc-server.js';
import { withoutPersonal } from '../edge/answer-failure.js';
import { failureOf } from '../edge/failure.js';
import { faultShape } from '../edge/log.js';
import { Readiness } from '../health/readiness.js';
import type { OpenApp } from '../main.open.js';
import { ConfigError } from '../platform.config.js';
import type { GrpcSettings } from '../settings/grpc.js';

/** The port is another process's, and it was asked for by name. */
export class GrpcPortError extends Error {
  constructor(port: number, reason: string) {
    super(`MACE_GRPC_PORT: ${port} cannot be listened on (${reason}); a free port, or 0 for any`);
    this.name = 'GrpcPortError';
  }
}

/**
 * Serves the Negotiation Room of an application; undefined where nobody named a port and the usual one is taken: then the
 * log says so.
 * @throws GrpcPortError; ConfigError for a TLS file that cannot be read
 */
export async function serveNegotiation({ app, platform }: OpenApp, host: string): Promise<GrpcServer | undefined> {
  const { config, log } = platform;
  const { port, isGiven, tls } = config.grpc;
  const files = tls && tlsFiles(tls);
  const readiness = app.nest.get(Readiness, { strict: false });
  const { serveGrpc } = await import('../../../negotiation/src/grpc-server.js');
  const parts = {
    negotiations: app.nest.get(Negotiations, { strict: false }),
    critics: app.nest.get(Critics, { strict: false }),
    isReady: async () => (await readiness.look()).failed.length === 0,
    authenticator: platform.authenticator,
    denials: platform.denials,
    refusals: platform.refusals,
    rateLimits: platform.rateLimits,
    proxies: config.trustProxy,
    isPersonal: platform.isPersonal,
    failureOf,
    wordsOf: ({ developerMessage }: MaceError) => withoutPersonal(developerMessage),
    onFault: (thrown: unknown, trace: string) => log.error({ ...faultShape(thrown), trace }, 'a gRPC call failed'),
    onCall: (call: FinishedCall) => platform.tallies.called(call),
  };
  try {
    const server = await serveGrpc(parts, { host, port, tls: files });
    log.info({ port: server.port, tls: files !== undefined }, 'the Negotiation Room takes gRPC calls');
    const waiters = app.nest.get(Waiters, { strict: false });
    const close = async (graceMs: number): Promise<void> => {
      // Who waits is told to come again; what writes is finished.
      waiters.end();
      await server.close(graceMs);
    };
    return { ...server, close };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    if (isGiven) throw new GrpcPortError(port, reason);
    log.warn({ port }, 'the port is taken: no Negotiation Room here; MACE_GRPC_PORT names another port for it');
    return undefined;
  }
}

function tlsFiles({ cert, key, clientCa }: NonNullable<GrpcSettings['tls']>): TlsFiles {
  return {
    certificate: pem('MACE_GRPC_TLS_CERT', cert),
    key: pem('MACE_GRPC_TLS_KEY', key),
    clientAuthority: clientCa === undefined ? undefined : pem('MACE_GRPC_TLS_CLIENT_CA', clientCa),
  };
}

function pem(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(name, `${path} cannot be read (${code ?? 'unknown fault'}); the path of a PEM file`);
  }
}
