import type { FastifyReply, FastifyRequest } from 'fastify';

import { type Authenticator, authorize, type PermissionName, type RevocationList } from '#lib/access';
import { MaceError } from '#lib/kernel';

import { AskedReply } from '../edge/ask-operation.js';
import { SSE_HEADERS, type SsePace, type SseRefusal, SseSession, type SseSource } from './sse-session.js';

/** The streams of server-sent events that are open, each for as long as its token is good. */
export class SseSessions {
  private readonly open = new Set<SseSession>();

  constructor(
    private readonly authenticator: Pick<Authenticator, 'seen' | 'authenticate'>,
    revocations: Pick<RevocationList, 'onChange'>,
    private readonly pace?: SsePace,
  ) {
    // Not before it is forgotten what is known of tokens, which whoever listens first sees to.
    revocations.onChange(() => setImmediate(() => this.lookAgain()));
  }

  /** How many are open. */
  get size(): number {
    return this.open.size;
  }

  /**
   * Answers a request with a stream, and takes it out of the framework's hands.
   * @param reply of an operation that was asked without HTTP: whoever asked reads the source
   * @param after the position that the request named
   */
  begin(request: FastifyRequest, reply: FastifyReply | AskedReply, source: SseSource, after?: string): void {
    if (reply instanceof AskedReply) return reply.follow(source);
    const { mace, method } = request;
    if (method === 'HEAD') {
      source.close();
      void reply.headers(SSE_HEADERS).send();
      return;
    }
    mace.beganIn = reply.elapsedTime / 1000;
    reply.hijack();
    const { raw } = reply;
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...SSE_HEADERS })) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    const { token, route } = mace;
    const check = (): SseRefusal | undefined | Promise<SseRefusal | undefined> =>
      token === undefined ? undefined : refusalOf(this.authenticator, token, route.access as PermissionName);
    const session = new SseSession(raw, source, check, after, this.pace);
    this.open.add(session);
    void session.closed.finally(() => this.open.delete(session));
  }

  private lookAgain(): void {
    for (const session of this.open) void session.lookAgain();
  }
}

/** Why the holder of a token that was let in may read no further; at once where it is known. */
export function refusalOf(
  authenticator: Pick<Authenticator, 'seen' | 'authenticate'>,
  token: string,
  access: PermissionName,
): SseRefusal | undefined | Promise<SseRefusal | undefined> {
  const now = Date.now();
  if (authenticator.seen(token, now)) return undefined;
  return authenticator.authenticate(token, now).then(
    (principal) => {
      try {
        authorize(principal, access);
        return undefined;
      } catch (error) {
        return refusal(error);
      }
    },
    (error: unknown) => refusal(error),
  );
}

/** Whatever keeps a token from being looked at keeps its holder from reading on. */
function refusal(error: unknown): SseRefusal {
  if (error instanceof MaceError) return { error_code: error.code, reason: error.developerMessage };
  return { error_code: 'DATA_UNAVAILABLE', reason: 'the token cannot be looked at' };
}
