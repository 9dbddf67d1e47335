import { WebSocket } from 'ws';

import type { SocketLimits } from './socket-limits.js';

/** What is written to one socket; whoever writes waits for the reader once enough lies there. */
export class Delivery {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: WebSocket,
    private readonly limits: Pick<SocketLimits, 'waitingBytes' | 'stallMs' | 'lookMs'>,
  ) {}

  /** Settles once the system took it, or never will. */
  send(message: object): Promise<void> {
    const { socket } = this;
    if (socket.readyState !== WebSocket.OPEN) return this.last;
    // What happens to the connection is told by its closing.
    return (this.last = new Promise((done) => socket.send(JSON.stringify(message), () => done())));
  }

  /**
   * Waits while too much was not taken yet.
   * @param mustEnd whether what comes next is held no longer
   * @returns false where the reader took nothing for too long
   */
  async isTaken(mustEnd: () => boolean): Promise<boolean> {
    const { socket, limits, last } = this;
    if (socket.bufferedAmount <= limits.waitingBytes) return true;
    const until = performance.now() + limits.stallMs;
    return new Promise((resolve) => {
      const finish = (isTaken: boolean): void => {
        clearInterval(looking);
        resolve(isTaken);
      };
      const looking = setInterval(() => {
        if (mustEnd()) finish(true);
        else if (performance.now() > until) finish(false);
      }, limits.lookMs);
      void last.then(() => finish(true));
    });
  }
}
