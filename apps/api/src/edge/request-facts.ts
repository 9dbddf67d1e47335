import type { CommandContext, Principal, Role } from '#lib/access';

/** What the edge knows of a request beside its content; set by the gate before anything else reads the request. */
export interface RequestFacts {
  /** The caller's X-Trace-Id where it has the allowed form. */
  readonly givenTraceId: string | undefined;
  /** Real time at which the request came in, milliseconds since the Unix epoch. */
  readonly now: number;
  principal: Principal | undefined;
  /** The role under which the principal acts on this route. */
  role: Role | undefined;
  /** Canonical text of the body, once it is parsed and found sound. */
  bodyText: string | undefined;
  context: CommandContext | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    mace: RequestFacts;
  }
}
