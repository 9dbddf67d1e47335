import type { FastifyRequest } from 'fastify';

import type { CommandContext, Principal } from '#lib/access';

import type { RouteAccess } from './permission.js';

/** What the edge knows of a request beside its content; set by the gate before anything else reads the request. */
export interface RequestFacts {
  /** What the route was declared with, and its `url`: Fastify makes its own answer to that anew each time it is asked. */
  readonly route: RouteAccess & { readonly url?: string };
  /** The caller's X-Trace-Id where it has the allowed form and nothing personal in it. */
  readonly givenTraceId: string | undefined;
  /** It had the form, and personal data in it: it is kept nowhere, and the request is refused. */
  readonly hasPersonalTraceId: boolean;
  /** Real time at which the request came in, milliseconds since the Unix epoch. */
  readonly now: number;
  principal: Principal | undefined;
  /** The token that was accepted; undefined for who came without one. */
  token: string | undefined;
  /** It came in the console's cookie. */
  byCookie?: true;
  /** Canonical text of the body without what is null, once it is parsed and found sound; for its digest. */
  bodyText: string | undefined;
  context: CommandContext | undefined;
  /** Why the request was refused to this principal, to be counted after the answer. */
  denied: string | undefined;
  /** How long it took until a stream began, seconds; absent where the answer is no stream. */
  beganIn?: number;
}

declare module 'fastify' {
  interface FastifyRequest {
    mace: RequestFacts;
  }
}

/** What the edge reads of a request; a field of GraphQL that asks for an operation is one too. */
export type AskedRequest = Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'params' | 'query' | 'body' | 'mace'>;

/** The path as sent, without the query. */
export function pathOf(request: Pick<FastifyRequest, 'url'>): string {
  const url = request.url;
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/**
 * The path of the route that was found, with its parts decoded and encoded again in the one usual way: `user%5Ftuff` and
 * `user_tuff` are one path, as they are to the handler. For a path without odd spellings this is the path as sent.
 */
export function routePathOf(request: Pick<AskedRequest, 'url' | 'params' | 'mace'>): string {
  const { url } = request.mace.route;
  if (url === undefined) return pathOf(request);
  const parts = request.params as Readonly<Record<string, string>>;
  return url.replace(/:([A-Za-z_][A-Za-z0-9_]*)|\*/g, (place, name: string | undefined) => {
    const part = parts[name ?? '*'];
    return part === undefined ? place : encodeURIComponent(part.toWellFormed());
  });
}
