import { connect, type Socket } from 'node:net';

import type { Wire } from './drawn-requests.js';

/** HTTP/1.1 as bytes, so that a request may be wrong in ways that no client library sends. */

export interface RawAnswer {
  readonly status: number;
  /** By name in small letters; one that comes twice is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How a request ended that got no answer. */
export type Unanswered = 'closed' | 'hangs';

export class RawClient {
  private readonly idle: Connection[] = [];

  /** @param hangsAfterMs an answer that takes longer does not come; no measure */
  constructor(
    private readonly port: number,
    private readonly hangsAfterMs: number,
  ) {}

  async send(wire: Wire): Promise<RawAnswer | Unanswered> {
    const bytes = bytesOf(wire);
    if (wire.alone) {
      const connection = await Connection.open(this.port);
      const answer = await connection.ask(bytes, wire, this.hangsAfterMs);
      connection.close();
      return answer;
    }
    const kept = this.taken();
    const connection = kept ?? (await Connection.open(this.port));
    const answer = await connection.ask(bytes, wire, this.hangsAfterMs);
    if (typeof answer === 'object' && connection.isOpen) this.idle.push(connection);
    else connection.close();
    // A connection that lay idle may have been closed while the request was under way: it was not read then.
    return kept && answer === 'closed' && !connection.heard ? this.send({ ...wire, alone: true }) : answer;
  }

  close(): void {
    for (const connection of this.idle.splice(0)) connection.close();
  }

  private taken(): Connection | undefined {
    for (;;) {
      const connection = this.idle.pop();
      if (!connection || connection.isOpen) return connection;
      connection.close();
    }
  }
}

function bytesOf({ method, target, headers, body = Buffer.alloc(0) }: Wire): Buffer {
  const lines = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

class Connection {
  isOpen = true;
  /** Whether anything came. */
  heard = false;
  private held = Buffer.alloc(0);
  private look: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.heard = true;
      this.held = Buffer.concat([this.held, bytes]);
      this.look();
    });
    const ended = (): void => {
      this.isOpen = false;
      this.look();
    };
    // A reset is how some servers answer what they cannot read; that nothing came is for the caller to judge.
    socket.on('error', ended).on('end', ended).on('close', ended);
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  ask(bytes: Buffer, wire: Wire, hangsAfterMs: number): Promise<RawAnswer | Unanswered> {
    return new Promise((resolve) => {
      const finish = (answer: RawAnswer | Unanswered): void => {
        clearTimeout(timer);
        this.look = () => undefined;
        resolve(answer);
      };
      const timer = setTimeout(() => finish('hangs'), hangsAfterMs);
      this.heard = false;
      this.look = () => {
        const answer = this.taken(wire.method === 'HEAD');
        if (answer) finish(answer);
        else if (!this.isOpen) finish('closed');
      };
      if (!this.isOpen) return finish('closed');
      this.socket.write(bytes);
      if (wire.cut) this.socket.end();
    });
  }

  close(): void {
    this.isOpen = false;
    this.socket.destroy();
  }

  /** The first whole answer of what came, without interim ones. */
  private taken(isHead: boolean): RawAnswer | null {
    for (;;) {
      const end = this.held.indexOf('\r\n\r\n');
      if (end < 0) return null;
      const head = headOf(this.held.subarray(0, end).toString('latin1'));
      const rest = this.held.subarray(end + 4);
      if (head.status >= 100 && head.status < 200) {
        this.held = rest;
        continue;
      }
      const length = isHead || head.status === 204 || head.status === 304 ? 0 : lengthOf(head.headers);
      // A stream of events has no end: what it begins with is what is looked at.
      const body =
        length === null ? this.unmeasured(head.headers, rest) : rest.length < length ? null : rest.subarray(0, length);
      if (body === null) return null;
      this.held = rest.subarray(body.length);
      if (head.headers['connection'] === 'close' || length === null) this.isOpen = false;
      return { ...head, body };
    }
  }

  private unmeasured(headers: Readonly<Record<string, string>>, rest: Buffer): Buffer | null {
    return headers['content-type']?.startsWith('text/event-stream') || !this.isOpen ? rest : null;
  }
}

function headOf(text: string): Omit<RawAnswer, 'body'> {
  const [line = '', ...lines] = text.split('\r\n');
  const headers: Record<string, string> = {};
  for (const one of lines) {
    const cut = one.indexOf(':');
    const name = one.slice(0, cut).toLowerCase();
    const value = one.slice(cut + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return { status: Number(line.split(' ')[1]), headers };
}

/** null where the answer does not say it. */
function lengthOf(headers: Readonly<Record<string, string>>): number | null {
  const length = headers['content-length'];
  return length === undefined ? null : Number(length);
}
