import { createServer, type Server as NetServer, type Socket } from 'node:net';

import { ConnectionCounts, type TrustedProxies } from '#lib/access';
import { RateLimitedError } from '#lib/kernel';

import type { GrpcLimits } from './limits.js';

/** When a call that was refused for the principal's other connections may be tried again, ms. */
const RETRY_MS = 1_000;

interface Connection {
  readonly socket: Socket;
  /** Ends it where no call comes. */
  readonly silence: NodeJS.Timeout;
  /** Whose token, one that is taken, the first call with one showed. */
  principal: string | undefined;
}

/**
 * The connections of gRPC. The library bounds neither how many there are nor how long they may say nothing, so that
 * they are taken here and handed to it.
 */
export class GrpcConnections {
  /** By the caller's address and port; the oldest first. */
  private readonly open = new Map<string, Connection>();
  private readonly counts: ConnectionCounts;
  /** How many connections are a principal's. */
  private readonly held = new Map<string, number>();
  private readonly server: NetServer;

  constructor(
    private readonly limits: GrpcLimits,
    proxies: TrustedProxies,
    private readonly inject: (socket: Socket) => void,
  ) {
    this.counts = new ConnectionCounts(limits.connectionsOfAddress, proxies);
    this.server = createServer({ noDelay: true }, (socket) => this.take(socket));
  }

  /** @returns the port @throws Error where the port cannot be had */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port }, () => {
        this.server.removeListener('error', reject);
        // Where the process has no descriptor left, the next connection may find one.
        this.server.on('error', () => undefined);
        resolve((this.server.address() as { readonly port: number }).port);
      });
    });
  }

  /** A call has come on the connection of this peer, `address:port`. */
  called(peer: string): void {
    clearTimeout(this.open.get(peer)?.silence);
  }

  /**
   * A call on the connection of this peer has shown a token of this principal that is taken. The connection counts as the
   * principal's from its first such call on.
   * @throws RateLimitedError where the principal has as many as it may have
   */
  known(peer: string, principal: string): void {
    const connection = this.open.get(peer);
    if (connection === undefined || connection.principal !== undefined) return;
    const own = (this.held.get(principal) ?? 0) + 1;
    const { connectionsOfPrincipal: most } = this.limits;
    if (own > most) throw new RateLimitedError(`connections of one principal: at most ${most} at once`, RETRY_MS);
    connection.principal = principal;
    this.held.set(principal, own);
  }

  /** Takes no more. */
  refuse(): void {
    this.server.close();
  }

  /** Ends those that are left. */
  end(): void {
    for (const { socket } of this.open.values()) socket.destroy();
  }

  private take(socket: Socket): void {
    const { limits } = this;
    // Whoever has gone before it was looked at has no address.
    const isAdmitted = socket.remoteAddress !== undefined && this.counts.admits(socket);
    const hasRoom = isAdmitted && (this.open.size < limits.connections || this.makeRoom());
    if (!hasRoom) return void socket.destroy();
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const silence = setTimeout(() => socket.destroy(), limits.firstCallMs).unref();
    const connection: Connection = { socket, silence, principal: undefined };
    this.open.set(peer, connection);
    socket.once('close', () => {
      clearTimeout(silence);
      this.open.delete(peer);
      if (connection.principal !== undefined) this.give(connection.principal);
    });
    socket.on('error', () => socket.destroy());
    this.inject(socket);
  }

  /** Ends the oldest connection that has shown no good token. @returns whether there was one */
  private makeRoom(): boolean {
    for (const [peer, { socket, principal }] of this.open) {
      if (principal !== undefined) continue;
      this.open.delete(peer);
      socket.destroy();
      return true;
    }
    return false;
  }

  private give(principal: string): void {
    const left = (this.held.get(principal) ?? 0) - 1;
    if (left > 0) this.held.set(principal, left);
    else this.held.delete(principal);
  }
}
