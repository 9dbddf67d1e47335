import type { Socket } from 'node:net';

import { networkOf } from './network.js';
import type { TrustedProxies } from './trusted-proxies.js';

/** Counts the open connections of each address (IPv6: of each /64). */
export class ConnectionCounts {
  private readonly open = new Map<string, number>();
  private readonly counted = new WeakSet<Socket>();

  /**
   * @param limit connections at once of one address
   * @param proxies whose connections are those of many, and not counted
   */
  constructor(
    private readonly limit: number,
    private readonly proxies: TrustedProxies,
  ) {}

  /** Counts a connection until it closes; false, and not counted, where its address has as many as it may. */
  admits(socket: Socket): boolean {
    // A server hands over a connection again that asked for another protocol and did not get it.
    if (this.counted.has(socket)) return true;
    const address = socket.remoteAddress ?? '';
    if (this.proxies.trusts(address)) return true;
    const network = networkOf(address);
    const own = this.open.get(network) ?? 0;
    if (own >= this.limit) return false;
    this.open.set(network, own + 1);
    this.counted.add(socket);
    socket.once('close', () => this.forget(network));
    return true;
  }

  private forget(network: string): void {
    const left = (this.open.get(network) ?? 0) - 1;
    if (left > 0) this.open.set(network, left);
    else this.open.delete(network);
  }
}
