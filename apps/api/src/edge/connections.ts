import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import { ConnectionCounts } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { type Limits, type SocketRefusalParts, socketRefuser } from './http-options.js';

/** What Node would allow, or refuse in words of its own, before there is a request. */
export function guardConnections(fastify: FastifyInstance, limits: Limits, parts: SocketRefusalParts): void {
  const counts = new ConnectionCounts(limits.connectionsOfAddress, parts.proxies);
  const room = new ConnectionRoom(limits.connections);
  fastify.server.on('connection', (socket: Socket) => {
    if (!counts.admits(socket) || !room.admits(socket)) socket.destroy();
  });
  const { server } = fastify;
  const asked = ({ socket }: IncomingMessage): void => room.hasAsked(socket);
  server.on('request', asked);
  // Where nobody listens for upgrades, Node answers them as plain requests: a listener of ours alone would end that.
  server.once('listening', () => {
    if (server.listenerCount('upgrade') > 0) server.prependListener('upgrade', asked);
  });
  passOverExpectations(fastify.server);
  refuseTunnels(fastify.server, parts);
}

/** Connections of everybody: where they are too many, the oldest that has asked nothing makes room for the next. */
class ConnectionRoom {
  private readonly open = new Set<Socket>();
  /** In the order in which they came. */
  private readonly silent = new Set<Socket>();

  constructor(private readonly most: number) {}

  /** False where each of them has asked something. */
  admits(socket: Socket): boolean {
    if (this.open.size >= this.most) {
      const [oldest] = this.silent;
      if (!oldest) return false;
      this.leave(oldest);
      oldest.destroy();
    }
    this.open.add(socket);
    this.silent.add(socket);
    socket.once('close', () => this.leave(socket));
    return true;
  }

  hasAsked(socket: Socket): void {
    this.silent.delete(socket);
  }

  private leave(socket: Socket): void {
    this.open.delete(socket);
    this.silent.delete(socket);
  }
}

const TUNNEL = 'method: this is no proxy, and opens no tunnel (RFC 9110, 9.3.6)';

/** An expectation other than 100-continue may be passed over (RFC 9110, 10.1.1); Node's own 417 would be unsigned. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Node would close such a connection without a word. */
function refuseTunnels(server: Server, parts: SocketRefusalParts): void {
  const refuse = socketRefuser(parts);
  server.on('connect', (_request, socket: Duplex) => {
    refuse(socket, new MaceError('INVALID_INPUT', TUNNEL));
  });
}
