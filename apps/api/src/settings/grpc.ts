import { ConfigError, type Environment, given } from '../platform.environment.js';
import { wholeNumber } from './values.js';

export interface GrpcSettings {
  /** 0 lets the system choose. */
  readonly port: number;
  /** False where nobody named the port: then a start goes on where another process has it. */
  readonly isGiven: boolean;
  /** Paths of PEM files; undefined where calls are taken without TLS. */
  readonly tls: { readonly cert: string; readonly key: string; readonly clientCa: string | undefined } | undefined;
}

const GRPC_PORT = 3001;

/** Where the Negotiation Room takes calls, and by which certificate. @throws ConfigError */
export function grpc(env: Environment): GrpcSettings {
  const port = wholeNumber(env, 'MACE_GRPC_PORT', { from: 0, to: 65535 });
  // Who lets the system choose the one port has no wish for the other.
  const unsaid = given(env, 'MACE_PORT') === '0' ? 0 : GRPC_PORT;
  return { port: port ?? unsaid, isGiven: port !== undefined, tls: grpcTls(env) };
}

function grpcTls(env: Environment): GrpcSettings['tls'] {
  const [cert, key] = [given(env, 'MACE_GRPC_TLS_CERT'), given(env, 'MACE_GRPC_TLS_KEY')];
  const clientCa = given(env, 'MACE_GRPC_TLS_CLIENT_CA');
  if (cert === undefined && key === undefined && clientCa === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    const missing = cert === undefined ? 'MACE_GRPC_TLS_CERT' : 'MACE_GRPC_TLS_KEY';
    throw new ConfigError(missing, 'the path of a PEM file; the certificate and its key are given together');
  }
  return { cert, key, clientCa };
}
