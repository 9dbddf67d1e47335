import type { FastifyRequest } from 'fastify';

import type { CommandContext, Principal } from '#lib/access';

/** What the edge knows of a request beside its content; set by the gate before anything else reads the request. */
export interface RequestFacts {
  /** The caller's X-Trace-Id where it has the allowed form. */
  readonly givenTraceId: string | undefined;
  /** Real time at which the request came in, milliseconds since the Unix epoch. */
  readonly now: number;
  principal: Principal | undefined;
  /** Canonical text of the body, once it is parsed and found sound. */
  bodyText: string | undefined;
  context: CommandContext | undefined;
  /** Why the request was refused to this principal, to be counted after the answer. */
  denied: string | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    mace: RequestFacts;
  }
}

/** The path as sent, without the query. */
export function pathOf(request: FastifyRequest): string {
  const url = request.url;
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
