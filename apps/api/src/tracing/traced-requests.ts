import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { beginSpan, isTracing, type LiveSpan } from '#lib/tracing';

/** Asked every few seconds by who watches over the process; their spans would tell nothing and bury the others. */
const UNWATCHED = /^\/(?:health|metrics)(?:\/|$)/;

/**
 * One span for each request, under the trace id that its answer names, and around all that its handler does. A caller's
 * `traceparent` is not read: of its headers only two are ever kept (spec/kernel.md, section 1), and X-Trace-Id is the one
 * for this. Set after the gate.
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const spans = new WeakMap<FastifyRequest, LiveSpan>();
  fastify.addHook('preValidation', (request, reply, done) => {
    if (isUnwatched(request)) return done();
    const span = begin(request, reply);
    spans.set(request, span);
    span.within(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    if (!isUnwatched(request)) finish(spans.get(request) ?? begin(request, reply), reply.statusCode);
    done();
  });
}

function isUnwatched(request: FastifyRequest): boolean {
  return UNWATCHED.test(request.mace.route.url ?? '');
}

function begin(request: FastifyRequest, reply: FastifyReply): LiveSpan {
  const route = request.is404 ? 'none' : (request.mace.route.url ?? 'none');
  const traceId = reply.getHeader('x-trace-id');
  return beginSpan({
    name: `${request.method} ${route}`,
    isAsked: true,
    alone: true,
    traceId: typeof traceId === 'string' ? traceId : undefined,
    startedAt: Date.now() - reply.elapsedTime,
    attributes: { 'http.request.method': request.method, 'http.route': route },
  });
}

function finish(span: LiveSpan, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}
