import type { FastifyInstance } from 'fastify';

import type { RequestBindings } from '#lib/access';

import { PROTECTING_PERMISSIONS } from '../platform.room.js';
import type { AskedRequest } from './request-facts.js';

/** What binding a key needs of the edge. */
export interface BindingParts {
  readonly bindings: Pick<RequestBindings, 'bind'>;
}

/**
 * Binds a given Idempotency-Key to the body it came with, on every route that takes one, before its handler appends
 * anything (spec/kernel.md, "Seeds"): with another body the command may go to a stream that knows nothing of the key, and
 * one seed would number two events alike. What has not even the route's form was refused before (holdToForms), and binds nothing.
 *
 * A route without a body needs no binding, since its seed names all that it is told, nor does one that `changesNothing`; a
 * route that `bindsItself` finds the digest in the one stream that its path names.
 */
export function bindKeys(fastify: FastifyInstance, { bindings }: BindingParts): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const bound = bindKey(bindings, request.mace);
    if (bound === undefined) return done();
    bound.then(() => done(), done);
  });
}

/** Undefined where there is nothing to bind. @throws DifferentBodyError */
export function bindKey(
  bindings: BindingParts['bindings'],
  { context, route }: AskedRequest['mace'],
): Promise<void> | undefined {
  if (context?.keyed !== true || route.takesBody === false) return undefined;
  if (route.bindsItself === true || route.changesNothing === true) return undefined;
  return bindings.bind(context, route.access !== undefined && PROTECTING_PERMISSIONS.has(route.access));
}
