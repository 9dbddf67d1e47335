import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** What becomes of what a client sends; with `answer`, each command is answered with these bytes. */
export type Behaviour = 'pass' | 'hang' | 'reset' | 'garbage' | { readonly answer: string };

/**
 * Stands where a Redis would, on a port of its own: hands on to one, or misbehaves as the test says; it counts what is
 * asked of it. What hung once hangs as long as its connection.
 */
export class RedisGate {
  behaviour: Behaviour;
  /** Names of the commands that came. */
  readonly commands: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly upstream: (() => Socket) | undefined,
  ) {
    this.behaviour = upstream ? 'pass' : 'hang';
    server.on('connection', (socket) => this.serve(socket));
  }

  /** @param upstream connects to the Redis behind it; without, it only misbehaves */
  static async open(upstream?: () => Socket): Promise<RedisGate> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new RedisGate(server, upstream);
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  count(...names: string[]): number {
    return this.commands.filter((name) => names.includes(name)).length;
  }

  /** Ends every connection there is. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(client: Socket): void {
    this.keep(client);
    let upstream: Socket | undefined;
    let hangs = false;
    const heard = new CommandCounter((name) => this.commands.push(name));
    client.on('close', () => upstream?.destroy());
    if (this.behaviour === 'reset') return void client.resetAndDestroy();
    client.on('data', (bytes: Buffer) => {
      const commands = heard.take(bytes);
      const { behaviour } = this;
      if (behaviour === 'reset') client.resetAndDestroy();
      else if (behaviour === 'hang' || hangs) hangs = true;
      else if (behaviour === 'garbage') client.write(Buffer.from([0, 255, 13, 10, 42, 57, 57, 13, 10, 33]));
      else if (behaviour !== 'pass') client.write(behaviour.answer.repeat(commands));
      else (upstream ??= this.toUpstream(client)).write(bytes);
    });
  }

  private toUpstream(client: Socket): Socket {
    const upstream = this.upstream!();
    this.keep(upstream);
    upstream.on('close', () => client.destroy());
    upstream.on('data', (bytes) => client.write(bytes));
    return upstream;
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** Finds the commands in what a client sends: arrays of bulk strings, in pieces as the network cuts them. */
class CommandCounter {
  private rest = Buffer.alloc(0);

  constructor(private readonly tell: (name: string) => void) {}

  /** How many commands ended in these bytes. */
  take(bytes: Buffer): number {
    this.rest = Buffer.concat([this.rest, bytes]);
    let count = 0;
    for (let end = this.one(); end > 0; end = this.one()) {
      this.rest = this.rest.subarray(end);
      count++;
    }
    return count;
  }

  /** Where the first command ends; 0 where it has not come whole. */
  private one(): number {
    const parts = this.number(0);
    if (!parts) return 0;
    let { at } = parts;
    let name = '';
    for (let i = 0; i < parts.value; i++) {
      const length = this.number(at);
      if (!length || this.rest.length < length.at + length.value + 2) return 0;
      if (i === 0) name = this.rest.toString('latin1', length.at, length.at + length.value).toLowerCase();
      at = length.at + length.value + 2;
    }
    this.tell(name);
    return at;
  }

  private number(at: number): { readonly value: number; readonly at: number } | undefined {
    const end = this.rest.indexOf('\r\n', at);
    return end < 0 ? undefined : { value: Number(this.rest.toString('latin1', at + 1, end)), at: end + 2 };
  }
}
