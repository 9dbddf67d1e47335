import type { Server } from 'node:http';

import type { FastifyInstance, FastifyRequest } from 'fastify';

import { MaceError } from '#lib/kernel';

import type { Limits } from './http-options.js';

/** What Node would allow, or refuse in words of its own, where all requests meet. */
export function guardConnections(fastify: FastifyInstance, limits: Limits): void {
  fastify.server.maxConnections = limits.connections;
  passOverExpectations(fastify.server);
  fastify.addHook('onRequest', (request, _reply, done) => {
    done(
      hostless(request) ? new MaceError('INVALID_INPUT', 'Host: the name of this server (RFC 9112, 3.2)') : undefined,
    );
  });
}

/** An expectation other than 100-continue may be passed over (RFC 9110, 10.1.1); Node's own 417 would be unsigned. */
export function passOverExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function hostless({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersionMajor === 1 && raw.httpVersionMinor > 0;
}
