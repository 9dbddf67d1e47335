import { createRequire } from 'node:module';

import type { FastifyHelmetOptions } from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** Answers are data, not pages: nothing in them may be loaded, framed or run. /docs loosens this for itself. */
const POLICY: FastifyHelmetOptions = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  // TLS ends before this process, which cannot know whether there is any.
  strictTransportSecurity: false,
  // What these would say to a browser is said by the policy above, or is about pages.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};

/**
 * Helmet's headers, which are the same each time: helmet is asked once and not with each request. Answers hold what people
 * are to be able to have forgotten, so no cache on the way may keep one; what may be kept says so itself.
 */
export function securityHeaders(): Readonly<Record<string, string>> {
  return { ...headersOfHelmet(), 'cache-control': 'no-store' };
}

/** On every answer: set before anything refuses a request. */
export function setSecurityHeaders(fastify: FastifyInstance, headers: Readonly<Record<string, string>>): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(headers);
    done();
  });
}

type Middleware = (request: object, response: object, next: (error?: Error) => void) => void;

function headersOfHelmet(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string): void => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: (): void => undefined,
  };
  helmet()(POLICY)({}, response, (error) => {
    if (error) throw error;
  });
  return headers;
}

/** The middleware that @fastify/helmet wraps; the plugin itself has two asynchronous hooks a request. */
function helmet(): (options: object) => Middleware {
  const fromHere = createRequire(import.meta.url);
  const fromPlugin = createRequire(fromHere.resolve('@fastify/helmet'));
  return fromPlugin('helmet') as (options: object) => Middleware;
}
