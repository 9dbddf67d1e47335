import { WebSocket } from 'ws';

import { eventually } from '../../../../../test/support/eventually.js';

const PROTOCOL = 'graphql-transport-ws';

/** A message as the server sends it. */
export interface Sent {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** What a subscription was told of, member by member. */
export type ToldMember = Readonly<Record<string, unknown>> & { readonly __typename: string };

/** A client that says what a test says, also what no client should. */
export class GraphqlSocket {
  readonly sent: Sent[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.sent.push(JSON.parse(data.toString()) as Sent));
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    socket.on('error', () => undefined);
  }

  /** @param url of the server, with http: */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    protocol = PROTOCOL,
  ): Promise<GraphqlSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol === '' ? [] : [protocol], {
      headers,
    });
    const opened = new GraphqlSocket(socket);
    await eventually(() => (socket.readyState === WebSocket.CONNECTING ? null : true), 'an opened socket');
    return opened;
  }

  /** Opened and let in. */
  static async of(url: string, token: string): Promise<GraphqlSocket> {
    const opened = await GraphqlSocket.open(url);
    opened.say({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    await eventually(() => (opened.has('connection_ack') || opened.closed ? true : null), 'connection_ack');
    return opened;
  }

  say(message: unknown): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));
  }

  subscribe(id: string, query: string, variables: object = {}): void {
    this.say({ type: 'subscribe', id, payload: { query, variables } });
  }

  has(type: string, id?: string): boolean {
    return this.sent.some((message) => message.type === type && (id === undefined || message.id === id));
  }

  /** What a subscription was told so far. */
  told(id: string): readonly ToldMember[] {
    return this.sent
      .filter((message) => message.type === 'next' && message.id === id)
      .map(({ payload }) => Object.values((payload as { data: Record<string, ToldMember> }).data)[0]!);
  }

  /** What it was told until it was completed. */
  async whole(id: string): Promise<readonly ToldMember[]> {
    await eventually(
      () => (this.has('complete', id) || this.closed || this.has('error', id) ? true : null),
      `the end of ${id}`,
    );
    if (this.has('error', id)) throw new Error(`${id} was refused: ${JSON.stringify(await this.errors(id))}`);
    return this.told(id);
  }

  /** Why a subscription was refused. */
  async errors(id: string): Promise<readonly { readonly message: string; readonly extensions: object }[]> {
    await eventually(() => (this.has('error', id) || this.closed ? true : null), `errors of ${id}`);
    return this.sent.find((message) => message.type === 'error' && message.id === id)?.payload as never;
  }

  /** Why the socket was closed. */
  async end(): Promise<{ readonly code: number; readonly reason: string }> {
    return eventually(() => this.closed ?? null, 'the end of the socket');
  }

  close(): void {
    this.socket.terminate();
  }
}
