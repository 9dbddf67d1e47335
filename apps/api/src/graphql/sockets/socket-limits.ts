/** What one socket, and one principal, may take (docs/graphql.md, "Following"). */
export interface SocketLimits {
  /** Of a message, in bytes: a document with its variables. */
  readonly messageBytes: number;
  /** From the upgrade to connection_init, ms. */
  readonly initMs: number;
  readonly subscriptions: number;
  /** Sockets of one principal in this process. */
  readonly ofPrincipal: number;
  /** Sockets in this process, those that said nothing yet included. */
  readonly inAll: number;
  /** Bytes that may wait to be sent before what comes next waits for them. */
  readonly waitingBytes: number;
  /** Between two signs of life, ms; who answers none of two in a row is gone. */
  readonly beatMs: number;
  /** How long a reader may take nothing, ms. */
  readonly stallMs: number;
  /** Between two looks at a reader who takes nothing, ms. */
  readonly lookMs: number;
  /** How long a reader has to take the last messages, ms. */
  readonly farewellMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  messageBytes: 64 * 1024,
  initMs: 5_000,
  subscriptions: 16,
  ofPrincipal: 16,
  inAll: 1_000,
  waitingBytes: 256 * 1024,
  beatMs: 15_000,
  stallMs: 30_000,
  lookMs: 500,
  farewellMs: 5_000,
};
