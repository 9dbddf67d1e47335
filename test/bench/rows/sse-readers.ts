import { connect, type Socket } from 'node:net';

/** Readers who take everything and look at nothing, in a process of their own. */

export interface ReadersOrder {
  readonly port: number;
  /** Of each reader. */
  readonly authorizations: readonly string[];
}

export interface ReadersOpen {
  readonly kind: 'open';
}

export interface ReadersCount {
  readonly kind: 'count';
  readonly bytes: number;
  /** Readers whose connection was closed. */
  readonly closed: number;
}

let bytes = 0;
let closed = 0;

process.on('message', (order: ReadersOrder | 'count') => {
  if (order === 'count') process.send!({ kind: 'count', bytes, closed } satisfies ReadersCount);
  else void open(order).then(() => process.send!({ kind: 'open' } satisfies ReadersOpen));
});
process.once('SIGTERM', () => process.exit());

async function open({ port, authorizations }: ReadersOrder): Promise<void> {
  for (const authorization of authorizations) await begun(connect({ host: '127.0.0.1', port }), authorization);
}

/** Settles with the first bytes. */
function begun(socket: Socket, authorization: string): Promise<void> {
  socket.write(`GET /events/tail HTTP/1.1\r\nhost: bench\r\nauthorization: ${authorization}\r\n\r\n`);
  socket.on('close', () => (closed += 1));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      resolve();
    });
  });
}
