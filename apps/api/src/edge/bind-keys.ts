import type { FastifyInstance } from 'fastify';

import type { RequestBindings } from '#lib/access';

import type { SchemaPipe } from './schema.pipe.js';

/** What binding a key needs of the edge. */
export interface BindingParts {
  readonly bindings: Pick<RequestBindings, 'bind'>;
}

/**
 * Binds a given Idempotency-Key to the body it came with, on every route that takes one, before its handler appends
 * anything (spec/kernel.md, "Seeds"): with another body the command may go to a stream that knows nothing of the key, and
 * one seed would number two events alike. What has not even the route's form is refused first, and binds nothing.
 *
 * A route without a body needs no binding, since its seed names all that it is told; a route that `bindsItself` finds the
 * digest in the one stream that its path names.
 */
export function bindKeys(fastify: FastifyInstance, { bindings }: BindingParts, forms: SchemaPipe): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { context } = request.mace;
    const { takesBody, bindsItself, bodyForm } = request.routeOptions.config;
    if (context?.keyed !== true || takesBody === false || bindsItself === true) return done();
    try {
      if (bodyForm !== undefined) forms.transform(request.body, { type: 'body', metatype: bodyForm });
    } catch (error) {
      return done(error as Error);
    }
    bindings.bind(context).then(() => done(), done);
  });
}
