import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { ConnectionCounts } from '#lib/access';
import { MaceError } from '#lib/kernel';

import type { SigningParts } from './answer-signing.js';
import type { GateParts } from './gate.js';
import { type Limits, socketRefuser } from './http-options.js';

/** What Node would allow, or refuse in words of its own, where all requests meet. */
export function guardConnections(
  fastify: FastifyInstance,
  limits: Limits,
  parts: SigningParts & Pick<GateParts, 'proxies'>,
): void {
  fastify.server.maxConnections = limits.connections;
  const counts = new ConnectionCounts(limits.connectionsOfAddress, parts.proxies);
  fastify.server.on('connection', (socket: Socket) => {
    if (!counts.admits(socket)) socket.destroy();
  });
  passOverExpectations(fastify.server);
  refuseTunnels(fastify.server, parts);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const reason = hostless(request) || twiceHosted(request) ? HOST : foreignlyCoded(request) ? CODING : undefined;
    done(reason === undefined ? undefined : new MaceError('INVALID_INPUT', reason));
  });
}

const HOST = 'Host: the name of this server, once (RFC 9112, 3.2)';
const TUNNEL = 'method: this is no proxy, and opens no tunnel (RFC 9110, 9.3.6)';
const CODING = 'Transfer-Encoding: chunked, or none (RFC 9112, 6.1)';

/** An expectation other than 100-continue may be passed over (RFC 9110, 10.1.1); Node's own 417 would be unsigned. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Node would close such a connection without a word. */
function refuseTunnels(server: Server, signing: SigningParts): void {
  const refuse = socketRefuser(signing);
  server.on('connect', (_request, socket: Duplex) => {
    refuse(socket, new MaceError('INVALID_INPUT', TUNNEL));
  });
}

/** Node hands such a request over as one without a body, and only then finds that it cannot tell where it ends. */
function foreignlyCoded({ raw: { headers } }: FastifyRequest): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}

function hostless({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor > 0;
}

/** Node takes the first and drops the others, which somebody on the way may have gone by. */
function twiceHosted({ raw: { headers, rawHeaders } }: FastifyRequest): boolean {
  if (Object.keys(headers).length * 2 === rawHeaders.length) return false;
  return rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}
