import type { Share } from './bytes-in-hand.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/** What callers may take of the process, together and each (docs/negotiation-room.md, "Limits"). */
export interface GrpcLimits {
  /** Connections at once. Where there are as many, the oldest that has shown no good token makes room. */
  readonly connections: number;
  /** Connections of one address, or of one IPv6 /64. */
  readonly connectionsOfAddress: number;
  /** Connections on which one principal was the first to show a good token. */
  readonly connectionsOfPrincipal: number;
  /** From the connection to its first call, ms. */
  readonly firstCallMs: number;
  /** How long a connection may lie without a call, ms. */
  readonly idleMs: number;
  /** From the beginning of a call to the end of its message, ms. */
  readonly messageMs: number;
  /** Calls at once on one connection. */
  readonly streams: number;
  /** Of a message, bytes. */
  readonly messageBytes: number;
  /** Of all messages of a call that needs no token, bytes. */
  readonly openMessageBytes: number;
  /** What a call holds beside its message, bytes: so that what bounds bytes bounds calls too. */
  readonly callBytes: number;
  /** What HTTP/2 takes of a message that nobody reads yet, bytes. */
  readonly windowBytes: number;
  /** Calls of principals, with their messages. */
  readonly known: Share;
  /** Calls whose token is being looked at, by address or IPv6 /64. */
  readonly unverified: Share;
  /** Calls that need no token, by address or IPv6 /64. */
  readonly open: Share;
  /** Health checks, by address or IPv6 /64; watches are among `open`. */
  readonly checks: Share;
}

export const GRPC_LIMITS: GrpcLimits = {
  connections: 1_024,
  connectionsOfAddress: 256,
  connectionsOfPrincipal: 256,
  firstCallMs: 10_000,
  idleMs: 300_000,
  messageMs: 60_000,
  streams: 1_024,
  // An artifact over 4 MiB is to be refused by the service itself, so more than that is received.
  messageBytes: 16 * MIB,
  openMessageBytes: 64 * KIB,
  callBytes: 16 * KIB,
  windowBytes: 64 * KIB,
  known: { inAll: 128 * MIB, each: 32 * MIB },
  unverified: { inAll: 128 * MIB, each: 80 * MIB },
  open: { inAll: 16 * MIB, each: MIB },
  checks: { inAll: 4 * MIB, each: MIB },
};
