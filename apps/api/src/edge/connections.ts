import type { Server } from 'node:http';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

import type { Limits } from './http-options.js';

/** What Node would allow, or refuse in words of its own, where all requests meet. */
export function guardConnections(fastify: FastifyInstance, limits: Limits): void {
  fastify.server.maxConnections = limits.connections;
  passOverExpectations(fastify.server);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const reason = hostless(request) ? HOST : foreignlyCoded(request) ? CODING : undefined;
    done(reason === undefined ? undefined : new MaceError('INVALID_INPUT', reason));
  });
}

const HOST = 'Host: the name of this server (RFC 9112, 3.2)';
const CODING = 'Transfer-Encoding: chunked, or none (RFC 9112, 6.1)';

/** An expectation other than 100-continue may be passed over (RFC 9110, 10.1.1); Node's own 417 would be unsigned. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Node hands such a request over as one without a body, and only then finds that it cannot tell where it ends. */
function foreignlyCoded({ raw: { headers } }: FastifyRequest): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}

function hostless({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor > 0;
}
