import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import { ConnectionCounts } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { type Limits, type SocketRefusalParts, socketRefuser } from './http-options.js';

/** What Node would allow, or refuse in words of its own, before there is a request. */
export function guardConnections(fastify: FastifyInstance, limits: Limits, parts: SocketRefusalParts): void {
  fastify.server.maxConnections = limits.connections;
  const counts = new ConnectionCounts(limits.connectionsOfAddress, parts.proxies);
  fastify.server.on('connection', (socket: Socket) => {
    if (!counts.admits(socket)) socket.destroy();
  });
  passOverExpectations(fastify.server);
  refuseTunnels(fastify.server, parts);
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
