import { connect, type Socket } from 'node:net';

import { eventually } from './eventually.js';

/** One server-sent event, as a browser would dispatch it. */
export interface SseEvent {
  readonly event: string;
  /** The last id at the time. */
  readonly id: string;
  readonly data: string;
}

/** Reads a stream of server-sent events as bytes from a socket, and can stop reading them. */
export class SseReader {
  readonly events: SseEvent[] = [];
  /** What a browser would send as Last-Event-ID. */
  lastId = '';
  head = '';
  comments = 0;
  isEnded = false;
  /** What came that is no stream of events. */
  rest = '';
  private held = '';
  private chunked = Buffer.alloc(0);

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    const ended = (): void => void (this.isEnded = true);
    socket.on('end', ended).on('close', ended).on('error', ended);
  }

  /** @param url with its query */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<SseReader> {
    const { hostname, port, pathname, search, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    const reader = new SseReader(socket);
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    await eventually(() => (reader.head !== '' || reader.isEnded ? true : null), 'an answer');
    return reader;
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.head)?.[1]);
  }

  /** Ids of the events of the log. */
  get ids(): readonly string[] {
    return this.events.filter(({ event }) => event === 'message').map(({ id }) => id);
  }

  /** Waits for so many events of the log. */
  async until(count: number): Promise<readonly string[]> {
    await eventually(() => (this.ids.length >= count || this.isEnded ? true : null), `${count} events`);
    return this.ids;
  }

  async end(): Promise<SseEvent | undefined> {
    await eventually(() => (this.isEnded ? true : null), 'the end of the stream');
    return this.events.at(-1);
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.socket.destroy();
  }

  private take(bytes: Buffer): void {
    this.chunked = Buffer.concat([this.chunked, bytes]);
    if (this.head === '') {
      const end = this.chunked.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.chunked.subarray(0, end).toString();
      this.chunked = this.chunked.subarray(end + 4);
    }
    if (!/transfer-encoding: chunked/i.test(this.head)) {
      this.rest += this.chunked.toString();
      this.chunked = Buffer.alloc(0);
      return;
    }
    for (;;) {
      const line = this.chunked.indexOf('\r\n');
      if (line < 0) return;
      const size = parseInt(this.chunked.subarray(0, line).toString(), 16);
      if (this.chunked.length < line + 4 + size) return;
      if (size === 0) this.isEnded = true;
      this.read(this.chunked.subarray(line + 2, line + 2 + size).toString());
      this.chunked = this.chunked.subarray(line + 4 + size);
    }
  }

  private read(text: string): void {
    this.held += text;
    const blocks = this.held.split('\n\n');
    this.held = blocks.pop()!;
    for (const block of blocks) this.dispatch(block);
  }

  private dispatch(block: string): void {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, field, value] = /^([a-z]*): ?(.*)$/s.exec(line) ?? [];
      if (field === '') this.comments += 1;
      if (field === 'event') event = value!;
      if (field === 'id') this.lastId = value!;
      if (field === 'data') data.push(value!);
    }
    if (data.length > 0) this.events.push({ event, id: this.lastId, data: data.join('\n') });
  }
}
