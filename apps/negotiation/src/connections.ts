import { createServer, type Server as NetServer, type Socket } from 'node:net';

import { ConnectionCounts, type TrustedProxies } from '#lib/access';

import type { GrpcLimits } from './limits.js';

interface Connection {
  readonly socket: Socket;
  /** Ends it where no call comes. */
  readonly silence: NodeJS.Timeout;
  /** Whether a call on it has shown a token that is taken. */
  isKnown: boolean;
}

/**
 * The connections of gRPC. The library bounds neither how many there are nor how long they may say nothing, so that
 * they are taken here and handed to it.
 */
export class GrpcConnections {
  /** By the caller's address and port; the oldest first. */
  private readonly open = new Map<string, Connection>();
  private readonly counts: ConnectionCounts;
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

  /** A call on the connection of this peer has shown a token that is taken. */
  known(peer: string): void {
    const connection = this.open.get(peer);
    if (connection) connection.isKnown = true;
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
    this.open.set(peer, { socket, silence, isKnown: false });
    socket.once('close', () => {
      clearTimeout(silence);
      this.open.delete(peer);
    });
    socket.on('error', () => socket.destroy());
    this.inject(socket);
  }

  /** Ends the oldest connection that has shown no good token. @returns whether there was one */
  private makeRoom(): boolean {
    for (const [peer, { socket, isKnown }] of this.open) {
      if (isKnown) continue;
      this.open.delete(peer);
      socket.destroy();
      return true;
    }
    return false;
  }
}
